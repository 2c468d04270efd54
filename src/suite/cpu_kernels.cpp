// The kernels of the suite for one core of a CPU.
#include "suite/cpu_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "suite/kernels.hpp"

namespace warpclock::cpu {
namespace {

// Sum of f(x[i]) in 16 lanes: the compiler may not reorder a float sum by itself, and a single one would wait for its
// own latency. The lanes are also more accurate than one long sum.
template <typename Function>
float lane_sum(const float* __restrict x, std::uint64_t n, Function f) {
  constexpr std::uint64_t lanes = 16;
  std::array<float, lanes> sums{};
  std::uint64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::uint64_t lane = 0; lane < lanes; ++lane) sums[lane] += f(x[i + lane]);
  }
  for (std::uint64_t lane = 0; i < n; ++i, ++lane) sums[lane] += f(x[i]);
  for (std::uint64_t half = lanes / 2; half > 0; half /= 2) {
    for (std::uint64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

}  // namespace

void add(const float* __restrict x, const float* __restrict y, float* __restrict z, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

void copy(const float* __restrict x, float* __restrict y, std::uint64_t n) { std::memcpy(y, x, n * sizeof(float)); }

void fill(float* y, std::uint64_t n) { std::fill_n(y, n, fill_value); }

void scale(float* x, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) x[i] *= 2;
}

void read(const float* __restrict x, float* __restrict sums, std::uint64_t n) {
  for (std::uint64_t begin = 0, chunk = 0; begin < n; begin += read_chunk, ++chunk) {
    sums[chunk] = lane_sum(x + begin, std::min(read_chunk, n - begin), [](float value) { return value; });
  }
}

void rmsnorm(const float* __restrict x, const float* __restrict w, float* __restrict y, std::uint64_t rows,
             std::uint64_t cols) {
  for (std::uint64_t row = 0; row < rows; ++row, x += cols, y += cols) {
    const float squares = lane_sum(x, cols, [](float value) { return value * value; });
    const float factor = 1 / std::sqrt(squares / static_cast<float>(cols) + rmsnorm_epsilon);
    for (std::uint64_t i = 0; i < cols; ++i) y[i] = x[i] * factor * w[i];
  }
}

void softmax(const float* __restrict x, float* __restrict y, std::uint64_t rows, std::uint64_t cols) {
  for (std::uint64_t row = 0; row < rows; ++row, x += cols, y += cols) {
    const float largest = *std::max_element(x, x + cols);
    for (std::uint64_t i = 0; i < cols; ++i) y[i] = std::exp(x[i] - largest);
    const float factor = 1 / lane_sum(y, cols, [](float value) { return value; });
    for (std::uint64_t i = 0; i < cols; ++i) y[i] *= factor;
  }
}

}  // namespace warpclock::cpu
