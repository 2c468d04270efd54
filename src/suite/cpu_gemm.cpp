// gemm for the CPU, through OpenBLAS.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "suite/cpu_kernels.hpp"

namespace warpclock::cpu {

void gemm(const float* a, const float* b, float* y, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<blasint>::max());
  if (std::max({m, n, k}) > largest) {
    throw UsageError(fmt::format("gemm: OpenBLAS takes sizes up to {}, not M={} N={} K={}", largest, m, n, k));
  }
  const auto rows = static_cast<blasint>(m), columns = static_cast<blasint>(n), depth = static_cast<blasint>(k);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, columns, depth, 1.0F, a, depth, b, depth, 0.0F, y,
              columns);
}

}  // namespace warpclock::cpu
