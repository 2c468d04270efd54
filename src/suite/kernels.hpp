// The families of the suite, one function each; constants that every backend's kernels share.
#pragma once

#include <cstdint>

#include "suite/kernel.hpp"

namespace warpclock {

/// y[M, N] = A[M, K] B[N, K]^T, row-major. Operands: A, B, y. Storage: tf32 is held as fp32; fp8 is e4m3 with y in
/// bf16.
[[nodiscard]] KernelFamily gemm_family();

/// z = x + y over n fp32. Operands: x, y, z.
[[nodiscard]] KernelFamily add_family();
/// y = x over n fp32. Operands: x, y.
[[nodiscard]] KernelFamily copy_family();
/// y = fill_value over n fp32. Operands: y.
[[nodiscard]] KernelFamily fill_family();
inline constexpr float fill_value = 1.5F;
/// x = 2 x in place over n fp32. Operands: x.
[[nodiscard]] KernelFamily scale_family();

/// sums[c] = sum of the fp32 x[c * read_chunk, (c + 1) * read_chunk), the last chunk ending at n. Operands: x, sums.
[[nodiscard]] KernelFamily read_family();
inline constexpr std::uint64_t read_chunk = 4096;

/// y[r, c] = x[r, c] w[c] / sqrt(mean of x[r, .]^2 + rmsnorm_epsilon), fp32. Operands: x, w, y.
[[nodiscard]] KernelFamily rmsnorm_family();
inline constexpr float rmsnorm_epsilon = 1e-6F;
/// y[r, c] = exp(x[r, c]) / sum of exp(x[r, .]), fp32, without overflow for any x. Operands: x, y.
[[nodiscard]] KernelFamily softmax_family();

/// Oracles: their time is known, they run on every device, and they have no operands.
[[nodiscard]] Benchmark empty_oracle();
[[nodiscard]] Benchmark spin_oracle();
[[nodiscard]] Benchmark cycles_oracle();
[[nodiscard]] Benchmark chain_oracle();

}  // namespace warpclock
