#!/usr/bin/env python3
"""What the chip does to a measurement, and whether warpclock sees it: regimes, clocks, power, data, telemetry.

    bench/chip/chip.py PROGRAM --out FOLDER [--idle 60] [--only burst,sustained,...]

Runs PROGRAM in fresh processes on cuda:0 and writes chip.json (every figure) and chip.md (the tables).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

QUICK = ["--verify", "off", "--ceilings", "off"]
HOT = "M=2048,4096"


class Program:
    def __init__(self, path, folder):
        self.path, self.file = path, folder / "one.json"

    def run(self, *words):
        """Results of one process, without their samples."""
        self.file.unlink(missing_ok=True)
        done = subprocess.run([self.path, "run", *words, "--device", "cuda:0", *QUICK, "--json", str(self.file), "-q"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=400)
        if not self.file.exists():
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        results = json.loads(self.file.read_text())["results"]
        return [slim(result) for result in results]

    def crosscheck(self, *words):
        self.file.unlink(missing_ok=True)
        done = subprocess.run([self.path, "crosscheck", *words, "--device", "cuda:0", *QUICK, "--json", str(self.file)],
                              capture_output=True, text=True, timeout=400)
        document = json.loads(self.file.read_text()) if self.file.exists() else None
        return {"text": done.stdout, "document": document, "problem": done.stderr if document is None else ""}


def slim(result):
    clock = result["effective_clock"]
    return {
        "name": name_of(result), "us": result["kernel_time"]["value_ns"] / 1e3, "regime": result["regime"],
        "half_width_percent": 50 * (result["kernel_time"]["high_ns"] - result["kernel_time"]["low_ns"])
        / result["kernel_time"]["value_ns"],
        "mhz": clock["clock"] and clock["clock"]["value_mhz"], "source": clock["source"],
        "sentinel_mhz": clock["sentinel"] and clock["sentinel"]["value_mhz"],
        "counters_mhz": clock["counters"] and clock["counters"]["value_mhz"],
        "clock_missing": clock["missing"], "cycles": result["cycles_per_call"],
        "nvml_mhz": [block["state"]["sm_clock_mhz"] for block in result["telemetry"]],
        "watts": [block["state"]["power_watts"] for block in result["telemetry"]],
        "celsius": [block["state"]["temperature_celsius"] for block in result["telemetry"]],
        "energy": result["energy"], "energy_missing": result.get("energy_missing"),
        "settle_wait_ms": result["settle"]["wait_ns"] / 1e6, "soak_s": result["soak"]["time_ns"] / 1e9,
        "wall_ms": result["wall_time_ns"] / 1e6, "findings": [finding["id"] for finding in result["findings"]],
        "sol": result["sol"], "samples": result["sample_count"],
    }


def name_of(result):
    point = result["point"]
    return f"gemm M={point['M']}" if "M" in point else f"{result['benchmark']} {point.get('n', '')}".strip()


def off(value, reference):
    return 100 * (value / reference - 1)


def listed(results, key):
    return ", ".join(f"{result[key]:.0f}" for result in results)


def medians(runs):
    """{name: median us} over processes."""
    out = {}
    for results in runs:
        for result in results:
            out.setdefault(result["name"], []).append(result["us"])
    return {name: statistics.median(values) for name, values in out.items()}


def burst(program, idle):
    alone = [[program.run("gemm", "--axis", f"M={m}")[0] for m in (2048, 4096)] for _ in range(3)]
    reference = medians(alone)
    places = {"alone, three processes": [r for run in alone for r in run]}
    mixed = ["gemm", "add", "--axis", "M=2,2048,4096", "--axis", "n=2^20,2^24"]
    orders = [program.run(*mixed, "--order", "random", "--seed", str(seed)) for seed in range(1, 5)]
    places["in four sweeps with light kernels, random orders"] = [r for run in orders for r in run]
    after = []
    for m in (2048, 4096):
        program.run("gemm", "--axis", "M=4096", "--regime", "sustained", "--soak-time", "3s")
        after += program.run("gemm", "--axis", f"M={m}")
    places["directly after a sustained run (next process)"] = after
    time.sleep(idle)
    places[f"after {idle:g} s idle"] = program.run("gemm", "--axis", HOT)
    lines = ["| where | kernel | us | off by | waited, ms |", "|---|---|---|---|---|"]
    for place, results in places.items():
        for result in results:
            if result["name"] in reference:
                lines.append(f"| {place} | {result['name']} | {result['us']:.1f} | "
                             f"{off(result['us'], reference[result['name']]):+.2f} % | {result['settle_wait_ms']:.0f} |")
    light = [r for run in orders for r in run if r["name"] not in reference]
    spread = {}
    for result in light:
        spread.setdefault(result["name"], []).append(result)
    lines += ["", "Light kernels in the same four sweeps:", "", "| kernel | us, smallest to largest | spread | waited, ms | wall, ms |",
              "|---|---|---|---|---|"]
    for name, results in spread.items():
        times = [r["us"] for r in results]
        lines.append(f"| {name} | {min(times):.2f} to {max(times):.2f} | {off(max(times), min(times)):.2f} % | "
                     f"{listed(results, 'settle_wait_ms')} | {listed(results, 'wall_ms')} |")
    return places, lines


def sustained(program):
    runs = [program.run("gemm", "--axis", HOT, "--regime", "both", "--soak-time", "6s") for _ in range(3)]
    lines = ["| process | kernel | burst, us | sustained, us | ratio | clock, MHz | W | C | mJ a call (resolution) | heated, s |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    values = {}
    for i, results in enumerate(runs):
        fast = {r["name"]: r for r in results if r["regime"] == "burst"}
        for r in (r for r in results if r["regime"] == "sustained"):
            values.setdefault(r["name"], []).append(r["us"])
            energy = r["energy"]
            joules = f"{1e3 * energy['joules_per_call']:.0f} ({1e3 * energy['resolution_joules']:.2f})" if energy else r["energy_missing"]
            lines.append(f"| {i + 1} | {r['name']} | {fast[r['name']]['us']:.1f} | {r['us']:.1f} | {r['us'] / fast[r['name']]['us']:.3f} | "
                         f"{r['mhz'] or 0:.0f} | {r['watts'][-1]} | {r['celsius'][-1]} | {joules} | {r['soak_s']:.1f} |")
    for name, times in values.items():
        lines.append(f"\n{name}: sustained values of three processes spread over {off(max(times), min(times)):.2f} %.")
    return runs, lines


def meters(program):
    results = program.run("gemm", "add", "spin", "--axis", "M=16,256,2048,4096", "--axis", "n=2^24", "--axis", "ns=200000",
                          "--effective-clock", "both")
    results += program.run("gemm", "--axis", "M=4096", "--effective-clock", "both", "--regime", "sustained", "--soak-time", "2s")
    lines = ["| kernel | regime | counters, MHz | sentinel, MHz | sentinel off by | NVML says | wall of the point, ms |", "|---|---|---|---|---|---|---|"]
    for r in results:
        a, b = r["counters_mhz"], r["sentinel_mhz"]
        apart = f"{off(b, a):+.2f} %" if a and b else r["clock_missing"]
        lines.append(f"| {r['name']} | {r['regime']} | {a and round(a)} | {b and round(b)} | {apart} | {r['nvml_mhz'][-1]} | {r['wall_ms']:.0f} |")
    return results, lines


def data(program):
    lines = ["| regime | data | us | time off normal | clock, MHz | Mcycles | cycles off normal |", "|---|---|---|---|---|---|---|"]
    out = {}
    for regime in ("burst", "sustained"):
        runs = {kind: program.run("gemm", "--axis", "M=4096", "--data", kind, "--regime", regime, "--soak-time", "3s")[0]
                for kind in ("normal", "uniform", "ints", "zeros")}
        out[regime] = runs
        for kind, r in runs.items():
            cycles = r["cycles"] or 0
            lines.append(f"| {regime} | {kind} | {r['us']:.1f} | {off(r['us'], runs['normal']['us']):+.1f} % | {r['mhz'] or 0:.0f} | "
                         f"{cycles / 1e6:.4f} | {off(cycles, runs['normal']['cycles'] or 1):+.1f} % |")
    return out, lines


def telemetry(program):
    words = ["gemm", "add", "--axis", "M=2,2048", "--axis", "n=2^20,2^24"]
    runs = {"on": [], "off": []}
    for _ in range(5):  # in turn, so that a drift of the machine falls on both
        for state in runs:
            runs[state].append(program.run(*words, "--telemetry", state, "--effective-clock", "off"))
    on, silent = medians(runs["on"]), medians(runs["off"])
    lines = ["| kernel | telemetry on, us | off, us | difference | range of the five with it off |", "|---|---|---|---|---|"]
    for name in on:
        times = [r["us"] for run in runs["off"] for r in run if r["name"] == name]
        lines.append(f"| {name} | {on[name]:.3f} | {silent[name]:.3f} | {off(on[name], silent[name]):+.2f} % | {off(max(times), min(times)):.2f} % |")
    return runs, lines


def crosscheck(program):
    out = program.crosscheck("gemm", "add", "--axis", "M=2,256,2048,4096", "--axis", "n=2^24")
    return out["document"] or out, ["```", out["text"].strip() or out["problem"].strip(), "```"]


PARTS = {
    "burst": ("One kernel in burst, wherever it stands", lambda p, a: burst(p, a.idle)),
    "sustained": ("Burst and sustained", lambda p, a: sustained(p)),
    "meters": ("Two meters of the effective clock", lambda p, a: meters(p)),
    "data": ("Data: times and cycles", lambda p, a: data(p)),
    "telemetry": ("Telemetry on and off, five processes each", lambda p, a: telemetry(p)),
    "crosscheck": ("Against ncu", lambda p, a: crosscheck(p)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--idle", type=float, default=60)
    parser.add_argument("--only", default=",".join(PARTS))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    program = Program(arguments.program, arguments.out)
    raw, page = {}, ["# The chip under measurement", ""]
    for part in arguments.only.split(","):
        title, measure = PARTS[part]
        start = time.perf_counter()
        try:
            raw[part], lines = measure(program, arguments)
        except (RuntimeError, KeyError, TypeError, subprocess.TimeoutExpired) as error:
            lines = [f"failed: {type(error).__name__}: {error}"]
        page += [f"## {title}", "", *lines, ""]
        print("\n".join([f"## {title} ({time.perf_counter() - start:.0f} s)", *lines]), flush=True)
        (arguments.out / "chip.json").write_text(json.dumps(raw))
        (arguments.out / "chip.md").write_text("\n".join(page))
    program.file.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
