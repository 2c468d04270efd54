#include "stats/slope.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/errors.hpp"
#include "stats/quantiles.hpp"

namespace warpclock {
namespace {

constexpr std::size_t all_pairs = 256;  // up to so many points every pair is taken
constexpr std::size_t strides = 128;    // beyond, this many distances between the partners

void add(std::vector<double>& slopes, std::span<const double> x, std::span<const double> y, std::size_t i,
         std::size_t j) {
  if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
}

std::vector<double> pair_slopes(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::vector<double> slopes;
  const std::size_t step = n <= all_pairs ? 1 : n / strides;
  for (std::size_t distance = step; distance < n; distance += step) {
    const std::size_t every = n <= all_pairs ? 1 : std::max<std::size_t>(1, n / all_pairs);
    for (std::size_t i = 0; i + distance < n; i += every) add(slopes, x, y, i, i + distance);
  }
  return slopes;
}

double middle(std::vector<double>& v) {
  const auto half = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::ranges::nth_element(v, half);
  return v.size() % 2 == 1 ? *half : std::midpoint(*half, *std::max_element(v.begin(), half));
}

void check(std::span<const double> x, std::span<const double> y) {
  const auto finite = [](double v) { return std::isfinite(v); };
  if (x.size() != y.size()) throw UsageError("slope: x and y differ in length; pass one y for each x");
  if (!std::ranges::all_of(x, finite) || !std::ranges::all_of(y, finite)) {
    throw UsageError("slope: a value is not finite; leave out samples that carry no time");
  }
}

}  // namespace

double slope(std::span<const double> x, std::span<const double> y) {
  check(x, y);
  auto slopes = pair_slopes(x, y);
  if (slopes.empty()) throw UsageError("slope: all x are equal; measure at two different x at least");
  return middle(slopes);
}

Estimate slope_estimate(std::span<const double> x, std::span<const double> y, double level, std::uint64_t seed,
                        int resamples) {
  if (!(level > 0 && level < 1)) throw UsageError("slope: level must be in (0, 1), as in 0.95");
  if (resamples < 1) throw UsageError("slope: resamples must be at least 1");
  const double value = slope(x, y);
  const std::size_t n = x.size();
  std::mt19937_64 random(seed);
  std::vector<double> found;
  std::vector<double> xs(n);
  std::vector<double> ys(n);
  for (int round = 0; round < resamples; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t pick = random() % n;  // not a std distribution: those differ between standard libraries
      xs[i] = x[pick];
      ys[i] = y[pick];
    }
    auto slopes = pair_slopes(xs, ys);
    if (!slopes.empty()) found.push_back(middle(slopes));  // a draw of one x alone says nothing
  }
  found.push_back(value);
  return {.value = value,
          .low = std::min(value, quantile(found, (1 - level) / 2)),
          .high = std::max(value, quantile(found, (1 + level) / 2)),
          .level = level,
          .samples = n,
          .effective_samples = static_cast<double>(n)};
}

}  // namespace warpclock
