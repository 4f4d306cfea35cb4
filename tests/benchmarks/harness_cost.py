#!/usr/bin/env python3
"""The harness's own cost: instructions inside the timed loop outside data generation, copying and
libdrm, as a share of all instructions of the loop's thread.

usage: harness_cost.py GEM_UPLOAD CHIP BENCHMARK ...

Runs each benchmark on the software GPU under callgrind. Exits 1 if any share is above 1 %.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import callgrind

MOST = 0.01
TIMED = "gem_upload::bench::time_iterations*"
GENERATION = re.compile(r"::(fill|store_\d+)<|^random(_r)?$")
GENERATION_FILE = "lib/gem/pieces.h"  # inlined: which pieces the data is made in
COPYING = re.compile(r"mem(cpy|move)")


def run_under_callgrind(gem_upload, chip, benchmark, folder):
    """Profile of the thread that runs the timed loop, and of nothing but the loop."""
    command = ["valgrind", "--tool=callgrind", f"--toggle-collect={TIMED}", "--separate-threads=yes",
               "--trace-children=yes", f"--callgrind-out-file={folder}/%p.out",
               gem_upload, "model", "--chip", chip, "--",
               benchmark, "--iterations", "10", "--warmup", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} exited with {done.returncode}:\n{done.stderr}")
    profiles = []
    for path in sorted(folder.iterdir()):
        with path.open() as lines:
            profile = callgrind.read_profile(lines)
        if any("time_iterations" in function.name for function in profile.own_by_function()):
            profiles.append(profile)
    if len(profiles) != 1:
        sys.exit(f"{benchmark}: {len(profiles)} threads ran the timed loop, not one")
    return profiles[0]


def is_counted_elsewhere(function):
    """Data generation, copying and libdrm with all it calls (the model is below it)."""
    return (GENERATION.search(function.name) or COPYING.search(function.name)
            or pathlib.Path(function.object).name.startswith("libdrm"))


def own_cost(profile, benchmark):
    """Instructions of the benchmark's own functions, and of what they call in other libraries.
    A caller without a cost of its own stands above the timed loop."""
    def is_ours(function):
        return function.object == benchmark and not is_counted_elsewhere(function)

    own = sum(cost for (function, file), cost in profile.own.items()
              if is_ours(function) and not file.endswith(GENERATION_FILE))
    inside = profile.own_by_function()
    called = sum(cost for (caller, callee), cost in profile.calls.items()
                 if caller in inside and is_ours(caller) and callee.object != benchmark
                 and not is_counted_elsewhere(callee))
    return own + called


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return 77
    gem_upload, chip, *benchmarks = arguments
    good = True
    for benchmark in benchmarks:
        with tempfile.TemporaryDirectory() as folder:
            profile = run_under_callgrind(gem_upload, chip, benchmark, pathlib.Path(folder))
        own = own_cost(profile, str(pathlib.Path(benchmark).resolve()))
        share = own / profile.total
        good = good and share <= MOST
        print(f"{pathlib.Path(benchmark).name} on model:{chip}: {own} of {profile.total} "
              f"instructions, {share:.3%}; at most {MOST:.0%}: "
              f"{'ok' if share <= MOST else 'TOO MUCH'}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
