#include "stats/quantiles.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace warpclock {
namespace {

void check(std::span<const double> x) {
  if (x.empty()) throw UsageError("statistics: no samples; take at least one");
  if (!std::ranges::all_of(x, [](double v) { return std::isfinite(v); })) {
    throw UsageError("statistics: a sample is not finite; leave out samples that carry no time");
  }
}

void check(double p) {
  if (!(p >= 0 && p <= 1)) throw UsageError("quantile: p must be in [0, 1]; pass a probability, not a percentage");
}

double at(const std::vector<double>& order, double p) {
  check(p);
  const double position = p * static_cast<double>(order.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, order.size() - 1);
  // std::lerp is exact where both ends are equal, so constant input gives the constant.
  return std::lerp(order[below], order[above], position - static_cast<double>(below));
}

// About the first value, so that n equal values have exactly that mean; the clamp takes rounding away.
double mean(const std::vector<double>& order) {
  double sum = 0;
  for (const double v : order) sum += v - order.front();
  return std::clamp(order.front() + sum / static_cast<double>(order.size()), order.front(), order.back());
}

}  // namespace

std::vector<double> sorted(std::span<const double> x) {
  check(x);
  std::vector<double> order(x.begin(), x.end());
  if (!std::ranges::is_sorted(order)) std::ranges::sort(order);
  return order;
}

// By selection instead of sorting; the same arithmetic as at().
double quantile(std::span<const double> x, double p) {
  check(x);
  check(p);
  std::vector<double> v(x.begin(), x.end());
  const double position = p * static_cast<double>(v.size() - 1);
  const auto below = v.begin() + static_cast<std::ptrdiff_t>(position);
  std::ranges::nth_element(v, below);
  const auto above = below + 1 == v.end() ? below : std::min_element(below + 1, v.end());
  return std::lerp(*below, *above, position - std::floor(position));
}

std::vector<double> quantiles(std::span<const double> x, std::span<const double> p) {
  const auto order = sorted(x);
  std::vector<double> result;
  for (const double one : p) result.push_back(at(order, one));
  return result;
}

Spread spread(std::span<const double> x) {
  const auto order = sorted(x);
  const double center = at(order, 0.5);
  std::vector<double> deviations;
  deviations.reserve(order.size());
  for (const double v : order) deviations.push_back(std::abs(v - center));
  return {.min = order.front(),
          .p5 = at(order, 0.05),
          .p25 = at(order, 0.25),
          .p75 = at(order, 0.75),
          .p95 = at(order, 0.95),
          .max = order.back(),
          .mean = mean(order),
          .mad = quantile(deviations, 0.5)};
}

}  // namespace warpclock
