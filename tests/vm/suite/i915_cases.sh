#!/bin/sh
# shellcheck disable=SC2086 # $small and $tiny are lists of options
# Worse than useless: an upload on the real driver that is reported right when it is not, or a case
# that passes because nothing ran.
#
# i915_cases.sh CHIP PROBE DUMB-BUFFERS HANG ENGINES: runs in the guest of gem-upload vm and writes
# TAP, a line a case; the programs are tests/vm's. run_suite.py, which starts the guest, judges what
# only the host can see.

# shellcheck source=tests/vm/suite/tap.sh
. "$(dirname "$0")/tap.sh"
chip=$1 probe=$2 dumb_buffers=$3 hang=$4 engines=$5
igt=/usr/libexec/igt-gpu-tools/benchmarks

on() { # CHIPS try...: only there
    case " $1 " in
        *" $chip "*) shift && "$@" ;;
    esac
}

# What need not be repeated on every kernel.
once() { # try...
    case $(uname -r) in
        6.1.*) "$@" ;;
    esac
}

# What the kernel gates: PWRITE and relocations, on gen12 but the first of it.
case $chip in
    rkl | adls | adlp | rpls) pwrite=77 gated=1 ;;
    *) pwrite=0 gated=0 ;;
esac
where_allowed() { # try...
    [ $gated = 1 ] || "$@"
}
# PWRITE by way of pages, not of the aperture, a message a store.
fast_pwrite='snb bdw skl kbl cfl icl tgl'
execlists='bdw skl kbl cfl icl jsl tgl rkl adls adlp rpls'

# It ends well, too, where it measured nothing.
latency_measured() { says '^[1-9][0-9]*/1: ' $igt/gem_latency -t 1; }

# Counted over all cases so far: i915 polls for up to 8 ms before it asks for an interrupt.
interrupts_arrived() {
    awk '/i915/ { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) sum += $i }
        END { print sum + 0; exit sum < 20 }' /proc/interrupts
}

says() { # PATTERN COMMAND...
    pattern=$1
    shift
    "$@" >/tmp/said 2>&1
    status=$?
    cat /tmp/said
    grep -q -e "$pattern" /tmp/said || return 99
    return "$status"
}

as_user() { su user -s /bin/sh -c "$*"; }

hang_beside_an_upload() {
    upload_blit_large_map $small --iterations 100 --verify every >/tmp/beside 2>&1 &
    "$hang" || return
    wait $!
    status=$?
    cat /tmp/beside
    [ "$status" -le 1 ] && ! grep -q 'wrong data' /tmp/beside
}

benchmark_hangs() {
    says 'the GPU hung ' upload_blit_small_map --iterations 50 $small --verify every \
        --json /tmp/hung.json
    status=$?
    cat /tmp/hung.json
    grep -q '"gpu_hang": "' /tmp/hung.json || return 98
    return "$status"
}

ask() { "$probe" >/share/answers; }

small='--width 64 --height 64'
tiny='--width 16 --height 16 --iterations 3 --verify every'

dispatch "$@"

# run_suite.py has made the GPU hang in one of the first batches.
on "$execlists" try 60 1 'a benchmark whose batch hangs says so' benchmark_hangs
on "$execlists" try 60 0 'an upload after the hang' \
    upload_blit_small_map --iterations 20 $small --verify every

try 120 0 'the probe asks i915 its questions' ask
try 20 0 'devices: names the chip and its driver' \
    says "($chip), generation" gem-upload devices --device i915

once on 'g33 skl' try 100 0 'upload_blit_large_map, canonical' says '200 iterations in' upload_blit_large_map
once try 60 0 'upload_blit_large_map, staged' \
    upload_blit_large_map $small --iterations 20 --verify every --variant staged
try 60 0 'upload_blit_large_map, every iteration' \
    upload_blit_large_map $small --iterations 20 --verify every
try 60 0 'upload_blit_large_wc' upload_blit_large_wc $small --iterations 20 --verify every
try 60 0 'upload_blit_large_gtt' upload_blit_large_gtt $tiny
once try 60 0 'upload_blit_large_gtt, staged' upload_blit_large_gtt $tiny --variant staged
on 'g33 jsl' try 60 0 'upload_blit_large, by way of the aperture' upload_blit_large $tiny
once on 'snb skl' try 100 0 'upload_blit_large, canonical' says '200 iterations in' upload_blit_large
on "$fast_pwrite" try 60 0 'upload_blit_large, every iteration' \
    upload_blit_large $small --iterations 20 --verify every
try 60 $pwrite 'upload_blit_small' upload_blit_small --iterations 20 $small --verify every
try 60 0 'upload_blit_small_map' upload_blit_small_map --iterations 20 $small --verify every
try 60 0 'upload_blit_small_wc' upload_blit_small_wc --iterations 20 $small --verify every
once try 60 0 'upload_blit_small_gtt' upload_blit_small_gtt --iterations 3 --width 16 --height 16 --verify every
once try 30 0 'upload_aperture needs no GPU' upload_aperture --iterations 100

once on 'snb adls' try 120 0 'run: a folder with every method' \
    gem-upload run --methods blit --rounds 2 --width 16 --height 16 --iterations 3 --label vm -o /tmp/run
once on 'snb adls' try 30 0 'compare: reads the folder' says 'blit_large_map' gem-upload compare /tmp/run

try 30 0 'an unprivileged user on the render node' \
    as_user "upload_blit_small_map --device /dev/dri/renderD128 $small --iterations 5 --verify every"
chmod 600 /dev/dri/renderD128
try 30 77 'an unprivileged user without rights is told so' \
    says 'may not be opened' as_user "upload_blit_small_map --device /dev/dri/renderD128 --iterations 5"
chmod 666 /dev/dri/renderD128

once on 'g33 snb skl' try 60 0 'IGT: intel_upload_blit_large_map, unmodified' \
    says '200 iterations in' $igt/intel_upload_blit_large_map
once on 'snb skl' try 60 0 'IGT: intel_upload_blit_large, unmodified' \
    says '200 iterations in' $igt/intel_upload_blit_large
once where_allowed try 60 0 'IGT: gem_blt' $igt/gem_blt -s 16384 -r 1
try 60 0 'IGT: gem_exec_nop' $igt/gem_exec_nop
on "$execlists" try 60 0 'IGT: gem_exec_ctx' $igt/gem_exec_ctx
once on "$execlists" try 60 0 'IGT: gem_exec_ctx, switching' $igt/gem_exec_ctx -b switch
once try 60 0 'IGT: gem_exec_fault' $igt/gem_exec_fault
once on 'snb skl' try 60 0 'IGT: gem_exec_reloc' $igt/gem_exec_reloc
where_allowed on "$execlists" try 60 0 'IGT: gem_latency' latency_measured
once where_allowed try 60 0 'IGT: gem_prw' $igt/gem_prw
once try 60 0 'IGT: gem_syslatency' $igt/gem_syslatency -t 1

on snb try 60 0 'requests across the engines, in order' "$engines" 200
on "$execlists" try 100 0 'requests across the engines, piled up, in order' \
    says ' [1-9][0-9]* waits for an interrupt' "$engines" 300
try 60 0 'dumb buffers hold their data' "$dumb_buffers" i915
try 100 0 'a hang beside an upload ends in a reset, and no wrong data' hang_beside_an_upload
try 60 0 'an upload after the reset' upload_blit_small_map --iterations 20 $small --verify every
try 20 0 'interrupts arrived' interrupts_arrived
try 60 0 'i915 is busy while it is used; unloaded and loaded again, it uploads' \
    "$(dirname "$0")/busy_unload.sh"

finish
