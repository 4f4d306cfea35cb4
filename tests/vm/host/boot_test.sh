#!/bin/sh
# Worse than useless: a guest that does not boot, does not run what it was asked to, or whose
# status, output and errors do not come out as they went in.
# boot_test.sh GEM-UPLOAD
set -u
gem_upload=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

skip() {
    echo "skipped: $*" >&2
    exit 77
}
fail() {
    echo "FAILED: $*" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

command -v qemu-system-x86_64 >/dev/null || skip "there is no qemu-system-x86_64"
command -v busybox >/dev/null || skip "there is no busybox"

"$gem_upload" vm --gpu none --json "$work/json" -- \
    sh -c 'printf "a\nb"; echo errors >&2; exit 3' >"$work/out" 2>"$work/err"
status=$?
if [ "$status" -eq 128 ] && grep -q 'kernel could not be fetched' "$work/err"; then
    skip "$(tail -n 1 "$work/err")"
fi
[ "$status" -eq 1 ] || fail "the status is $status instead of 1"
[ "$(cat "$work/out")" = "$(printf 'a\nb')" ] || fail "the output is not the command's"
grep -qx errors "$work/err" || fail "the command's errors did not come out"
grep -q '"exit_status": 3' "$work/json" || fail "the record has another status"
grep -q '"outcome": "command-failed"' "$work/json" || fail "the record has another outcome"
