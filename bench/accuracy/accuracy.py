#!/usr/bin/env python3
"""warpclock against Nsight Compute and today's tools, in one go on one GPU.

    bench/accuracy/accuracy.py PROGRAM --out FOLDER [--processes 10] [--peers on|off]

Writes accuracy.json (everything) and accuracy.md (the tables). Runs warpclock in fresh processes, each over all cases
in its own random order; ncu on warpclock's own program; the peers in one process of their own.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

from cases import CASES, ORACLES, SWEEP_AXES, SWEEP_FILTER, case_of
import ncu


def run_warpclock(program, flags, out):
    start = time.perf_counter()
    subprocess.run([program, "run", *flags, "--device", "cuda:0", "--json", str(out), "-q"], check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    wall = time.perf_counter() - start
    return json.loads(out.read_text()), wall


def collect(program, processes, folder):
    """All cases in fresh processes: {case: [result, ...]}."""
    results, environment, wall = {}, None, []
    for seed in range(1, processes + 1):
        file = folder / "one.json"
        document, seconds = run_warpclock(program, ["gemm", "add", *SWEEP_AXES, "--filter", SWEEP_FILTER, "--order", "random",
                                           "--seed", str(seed), "--verify", "off"], file)
        wall.append(seconds)
        oracles, _ = run_warpclock(program, ["empty", "cycles", "spin", "--axis", "cycles=1000,10000,100000",
                                             "--axis", "ns=500,1000,2000,5000,20000,200000,1000000",
                                             "--ceilings", "off", "--order", "random", "--seed", str(seed)], file)
        environment = document["environment"]
        for result in document["results"] + oracles["results"]:
            case = case_of(result)
            if case:
                results.setdefault(case.name, []).append(slim(result))
        file.unlink()
    return results, environment, wall


def slim(result):
    """What the tables need; raw samples would make the file large."""
    keep = {k: result.get(k) for k in ("status", "headline", "kernel_time", "call_time", "host_time", "call_offset_ns",
                                       "stop_reason", "wall_time_ns", "sol", "settle_wait_ns", "conditions")}
    clocks = [c for c in clocks_of(result) if c]
    keep["clock_mhz"] = statistics.median(clocks) if clocks else None
    keep["findings"] = [f["id"] for f in result["findings"]]
    return keep


def clocks_of(result):
    samples = result.get("samples")
    if isinstance(samples, dict):
        return samples.get("clock_mhz", [])
    return [s.get("clock_mhz") for s in samples or []]


def median_us(results, key):
    values = [r[key]["value_ns"] / 1e3 for r in results if r.get(key)]
    return statistics.median(values) if values else None


def spread(values):
    """Standard deviation over processes."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def slope(points):
    """Least squares of measured over true time: slope, and residuals' largest size."""
    mx = statistics.mean(x for x, _ in points)
    my = statistics.mean(y for _, y in points)
    k = sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)
    b = my - k * mx
    return k, b, max(abs(y - k * x - b) for x, y in points)


def spin_table(results):
    lines = ["| spin, us | kernel, us | call, us | kernel - truth |", "|---|---|---|---|"]
    points = []
    for case in ORACLES:
        if case.kernel != "spin" or case.name not in results:
            continue
        truth = case.axes["ns"] / 1e3
        kernel, call = median_us(results[case.name], "kernel_time"), median_us(results[case.name], "call_time")
        points.append((truth, kernel))
        lines.append(f"| {truth:g} | {kernel:.3f} | {call:.3f} | {kernel - truth:+.3f} |")
    k, b, worst = slope(points)
    offsets = [y - x for x, y in points]
    lines.append(f"\nslope {k:.5f}, intercept {b:.3f} us, offsets from {min(offsets):.3f} to {max(offsets):.3f} us")
    return lines, {"slope": k, "intercept_us": b, "largest_residual_us": worst, "offset_range_us": [min(offsets), max(offsets)]}


