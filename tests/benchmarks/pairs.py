"""Interleaved pairs of two measurements, and the median of their ratios with its exact interval."""

import math
import re
import statistics
import subprocess
import sys

IGT_LINE = re.compile(r"^\d+ iterations in [\d.]+ secs: ([\d.]+) MB/sec$", re.MULTILINE)


def median_interval(values, confidence=0.95):
    """Distribution-free interval of the median: the k-th smallest and k-th largest value, with the
    largest k whose binomial coverage 1 - 2 P(Bin(n, 1/2) < k) reaches the confidence."""
    ordered = sorted(values)
    count = len(ordered)
    rank = 0
    tail = 0.0
    while True:
        tail += math.comb(count, rank) / 2**count
        if 1 - 2 * tail < confidence or 2 * (rank + 1) > count:
            break
        rank += 1
    if rank == 0:
        raise ValueError(f"{count} pairs are too few for an interval at {confidence:.0%}")
    return ordered[rank - 1], ordered[count - rank]


def mb_per_second(command):
    """The last sample that a benchmark prints. Exits with its words when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = IGT_LINE.findall(done.stdout)
    if done.returncode != 0 or not lines:
        sys.exit(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}{done.stderr}")
    return float(lines[-1])


def ratios_of_pairs(measured, reference, pairs):
    """Calls both `pairs` times, in the order ABBA, and returns measured / reference of each pair."""
    ratios = []
    for number in range(pairs):
        if number % 2 == 0:
            value = measured()
            base = reference()
        else:
            base = reference()
            value = measured()
        ratios.append(value / base)
    return ratios


def judge(what, ratios, floor):
    """Prints the median ratio with its 95 % interval; false only if that lies wholly below the
    floor."""
    low, high = median_interval(ratios)
    good = high >= floor
    print(f"{what}: median ratio {statistics.median(ratios):.3f}, 95 % interval {low:.3f} to "
          f"{high:.3f}, {len(ratios)} pairs ({min(ratios):.3f} to {max(ratios):.3f}); "
          f"wanted {floor:.2f}: {'ok' if good else 'FALLS SHORT'}", flush=True)
    return good
