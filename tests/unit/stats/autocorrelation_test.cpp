// Wrong numbers these catch: dependence not seen, or seen where there is none.
#include "stats/autocorrelation.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/errors.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

TEST(Autocorrelation, ByHand) {
  const auto r = autocorrelation(std::array{1.0, 2.0, 3.0, 4.0}, 9);  // centred -1.5 -0.5 0.5 1.5
  ASSERT_EQ(r.size(), 4U);                                            // capped at n - 1
  EXPECT_DOUBLE_EQ(r[0], 1);
  EXPECT_DOUBLE_EQ(r[1], 0.25);   // (0.75 - 0.25 + 0.75) / 5
  EXPECT_DOUBLE_EQ(r[2], -0.3);   // (-0.75 - 0.75) / 5
  EXPECT_DOUBLE_EQ(r[3], -0.45);  // -2.25 / 5
}

TEST(Autocorrelation, OfEqualValuesIsZeroAndNotNaN) {
  EXPECT_EQ(autocorrelation(std::vector<double>(5, 0.1), 2), (std::vector<double>{1, 0, 0}));
}

TEST(Autocorrelation, OfAChainFallsGeometrically) {
  const auto r = autocorrelation(test::Streams(1).chain(200'000, 0.8), 4);
  EXPECT_NEAR(r[1], 0.8, 0.02);
  EXPECT_NEAR(r[4], 0.4096, 0.03);
}

// 9 = (1 + rho) / (1 - rho). At 100,000 the series is folded: a lost factor there would be off by 16 or more.
TEST(VarianceInflation, OfAChainIsTheKnownOneBothPlainAndFolded) {
  test::Streams streams(2);
  EXPECT_NEAR(variance_inflation(streams.chain(4'000, 0.8)), 9, 2);
  EXPECT_NEAR(variance_inflation(streams.chain(100'000, 0.8)), 9, 2);
  EXPECT_NEAR(variance_inflation(streams.chain(100'000, 0)), 1, 0.2);
}

TEST(EffectiveSamples, AlternatingSamplesAreNotWorthMoreThanTheyAre) {
  std::vector<double> x(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 1 : 2;
  EXPECT_EQ(effective_samples(x), 100);
}

// Signs of a normal chain with rho 0.8 correlate as 2/pi asin(0.8^k): the sum over both sides is 6.4, by series.
TEST(EffectiveSamples, OfAChainFollowFromItsSigns) {
  EXPECT_NEAR(effective_samples(test::Streams(3).chain(100'000, 0.8)), 100'000 / 6.4, 2500);
}

TEST(EffectiveSamples, OneChangeOfLevelLeavesHardlyAny) {
  std::vector<double> x(200, 1.0);
  std::fill(x.begin() + 100, x.end(), 2.0);
  EXPECT_LT(effective_samples(x), 5);
}

TEST(EffectiveSamples, OfEqualValuesAreAllOfThem) { EXPECT_EQ(effective_samples(std::vector<double>(50, 3.0)), 50); }

TEST(EffectiveSamples, RefuseNothing) { EXPECT_THROW(static_cast<void>(effective_samples({})), UsageError); }

}  // namespace
}  // namespace warpclock
