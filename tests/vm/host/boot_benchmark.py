"""Boots of one kernel with and without the modelled GPU, in turns: what the GPU costs.

boot_benchmark.py GEM-UPLOAD: prints the seconds from the guest's first instruction to the end of
the first verified upload on g33, the same for a guest without the GPU that uploads into memory,
and how many accesses a second went to the device while its driver was loaded.
"""
import json
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 3
SIZE = ["--width", "64", "--height", "64", "--iterations", "1", "--verify", "every"]


def boot(gem_upload, gpu, command):
    with tempfile.NamedTemporaryFile(suffix=".json") as record:
        subprocess.run([gem_upload, "vm", "--gpu", gpu, "--json", record.name, "--", *command],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return json.load(open(record.name, encoding="utf-8"))


def main():
    gem_upload = sys.argv[1]
    without, on_g33, rates = [], [], []
    for _ in range(ROUNDS):
        plain = boot(gem_upload, "none", ["upload_aperture", "--iterations", "1"])
        gpu = boot(gem_upload, "g33", ["upload_blit_large_map", *SIZE])
        without.append(plain["seconds"]["end"])
        on_g33.append(gpu["seconds"]["end"])
        loading = gpu["seconds"]["drivers"] - gpu["seconds"]["user_space"]
        rates.append(gpu["device"]["bar_accesses"] / loading)
    more = statistics.median(a - b for a, b in zip(on_g33, without))
    print(f"boot to first verified upload on g33: {statistics.median(on_g33):.1f} s")
    print(f"the same without a GPU: {statistics.median(without):.1f} s; "
          f"with it {more:.1f} s more (wanted: at most 3 s)")
    print(f"accesses to the device while i915 is loaded: {statistics.median(rates):,.0f} a second "
          "(its own work between them included)")


if __name__ == "__main__":
    main()
