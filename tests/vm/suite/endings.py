#!/usr/bin/env python3
"""How a guest may end, and what gem-upload vm makes of it: its status, its word, and that no process
is left behind. Writes TAP.

endings.py GEM-UPLOAD

Worse than useless: an ending that git bisect takes for another one, or a QEMU or a device process
that stays behind and eats a test machine's CPU.
"""

import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 120  # seconds until a guest that is to be disturbed must run its command
MISSING = 128
# What gem-upload vm says where a test machine lacks something; with any other sentence it is wrong.
NEEDS = ["kernel could not be fetched", "there is no qemu", "there is no busybox",
         "there is no program 'cpio'", "this build cannot load drivers"]
PROCESSES = 2  # of a guest with a modelled GPU: QEMU and the device


class Guest:
    """One gem-upload vm, told from others by a word in its guest's kernel command line."""

    serial = 0

    def __init__(self, gem_upload, options, command):
        Guest.serial += 1
        self.word = f"ending={os.getpid()}.{Guest.serial}"
        self.output = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [gem_upload, "vm", "--append", self.word, *options, "--", *command],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT)

    def said(self):
        self.output.seek(0)
        return self.output.read()

    def wait_until_running(self):
        end = time.monotonic() + LIMIT
        while "vm: running" not in self.said():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("the command did not come to run")
            time.sleep(0.1)

    def child(self, name):
        """The process id of QEMU or of the device process."""
        for pid in children(self.process.pid):
            if name in command_line(pid).split("\0")[0]:
                return pid
        raise RuntimeError(f"there is no {name}")

    def finish(self):
        self.process.wait(timeout=3 * LIMIT)
        return self.process.returncode, self.said()


def children(pid):
    listed = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


def command_line(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def left_behind(pids):
    """Those that still run a little later."""
    end = time.monotonic() + 10
    while any(command_line(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.1)
    return [pid for pid in pids if command_line(pid)]


def ends_by_itself(gem_upload, options, command):
    return Guest(gem_upload, options, command).finish()


def killed(gem_upload, options, victim):
    """The victim, a child's name or "" for gem-upload itself, is killed while a command runs."""
    guest = Guest(gem_upload, options, ["sleep", "1000"])
    try:
        guest.wait_until_running()
        pids = children(guest.process.pid)
        if len(pids) != PROCESSES:  # or nothing could be seen to be left behind
            raise RuntimeError(f"gem-upload vm has {len(pids)} child processes, not {PROCESSES}")
        os.kill(guest.child(victim) if victim else guest.process.pid, signal.SIGKILL)
        status, said = guest.finish()
    finally:
        guest.process.kill()
    left = left_behind(pids)
    return ("left behind" if left else status), said + "".join(map(command_line, left))


NO_GPU = ["--gpu", "none"]
G33 = ["--gpu", "g33"]
# Name, how it ends, options, command or victim, the status, a word that must be said.
CASES = [
    ("success", ends_by_itself, NO_GPU, ["true"], 0, "success"),
    ("success beside another", ends_by_itself, NO_GPU, ["true"], 0, "success"),
    ("a failing command is bad", ends_by_itself, NO_GPU, ["sh", "-c", "exit 3"], 1,
     "command-failed"),
    ("a skipping command cannot tell", ends_by_itself, NO_GPU, ["sh", "-c", "exit 77"], 125,
     "skipped"),
    ("a command that the shell does not find stops a bisection", ends_by_itself, NO_GPU,
     ["sh", "-c", "no_such_program"], MISSING, "no-command"),
    ("a command that is not in the guest stops a bisection", ends_by_itself,
     [*NO_GPU, "--share", str(pathlib.Path(__file__).parent)], ["/share/absent"], MISSING, "no-command"),
    ("a panic after the driver was loaded is bad", ends_by_itself, G33,
     ["sh", "-c", "echo c >/proc/sysrq-trigger"], 1, "panic"),
    ("the time limit", ends_by_itself, [*G33, "--timeout", "60"], ["sleep", "1000"], 1,
     "timed-out"),
    ("QEMU is killed", killed, G33, "qemu", 125, "guest-killed"),
    ("the device process is killed", killed, G33, "gem-upload-gpu", 125, "device-died"),
    ("gem-upload vm is killed", killed, G33, "", -signal.SIGKILL, ""),
]


def run(gem_upload, case):
    name, ending, options, argument, wanted, word = case
    try:
        status, said = ending(gem_upload, options, argument)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return False, name, str(error)
    good = status == wanted and word in said
    return good, name, "" if good else f"{status} instead of {wanted} ({word}):\n{said}"


def main():
    gem_upload = sys.argv[1]
    status, said = ends_by_itself(gem_upload, NO_GPU, ["true"])
    if status == MISSING and any(need in said for need in NEEDS):
        print(f"1..0 # SKIP {said.splitlines()[-1]}")
        return
    print(f"1..{len(CASES)}")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda case: run(gem_upload, case), CASES)
        for number, (good, name, explanation) in enumerate(results, 1):
            print(f"{'ok' if good else 'not ok'} {number} - {name}")
            for line in explanation.splitlines():
                print(f"# {line}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
