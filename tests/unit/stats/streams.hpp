// Seeded streams of numbers that the tests of stats share.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace warpclock::test {

/// One generator a test: the order of the draws is part of the test.
class Streams {
 public:
  explicit Streams(std::uint64_t seed) : random_(seed) {}

  double normal() { return normal_(random_); }
  double exponential() { return exponential_(random_); }
  double uniform() { return uniform_(random_); }

  /// Stationary first-order chain with a standard normal margin; rho 0 is independent.
  std::vector<double> chain(std::size_t n, double rho) {
    std::vector<double> x(n);
    double state = normal();
    for (double& v : x) {
      v = state;
      state = rho * state + std::sqrt(1 - rho * rho) * normal();
    }
    return x;
  }

  /// The same with an exponential margin of mean 1 (its median is log 2).
  std::vector<double> exponential_chain(std::size_t n, double rho) {
    auto x = chain(n, rho);
    for (double& v : x) v = -std::log(std::erfc(v / std::sqrt(2.0)) / 2);
    return x;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::exponential_distribution<double> exponential_;
  std::uniform_real_distribution<double> uniform_;
};

/// To the grid of a timer.
inline double quantised(double v, double step) { return step * std::round(v / step); }

}  // namespace warpclock::test
