// Prints what each part of the statistics costs on 10^6 samples of four kinds, in milliseconds.   usage: stats_bench
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stats/median.hpp"
#include "stats/modes.hpp"
#include "stats/quantiles.hpp"
#include "stats/stopping.hpp"
#include "stats/summary.hpp"
#include "stats/trend.hpp"

namespace {

constexpr std::size_t n = 1'000'000;
constexpr double step = 32;

/// AR(1) of 0.5 under a log-normal on the timer's grid, heavy tails, drift, and one value.
std::vector<std::pair<std::string, std::vector<double>>> streams() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> kernel(n), cauchy(n), drift(n);
  double state = 0;
  for (std::size_t i = 0; i < n; ++i) {
    state = 0.5 * state + normal(random);
    kernel[i] = step * std::round(10'000 * std::exp(0.01 * state) / step);
    cauchy[i] = normal(random) / normal(random);
    drift[i] = 10'000 + 0.01 * static_cast<double>(i) + 50 * normal(random);
  }
  return {{"kernel-like", kernel}, {"Cauchy", cauchy}, {"drift", drift}, {"constant", std::vector<double>(n, 2496)}};
}

template <typename Call>
double milliseconds(Call call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Every look of the grid up to n: neither a target nor a plateau ends it, save for an interval that is a point.
void look_to_the_end(const std::vector<double>& x) {
  warpclock::Stopping stopping({.precision = 0, .plateau = 0});
  for (const double v : x) stopping.add(v);
}

}  // namespace

int main() {
  using namespace warpclock;
  fmt::print("{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "10^6 samples", "summary", "spread", "median", "modes",
             "trend", "stopping");
  for (const auto& [name, x] : streams()) {
    fmt::print("{:<12} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", name,
               milliseconds([&] { static_cast<void>(summarise(x, 0.95, step)); }),
               milliseconds([&] { static_cast<void>(spread(x)); }),
               milliseconds([&] { static_cast<void>(median_of_series(x)); }),
               milliseconds([&] { static_cast<void>(modes(x, step)); }),
               milliseconds([&] { static_cast<void>(trend(x)); }), milliseconds([&] { look_to_the_end(x); }));
  }
}
