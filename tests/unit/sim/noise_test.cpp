// The noise is what the script says it is. Bounds are four standard errors of the quantity, seeds are fixed.
#include "backends/sim/noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "script.hpp"

namespace warpclock::sim {
namespace {

constexpr int n = 40'000;

std::vector<double> draw(const SimNoise& noise, std::uint64_t seed = 1) {
  NoiseSource source(seed);
  std::vector<double> factors(n);
  std::generate(factors.begin(), factors.end(), [&] { return source.factor(noise, seconds(0)); });
  return factors;
}

double mean(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / n; }

double correlation(const std::vector<double>& x, std::size_t lag) {
  const double m = mean(x);
  double own = 0;
  double lagged = 0;
  for (std::size_t i = 0; i < x.size(); ++i) own += (x[i] - m) * (x[i] - m);
  for (std::size_t i = lag; i < x.size(); ++i) lagged += (x[i] - m) * (x[i - lag] - m);
  return lagged / own;
}

double deviation(const std::vector<double>& x) {
  const double m = mean(x);
  double sum = 0;
  for (const double value : x) sum += (value - m) * (value - m);
  return std::sqrt(sum / n);
}

TEST(SimNoise, NoneIsExactlyOne) {
  for (const double factor : draw({})) ASSERT_EQ(factor, 1);
}

TEST(SimNoise, GaussianHasMeanAndSigma) {
  const auto x = draw({.shape = SimNoise::Shape::gaussian, .sigma = 0.02});
  EXPECT_NEAR(mean(x), 1, 4 * 0.02 / std::sqrt(n));
  EXPECT_NEAR(deviation(x), 0.02, 4 * 0.02 / std::sqrt(2.0 * n));
}

TEST(SimNoise, LognormalHasMedianOneAndLeansRight) {
  auto x = draw({.shape = SimNoise::Shape::lognormal, .sigma = 0.3});
  EXPECT_NEAR(mean(x), std::exp(0.3 * 0.3 / 2), 4 * 0.33 / std::sqrt(n));
  std::nth_element(x.begin(), x.begin() + n / 2, x.end());
  EXPECT_NEAR(x[n / 2], 1, 4 * 1.2533 * 0.3 / std::sqrt(n));
}

// Would catch intervals tested on samples that are less correlated than the script says.
TEST(SimNoise, NeighboursCorrelateAsConfigured) {
  for (const double rho : {-0.5, 0.0, 0.6, 0.9}) {
    const auto x = draw({.shape = SimNoise::Shape::gaussian, .sigma = 0.01, .rho = rho});
    EXPECT_NEAR(correlation(x, 1), rho, 4 * std::sqrt((1 - rho * rho) / n) + 0.002);
    EXPECT_NEAR(correlation(x, 3), rho * rho * rho, 0.05);
    EXPECT_NEAR(deviation(x), 0.01, 0.0008);  // rho must not change the spread
  }
}

TEST(SimNoise, ModesAndOutliersHaveTheirShares) {
  const auto modes = draw({.mode_share = 0.3, .mode_factor = 1.25});
  const auto second = std::count(modes.begin(), modes.end(), 1.25);
  EXPECT_EQ(second + std::count(modes.begin(), modes.end(), 1.0), n);
  EXPECT_NEAR(static_cast<double>(second) / n, 0.3, 4 * std::sqrt(0.3 * 0.7 / n));
  const auto outliers = draw({.outlier_share = 0.01, .outlier_factor = 7});
  EXPECT_NEAR(static_cast<double>(std::count(outliers.begin(), outliers.end(), 7.0)) / n, 0.01,
              4 * std::sqrt(0.01 / n));
}

TEST(SimNoise, DriftGrowsWithVirtualTime) {
  auto config = quiet();
  config.noise.drift_per_second = 0.02;
  const auto device = make_device(config);
  const auto kernel = kernel_of(microseconds(100));
  EXPECT_NEAR(time_of(*device, kernel), 100'000, 1);
  device->host_wait(seconds(5));
  EXPECT_NEAR(time_of(*device, kernel), 110'000, 1);  // the microseconds of the first one drift too
}

std::vector<double> times(SimConfig config, int probes_between = 0) {
  const auto device = make_device(std::move(config));
  std::vector<double> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(time_of(*device, kernel_of(microseconds(10))));
    for (int p = 0; p < probes_between; ++p) static_cast<void>(device->stream().probe_clock());
    device->stream().launch_empty();
  }
  return all;
}

TEST(SimNoise, SameSeedSameTimesAnotherSeedOthers) {
  auto config = quiet();
  config.noise = {.sigma = 0.05, .rho = 0.5};
  const auto first = times(config);
  EXPECT_EQ(first, times(config));
  config.seed = 2;
  EXPECT_NE(first, times(config));
}

// Would catch a test whose truth moves because the loop takes one probe more.
TEST(SimNoise, ProbesAndOraclesDoNotShiftTheNoiseOfKernels) {
  auto config = quiet();
  config.noise = {.sigma = 0.05, .rho = 0.5};
  const auto without = times(config, 0);
  config.oracle_noise.sigma = 0.2;
  config.probe_noise = 0.01;
  const auto with = times(config, 3);
  ASSERT_EQ(without.size(), with.size());
  for (std::size_t i = 0; i < with.size(); ++i) ASSERT_NEAR(with[i], without[i], exact);
}

TEST(SimNoise, AKernelMayHaveItsOwn) {
  auto config = quiet();
  config.noise = {.mode_share = 1, .mode_factor = 3};
  const auto device = make_device(config);
  auto kernel = kernel_of(microseconds(10));
  EXPECT_NEAR(time_of(*device, kernel), 30'000, exact);
  kernel.noise = SimNoise{};
  EXPECT_NEAR(time_of(*device, kernel), 10'000, exact);
  device->stream().launch_spin(microseconds(10));
  device->stream().synchronize();
  EXPECT_NEAR(device->stream().last_kernel_time().count(), 10'000, exact);
}

}  // namespace
}  // namespace warpclock::sim
