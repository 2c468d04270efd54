"""Nsight Compute on warpclock's own program: the independent truth, clocks free, caches cleared, several launches."""

import csv
import io
import statistics
import subprocess

METRICS = "gpu__time_duration.sum,smsp__cycles_elapsed.avg.per_second,dram__bytes_read.sum,dram__bytes_write.sum"
UNITS_NS = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9}
UNITS_MHZ = {"hz": 1e-6, "cycle/second": 1e-6, "khz": 1e-3, "cycle/usecond": 1, "mhz": 1, "cycle/nsecond": 1e3, "ghz": 1e3}
UNITS_BYTES = {"byte": 1, "kbyte": 1e3, "mbyte": 1e6, "gbyte": 1e9}


def measure(program, case, launches=7, skip=3):
    """Medians and spread of one case. Kernels of the harness itself (warpclock_*) are left out."""
    command = ["ncu", "--csv", "--clock-control", "none", "--cache-control", "all", "--metrics", METRICS,
               "--kernel-name", r"regex:^(?!warpclock_)", "--launch-skip", str(skip), "--launch-count", str(launches),
               program, "run", case.kernel, *case.axis_flags(), "--device", "cuda:0", "--cover", "none",
               "--trace", "off", "--verify", "off", "--cache", "warm", "--ceilings", "off", "--settle-time", "10ms",
               "--samples", str(launches + skip), "-q"]
    if case.kernel in ("empty", "cycles"):  # oracles are kernels of the harness
        command[command.index(r"regex:^(?!warpclock_)")] = f"regex:warpclock_{case.kernel}"
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    rows = parse(done.stdout)
    if not rows["ns"]:
        raise RuntimeError(f"ncu gave nothing for {case.name}: {done.stderr[-300:]} {done.stdout[-500:]}")
    return {"ns": statistics.median(rows["ns"]), "ns_min": min(rows["ns"]), "ns_max": max(rows["ns"]),
            "mhz": statistics.median(rows["mhz"]) if rows["mhz"] else None,
            "dram_read": statistics.median(rows["read"]) if rows["read"] else None,
            "dram_write": statistics.median(rows["write"]) if rows["write"] else None, "launches": len(rows["ns"])}


def parse(text):
    start = text.find('"ID"')
    out = {"ns": [], "mhz": [], "read": [], "write": []}
    if start < 0:
        return out
    for row in csv.DictReader(io.StringIO(text[start:])):
        value, unit = float(row["Metric Value"].replace(",", "")), row["Metric Unit"].lower()
        name = row["Metric Name"]
        if name.startswith("gpu__time_duration"):
            out["ns"].append(value * UNITS_NS[unit])
        elif name.startswith("smsp__cycles_elapsed"):
            out["mhz"].append(value * UNITS_MHZ[unit])
        elif name.startswith("dram__bytes_read"):
            out["read"].append(value * UNITS_BYTES[unit])
        elif name.startswith("dram__bytes_write"):
            out["write"].append(value * UNITS_BYTES[unit])
    return out
