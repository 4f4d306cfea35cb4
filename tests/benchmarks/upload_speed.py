#!/usr/bin/env python3
"""upload_blit_large on the software GPU against a bare loop of the same stores and copies, and
against intel-gpu-tools' program on the same modelled chip.

usage: upload_speed.py GEM_UPLOAD CHIP UPLOAD_BLIT_LARGE BARE_UPLOAD

All run on one CPU, so that what the model does beside the program is not hidden by another core.
Exits 1 if either falls short.
"""

import os
import pathlib
import sys

import pairs

PAIRS = 20
BARE_FLOOR = 0.98
IGT_FLOOR = 1.0
IGT_PROGRAMS = [pathlib.Path("/usr/libexec") / name / "benchmarks/intel_upload_blit_large"
                for name in ("igt-gpu-tools", "intel-gpu-tools")]


def main(arguments):
    if len(arguments) != 4:
        sys.exit(__doc__)
    gem_upload, chip, benchmark, bare = arguments
    igt = next((str(path) for path in IGT_PROGRAMS if path.exists()), None)
    if igt is None:
        print("intel-gpu-tools is not installed")
        return 77
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def on_model(program):
        return lambda: pairs.mb_per_second([gem_upload, "model", "--chip", chip, "--", program])

    def bare_loop():
        return pairs.mb_per_second([bare, "1280", "720", "200", "60"])

    name = f"upload_blit_large on model:{chip}"
    against_bare = pairs.judge(f"{name} against a bare loop of its stores and copies",
                               pairs.ratios_of_pairs(on_model(benchmark), bare_loop, PAIRS),
                               BARE_FLOOR)
    against_igt = pairs.judge(f"{name} against intel_upload_blit_large on it",
                              pairs.ratios_of_pairs(on_model(benchmark), on_model(igt), PAIRS),
                              IGT_FLOOR)
    return 0 if against_bare and against_igt else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
