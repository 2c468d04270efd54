#include "stats/modes.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "core/errors.hpp"
#include "stats/quantiles.hpp"

namespace warpclock {
namespace {

constexpr double smallest_share = 0.05;
constexpr double significance = 0.02;  // of one valley; the false-alarm rates in modes_test.cpp follow from it

struct Bin {
  std::size_t first = 0;  // index of its first sample
  std::size_t count = 0;
};

// Width of the shortest interval that holds a quarter of the samples: the width of a mode, however many there are.
double shortest_quarter(const std::vector<double>& order) {
  const std::size_t reach = std::max<std::size_t>(order.size() / 4, 1);
  double width = order.back() - order.front();
  for (std::size_t i = 0; i + reach < order.size(); ++i) width = std::min(width, order[i + reach] - order[i]);
  return width;
}

double bin_width(const std::vector<double>& order, double step) {
  const auto n = static_cast<double>(order.size());
  const double wanted = std::max(shortest_quarter(order) * std::max(2.0, 10 * std::pow(n, -0.25)), 2 * step);
  return step > 0 ? step * std::ceil(wanted / step) : wanted;
}

// Bins that hold something, and one empty bin for each gap: outliers cost no more than other samples.
std::vector<Bin> histogram(const std::vector<double>& order, double step, bool shifted) {
  const double width = bin_width(order, step);
  const double shift = !shifted ? 0 : step > 0 ? step * std::floor(width / step / 2) : width / 2;
  const double origin = order.front() - step / 2 - shift;  // values on the timer's grid then lie inside of bins
  std::vector<Bin> bins;
  if (width <= 0) return bins;
  double last = -1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double index = std::floor((order[i] - origin) / width);
    if (i > 0 && index > last + 1) bins.push_back({i, 0});
    if (i == 0 || index > last) bins.push_back({i, 0});
    ++bins.back().count;
    last = index;
  }
  return bins;
}

// Would equal densities leave so little in the valley? Given the sum of both counts the smaller is binomial.
bool separates(std::size_t left_peak, std::size_t valley, std::size_t right_peak) {
  const std::size_t peak = std::min(left_peak, right_peak);
  if (2 * valley >= peak) return false;
  const boost::math::binomial coin(static_cast<double>(peak + valley), 0.5);
  return cdf(coin, static_cast<double>(valley)) < significance;
}

// Indices at which the samples are cut, 0 and n included.
std::vector<std::size_t> cuts(const std::vector<Bin>& bins, std::size_t n) {
  std::vector<std::size_t> result{0};
  std::size_t peak = 0;
  Bin valley;
  for (const Bin& bin : bins) {
    if (separates(peak, valley.count, bin.count)) {
      result.push_back(valley.first + valley.count / 2);
      peak = bin.count;
      valley = bin;
    } else if (bin.count >= peak) {
      peak = bin.count;
      valley = bin;
    } else if (bin.count < valley.count) {
      valley = bin;
    }
  }
  result.push_back(n);
  return result;
}

// A cluster too small to be a mode joins the one before it, or, the first one, the one after it.
void join_small(std::vector<std::size_t>& cut) {
  const double least = smallest_share * static_cast<double>(cut.back());
  for (std::size_t i = 0; cut.size() > 2 && i + 1 < cut.size();) {
    if (static_cast<double>(cut[i + 1] - cut[i]) >= least) {
      ++i;
    } else {
      cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(i == 0 ? 1 : i));
      if (i > 0) --i;
    }
  }
}

}  // namespace

std::vector<Mode> modes(std::span<const double> x, double step) {
  if (!(step >= 0)) throw UsageError("modes: the timer step must not be negative; pass 0 where there is none");
  const auto order = sorted(x);
  // A mode that a bin's edge halves in one histogram lies within a bin of the one shifted by half a bin.
  auto cut = cuts(histogram(order, step, false), order.size());
  auto other = cuts(histogram(order, step, true), order.size());
  join_small(cut);
  join_small(other);
  if (other.size() > cut.size()) cut = other;
  std::vector<Mode> result;
  for (std::size_t i = 0; i + 1 < cut.size(); ++i) {
    const auto cluster = std::span(order).subspan(cut[i], cut[i + 1] - cut[i]);
    result.push_back({.center = quantile(cluster, 0.5),
                      .share = static_cast<double>(cluster.size()) / static_cast<double>(order.size())});
  }
  return result;
}

}  // namespace warpclock