def accuracy_table(results, truth):
    """Kernel time plus the offset of ncu's clock, frozen on the oracles, against ncu."""
    on_oracles = [truth[c.name]["ns"] / 1e3 - median_us(results[c.name], "kernel_time") for c in ORACLES if c.name in truth]
    offset = statistics.median(on_oracles)
    lines = [f"offset of ncu on the oracles: {offset:.3f} us (from {min(on_oracles):.3f} to {max(on_oracles):.3f})", "",
             "| case | kernel, us | sd over processes | call, us | kernel + offset | ncu, us (min..max) | diff us | diff % | ncu MHz | wall, ms | within 3 % or 0.4 us |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    rows = {}
    for case in CASES:
        if case.name not in results or case.name not in truth:
            continue
        rs, t = results[case.name], truth[case.name]
        kernels = [r["kernel_time"]["value_ns"] / 1e3 for r in rs]
        kernel, call = statistics.median(kernels), median_us(rs, "call_time")
        ours, theirs = kernel + offset, t["ns"] / 1e3
        diff = ours - theirs
        good = abs(diff) <= max(0.4, 0.03 * theirs)
        wall = statistics.median((r["wall_time_ns"] or 0) / 1e6 for r in rs)
        rows[case.name] = {"kernel_us": kernel, "spread_us": spread(kernels), "call_us": call, "ncu_us": theirs,
                           "diff_us": diff, "diff_percent": 100 * diff / theirs, "ncu_mhz": t["mhz"], "wall_ms": wall, "within_goal": good}
        lines.append(f"| {case.name} | {kernel:.2f} | {spread(kernels):.3f} ({100 * spread(kernels) / kernel:.2f} %) | {call:.2f} | {ours:.2f} | "
                     f"{theirs:.2f} ({t['ns_min'] / 1e3:.2f}..{t['ns_max'] / 1e3:.2f}) | {diff:+.2f} | {100 * diff / theirs:+.1f} | "
                     f"{t['mhz'] or 0:.0f} | {wall:.0f} | {'yes' if good else 'no'} |")
    return lines, {"ncu_offset_us": offset, "on_oracles": on_oracles, "cases": rows}


def peer_table(peers, truth, results):
    empty_kernel = median_us(results.get("empty", []), "kernel_time") or 0
    names = list(peers)
    lines = ["| case | ncu | " + " | ".join(f"{n} raw (error) | less its offset" for n in names) + " |",
             "|---|---|" + "---|---|" * len(names)]
    for case in CASES:
        if case.name not in truth:
            continue
        theirs = truth[case.name]["ns"] / 1e3
        cells = []
        for n in names:
            us = peers[n]["cases"][case.name]["us"]
            empty = peers[n]["empty_us"]
            cells.append(f"{us:.2f} ({100 * (us / theirs - 1):+.0f} %)")
            cells.append("" if empty is None else f"{us - (empty - empty_kernel):.2f}")
        lines.append(f"| {case.name} | {theirs:.2f} | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--peers", choices=["on", "off"], default="on")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    results, environment, wall = collect(args.program, args.processes, args.out)
    truth = {}
    for case in [c for c in ORACLES if c.kernel != "spin"] + CASES:  # spins also warm the chip up, so ncu sees others
        try:
            truth[case.name] = ncu.measure(args.program, case)
        except (RuntimeError, subprocess.TimeoutExpired, KeyError, ValueError) as error:
            print(f"ncu: {error}", file=sys.stderr)
    lines, data = ["# Accuracy", ""], {"environment": environment, "warpclock": results, "ncu": truth, "sweep_wall_s": wall}
    lines += ["```"] + [f"{k}: {v}" for k, v in environment["device"].items()] + ["```", "", "## spin", ""]
    spin_lines, data["spin"] = spin_table(results)
    lines += spin_lines + ["", f"## Against Nsight Compute, {args.processes} fresh processes, random order", ""]
    table, data["accuracy"] = accuracy_table(results, truth)
    lines += table
    if args.peers == "on":
        done = subprocess.run([sys.executable, str(pathlib.Path(__file__).parent / "peers.py")], capture_output=True, text=True,
                              timeout=300)
        if done.returncode == 0:
            data["peers"] = json.loads(done.stdout)
            lines += ["", "## Today's tools, us", ""] + peer_table(data["peers"], truth, results)
        else:
            print(f"peers: {done.stderr[-500:]}", file=sys.stderr)
    (args.out / "accuracy.json").write_text(json.dumps(data, indent=1))
    (args.out / "accuracy.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
