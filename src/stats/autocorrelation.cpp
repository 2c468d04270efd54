#include "stats/autocorrelation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/quantiles.hpp"

namespace warpclock {
namespace {

constexpr std::size_t longest = 4096;     // of a series whose autocorrelation is summed lag by lag
constexpr double standard_errors = 0.75;  // chosen so that the simulated coverage in median.hpp is reached

std::vector<double> centred(std::span<const double> x) {
  std::vector<double> c(x.begin(), x.end());
  // Against the first value: n equal values then give exact zeros whatever their size.
  for (double& v : c) v -= x.front();
  const double mean = std::accumulate(c.begin(), c.end(), 0.0) / static_cast<double>(c.size());
  for (double& v : c) v -= mean;
  return c;
}

double product(const std::vector<double>& c, std::size_t lag) {
  return std::inner_product(c.begin() + static_cast<std::ptrdiff_t>(lag), c.end(), c.begin(), 0.0);
}

double variance(const std::vector<double>& c) { return product(c, 0) / static_cast<double>(c.size()); }

// Means of consecutive values, two by two, until the series is short; the last odd value is left out.
std::vector<double> folded(std::vector<double> c) {
  while (c.size() > longest) {
    const std::size_t half = c.size() / 2;
    for (std::size_t i = 0; i < half; ++i) c[i] = (c[2 * i] + c[2 * i + 1]) / 2;
    c.resize(half);
  }
  return c;
}

// Autocorrelations of one series, each worked out when it is first asked for.
class Lags {
 public:
  explicit Lags(const std::vector<double>& c) : c_(c), at_zero_(variance(c)) {}

  double operator()(std::size_t lag) {
    while (known_.size() <= lag) {
      const auto terms = static_cast<double>(c_.size() - known_.size());
      known_.push_back(product(c_, known_.size()) / terms / at_zero_);
    }
    return known_[lag];
  }

 private:
  const std::vector<double>& c_;
  double at_zero_;
  std::vector<double> known_;
};

// Geyer's initial positive monotone sequence; `bias` is what centring took from each autocorrelation.
double geyer_sum(Lags& lags, std::size_t max_lag, double bias) {
  double sum = 0;
  double previous = 2;
  for (std::size_t k = 0; k + 1 <= max_lag; k += 2) {
    const double pair = (k == 0 ? 1.0 : lags(k) + bias) + lags(k + 1) + bias;
    if (pair <= 0) break;
    previous = std::min(previous, pair);
    sum += previous;
  }
  return std::max(1.0, 2 * sum - 1);
}

// Centring lowers every autocorrelation by about inflation / n, so the inflation is found as a fixed point.
double geyer(const std::vector<double>& c) {
  const auto n = static_cast<double>(c.size());
  if (variance(c) <= 0) return 1;
  Lags lags(c);
  double inflation = 1;
  for (int round = 0; round < 5; ++round) {
    const double next = std::min(geyer_sum(lags, c.size() / 2, inflation / n), n / 2);
    if (std::abs(next - inflation) < 1e-3) return next;
    inflation = next;
  }
  return inflation;
}

}  // namespace

std::vector<double> autocorrelation(std::span<const double> x, std::size_t max_lag) {
  static_cast<void>(sorted(x));  // the checks
  const auto c = centred(x);
  const double at_zero = product(c, 0);
  std::vector<double> result{1};
  for (std::size_t k = 1; k <= std::min(max_lag, x.size() - 1); ++k) {
    result.push_back(at_zero > 0 ? product(c, k) / at_zero : 0);
  }
  return result;
}

double variance_inflation(std::span<const double> x) {
  if (x.size() < 4) return 1;
  const auto n = static_cast<double>(x.size());
  const auto c = centred(x);
  const double before = variance(c);
  if (before <= 0) return 1;

  const auto f = folded(c);
  const double fold = std::floor(n / static_cast<double>(f.size()));
  const double inflation = std::clamp(fold * variance(f) / before * geyer(f), 1.0, n / 2);

  const double lag1 = product(c, 1) / (n - 1) / before + inflation / n + standard_errors / std::sqrt(n);
  const double chain = lag1 <= 0 ? 1 : (1 + std::min(lag1, 0.98)) / (1 - std::min(lag1, 0.98));
  return std::min(std::max(inflation, chain), n / 2);
}

double effective_samples(std::span<const double> x) {
  const double center = quantile(x, 0.5);
  std::vector<double> signs;
  signs.reserve(x.size());
  for (const double v : x) signs.push_back(static_cast<double>(v > center) - static_cast<double>(v < center));
  return static_cast<double>(x.size()) / variance_inflation(signs);
}

}  // namespace warpclock
