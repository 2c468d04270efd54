// Prints the seconds that one full summary of n samples takes.   usage: stats_cost N
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "stats/summary.hpp"

namespace {

/// Skewed, dependent and quantised, as the times of a kernel are: AR(1) of 0.5 under a log-normal, in steps of 32 ns.
std::vector<double> kernel_like(std::size_t n) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> samples(n);
  double state = 0;
  for (auto& sample : samples) {
    state = 0.5 * state + normal(random);
    sample = 32 * std::round(10'000 * std::exp(0.01 * state) / 32);
  }
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  const auto n = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (n == 0) {
    fmt::print(stderr, "usage: stats_cost N    (N samples, at least 1)\n");
    return 2;
  }
  const auto samples = kernel_like(n);
  const auto start = std::chrono::steady_clock::now();
  const auto summary = warpclock::summarise(samples, 0.95, 32);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print("{}\n", elapsed.count());
  return summary.median.value > 0 ? 0 : 1;
}
