#!/bin/sh
# Worse than useless: a driver whose buffers lose data or have another memory type, and none is told.
#
# dumb_cases.sh DUMB-BUFFERS: runs in a guest with vgem, bochs-drm and virtio-gpu.

# shellcheck source=tests/vm/suite/tap.sh
. "$(dirname "$0")/tap.sh"
dumb_buffers=$1
dispatch "$@"

try 20 0 'vgem: right data, write-combining' "$dumb_buffers" vgem wc
try 20 0 'bochs-drm: right data, uncached' "$dumb_buffers" bochs-drm uc
try 20 0 'virtio-gpu: right data, write-back' "$dumb_buffers" virtio_gpu wb
try 20 0 'devices: says what is there' gem-upload devices
try 20 77 'a blit method is skipped on vgem' upload_blit_large --device vgem
try 20 77 'a blit method is skipped on virtio-gpu' upload_blit_large --device virtio_gpu

finish
