#!/bin/sh
# Worse than useless: a driver that goes while it is used, or one that cannot be loaded again.
# For the guest of `gem-upload vm` (busybox): i915 is asked to go while a program has its device
# open, goes once that is closed, comes back, and uploads.
set -u

fail() {
    echo "busy_unload: $*" >&2
    exit 1
}

[ -c /dev/dri/card0 ] || fail "there is no /dev/dri/card0 to begin with"

exec 3<>/dev/dri/card0
if message=$(gem-upload-guest --unload i915 2>&1); then
    fail "i915 was unloaded while its device was open"
fi
echo "$message"
case $message in
*busy*) ;;
*) fail "the refusal does not say that i915 is busy: $message" ;;
esac
[ -c /dev/dri/card0 ] || fail "the refusal left no /dev/dri/card0"
exec 3>&-

gem-upload-guest --unload i915 || fail "i915 cannot be unloaded although nothing has it open"
[ -z "$(ls /dev/dri 2>/dev/null)" ] || fail "without i915, /dev/dri has $(ls /dev/dri)"
grep -q '^i915 ' /proc/modules && fail "i915 is still among the modules"
echo "unloaded"

gem-upload-guest --load i915 || fail "i915 cannot be loaded again"
[ -c /dev/dri/renderD128 ] || fail "i915 is back, and /dev/dri/renderD128 is not"
echo "loaded again"

exec upload_blit_small_map --iterations 5 --verify every
