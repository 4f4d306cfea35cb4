"""Boots of one kernel with and without the modelled GPU, in turns: what the GPU costs.

boot_benchmark.py GEM-UPLOAD: prints the seconds from the guest's first instruction to the end of
the first verified upload on g33 and on skl, the same for a guest without the GPU that uploads into
memory, how many accesses a second went to the device while its driver was loaded, and how long
skl takes for a copy that is waited for.
"""
import json
import re
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 3
SIZE = ["--width", "64", "--height", "64", "--iterations", "1", "--verify", "every"]
WANTED = {"g33": 3, "skl": 2}  # seconds more than without a GPU
COPIES = 500


def boot(gem_upload, gpu, command):
    with tempfile.NamedTemporaryFile(suffix=".json") as record:
        ran = subprocess.run([gem_upload, "vm", "--gpu", gpu, "--json", record.name, "--", *command],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return json.load(open(record.name, encoding="utf-8")), ran.stdout


def time_boots(gem_upload):
    """Seconds to the end of the first upload, by chip, and accesses a second while i915 loads."""
    seconds = {"none": [], **{chip: [] for chip in WANTED}}
    rates = {chip: [] for chip in WANTED}
    for _ in range(ROUNDS):
        plain, _ = boot(gem_upload, "none", ["upload_aperture", "--iterations", "1"])
        seconds["none"].append(plain["seconds"]["end"])
        for chip in WANTED:
            record, _ = boot(gem_upload, chip, ["upload_blit_large_map", *SIZE])
            seconds[chip].append(record["seconds"]["end"])
            loading = record["seconds"]["drivers"] - record["seconds"]["user_space"]
            rates[chip].append(record["device"]["bar_accesses"] / loading)
    return seconds, rates


def time_copy(gem_upload):
    """Milliseconds of an upload of 16 x 16 pixels and the wait for its copy."""
    _, said = boot(gem_upload, "skl", ["upload_blit_large_map", "--width", "16", "--height", "16",
                                       "--iterations", str(COPIES), "--verify", "every"])
    return float(re.search(r"iterations in ([\d.]+) secs", said)[1]) / COPIES * 1000


def main():
    gem_upload = sys.argv[1]
    seconds, rates = time_boots(gem_upload)
    print(f"boot to the first upload, without a GPU: {statistics.median(seconds['none']):.1f} s")
    for chip, wanted in WANTED.items():
        more = statistics.median(a - b for a, b in zip(seconds[chip], seconds["none"]))
        print(f"on {chip}, verified: {statistics.median(seconds[chip]):.1f} s, "
              f"{more:.1f} s more (wanted: at most {wanted} s)")
        print(f"  accesses to the device while i915 is loaded: {statistics.median(rates[chip]):,.0f} "
              "a second (its own work between them included)")
    print(f"a copy on skl, waited for and verified: {time_copy(gem_upload):.2f} ms")


if __name__ == "__main__":
    main()
