"""The thirteen reference cases: matrix products of a language model's width, and vector additions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    kernel: str
    axes: dict

    def axis_flags(self):
        return [flag for key, value in self.axes.items() for flag in ("--axis", f"{key}={value}")]


def gemm(m, n, k):
    return Case(f"gemm {m}x{n}x{k}", "gemm", {"M": m, "N": n, "K": k, "dtype": "bf16"})


def add(n):
    return Case(f"add {n}", "add", {"n": n})


CASES = [gemm(m, 19456, 2560) for m in (1, 2, 16, 256, 1024, 2048, 4096)]
CASES += [gemm(128, 128, 128)]
CASES += [add(n) for n in (2**10, 2**16, 2**20, 2**24, 2**27)]

# The offset of another clock is taken from these alone, never from the cases (docs/measuring.md).
ORACLES = [Case("empty", "empty", {})]
ORACLES += [Case(f"cycles {c}", "cycles", {"cycles": c}) for c in (1000, 10000, 100000)]
ORACLES += [Case(f"spin {ns} ns", "spin", {"ns": ns, "host_delay": 0}) for ns in (500, 1000, 2000, 5000, 20000, 200000, 1000000)]

# All cases in one sweep: the product of these axes, filtered down to the cases.
SWEEP_AXES = ["--axis", "M=1,2,16,128,256,1024,2048,4096", "--axis", "N=128,19456", "--axis", "K=128,2560",
              "--axis", "dtype=bf16", "--axis", "n=2^10,2^16,2^20,2^24,2^27"]
SWEEP_FILTER = r"^gemm M=(1|2|16|256|1024|2048|4096) N=19456 K=2560|^gemm M=128 N=128 K=128|^add "


def case_of(result):
    """The case that a result of warpclock belongs to, or None."""
    for case in CASES + ORACLES:
        if result["benchmark"] == case.kernel and all(result["point"].get(k) == v for k, v in case.axes.items()):
            return case
    return None
