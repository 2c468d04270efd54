#!/usr/bin/env python3
"""Runs a user's program on a GPU, by itself and from outside, and looks at its rows.

usage: user_program_test.py USER_PROGRAM WARPCLOCK
"""

import json
import subprocess
import sys


def run(*words):
    """Exit code, rows by benchmark, and stderr of one run."""
    done = subprocess.run([*words, "--device", "cuda:0", "--db", "none", "--ceilings", "off", "-q", "--json", "-"],
                          capture_output=True, text=True, timeout=120)
    rows = json.loads(done.stdout)["results"] if done.stdout else []
    return done.returncode, {row["benchmark"]: row for row in rows}, done.stderr


def main():
    program, warpclock = sys.argv[1:]
    code, rows, said = run(program, "run", "good", "refused", "allocating")
    if not rows:
        print("no usable GPU:", said)
        return
    assert code == 5, (code, said)
    good, refused, allocating = rows["good"], rows["refused"], rows["allocating"]
    assert good["status"] == "ok" and good["check"]["state"] == "passed", good["error"]

    # Without asking the runtime, a launch that never happened is the fastest kernel of all, or at best "wrong".
    assert refused["status"] == "failed", refused["status"]
    assert "refused (user_program.cu:" in refused["error"] and "the launch was refused: cudaErrorInvalid" in refused["error"]

    # F68: the allocator costs the call, not the kernel.
    assert allocating["check"]["state"] == "passed", allocating["error"]
    kernel, honest = (row["kernel_time"]["value_ns"] for row in (allocating, good))
    assert abs(kernel / honest - 1) < 0.1, (kernel, honest)
    assert any(finding["id"] == "hold-ended-early" or finding["id"] == "not-held" for finding in allocating["findings"])

    code, outside, said = run(warpclock, "run", program, "good")
    assert code == 0, said
    assert abs(outside["good"]["kernel_time"]["value_ns"] / honest - 1) < 0.05
    print(f"good {honest:.0f} ns, allocating {kernel:.0f} ns; refused: {refused['error']}")


main()
