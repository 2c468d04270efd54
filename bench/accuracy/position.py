#!/usr/bin/env python3
"""Does a point read the same alone in a process and anywhere in a random sweep?   bench/accuracy/position.py PROGRAM"""

import pathlib
import statistics
import sys
import tempfile

from accuracy import run_warpclock
from cases import CASES, SWEEP_AXES, SWEEP_FILTER, case_of

ALONE, SWEEPS = 3, 10
QUICK = ["--verify", "off", "--ceilings", "off"]


def kernel_us(result):
    return result["kernel_time"]["value_ns"] / 1e3


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "one.json"
        alone = {c.name: [kernel_us(run_warpclock(program, [c.kernel, *c.axis_flags(), *QUICK], out)[0]["results"][0])
                          for _ in range(ALONE)] for c in CASES}
        swept = {}
        for seed in range(1, SWEEPS + 1):
            words = ["gemm", "add", *SWEEP_AXES, "--filter", SWEEP_FILTER, "--order", "random", "--seed", str(seed), *QUICK]
            for result in run_warpclock(program, words, out)[0]["results"]:
                swept.setdefault(case_of(result).name, []).append(kernel_us(result))
    print(f"| case | alone, us ({ALONE} processes) | in {SWEEPS} random sweeps: median, min, max | median off | worst off |")
    print("|---|---|---|---|---|")
    for case in CASES:
        a, s = statistics.median(alone[case.name]), swept[case.name]
        print(f"| {case.name} | {a:.2f} | {statistics.median(s):.2f}, {min(s):.2f}, {max(s):.2f} "
              f"| {100 * (statistics.median(s) / a - 1):+.2f} % | {max(abs(x / a - 1) for x in s) * 100:.2f} % |")


if __name__ == "__main__":
    main()
