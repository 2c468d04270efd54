// Work of known duration on the calling thread.
#include "backends/cpu/oracles.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "backends/cpu/clock.hpp"

namespace warpclock::cpu {
namespace {

// One addition that the compiler can neither drop nor merge. Both operands are registers: additions of a constant are
// folded at rename on recent cores (Golden Cove and later) and would take no cycle at all.
inline void add_once(std::uint64_t& sum, std::uint64_t& step) {
  sum += step;
  asm volatile("" : "+r"(sum), "+r"(step));
}

void square_matmul(std::int64_t n, const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c) {
  const auto size = static_cast<blasint>(n);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0F, a.data(), size, b.data(), size, 0.0F,
              c.data(), size);
}

}  // namespace

void dependent_adds(std::uint64_t n) {
  std::uint64_t sum = 0;
  std::uint64_t step = 1;
  asm volatile("" : "+r"(sum), "+r"(step));
  for (std::uint64_t i = 0; i < n / 16; ++i) {
    add_once(sum, step), add_once(sum, step), add_once(sum, step), add_once(sum, step);
    add_once(sum, step), add_once(sum, step), add_once(sum, step), add_once(sum, step);
    add_once(sum, step), add_once(sum, step), add_once(sum, step), add_once(sum, step);
    add_once(sum, step), add_once(sum, step), add_once(sum, step), add_once(sum, step);
  }
  for (std::uint64_t i = 0; i < n % 16; ++i) add_once(sum, step);
}

double effective_mhz() {
  constexpr std::uint64_t adds = 16'384;  // some 5 us: long against the 20 to 30 ns of a clock reading
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto start = Clock::now();
    dependent_adds(adds);
    const Nanoseconds took = Clock::now() - start;
    if (took.count() > 0) best = std::max(best, static_cast<double>(adds) / took.count() * 1e3);
  }
  return best;
}

CoverMatmul::CoverMatmul() {
  constexpr std::int64_t trial = 256;
  constexpr Nanoseconds target = milliseconds(60);
  const auto allocate = [this](std::int64_t n) {
    const auto elements = static_cast<std::size_t>(n * n);
    a_.assign(elements, 0.5F), b_.assign(elements, 0.25F), c_.assign(elements, 0.0F);
  };
  allocate(trial);
  square_matmul(trial, a_, b_, c_);  // first call: threads and work space
  const auto start = Clock::now();
  square_matmul(trial, a_, b_, c_);
  const Nanoseconds took = std::max<Nanoseconds>(Clock::now() - start, Nanoseconds{1});
  const double fitting = static_cast<double>(trial) * std::cbrt(target / took);
  size_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(fitting) / 64 * 64, 64, 4096);
  allocate(size_);
}

void CoverMatmul::run() { square_matmul(size_, a_, b_, c_); }

}  // namespace warpclock::cpu
