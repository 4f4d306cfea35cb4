# Sourced by the lists of cases: a case a line of TAP.
# shellcheck shell=sh disable=SC2086 # $arguments is a list
number=0

# The table's lines: SECONDS STATUS NAME COMMAND...
# SECONDS: its limit, some five times what it took on a quiet machine.
try() {
    seconds=$1 wanted=$2 name=$3
    shift 3
    number=$((number + 1))
    begin=$(cut -d. -f1 /proc/uptime)
    timeout -s KILL "$seconds" "$0" $arguments call "$@" >/tmp/output 2>&1 </dev/null
    status=$?
    took=$(($(cut -d. -f1 /proc/uptime) - begin))
    if [ "$status" -eq "$wanted" ]; then
        echo "ok $number - $name ($took s)"
    else
        echo "not ok $number - $name ($took s): status $status instead of $wanted"
        sed 's/^/# /' /tmp/output | tail -n 20
    fi
}

# A case's command may be a function of the list: its limit needs a process, which is the list
# itself, called with its own arguments, "call" and the command.
dispatch() {
    arguments=$*
    while [ $# -gt 0 ]; do
        if [ "$1" = call ]; then
            shift
            "$@"
            exit
        fi
        shift
    done
}

finish() { echo "1..$number"; }
