// Seeded inputs: distribution, reproducibility, independence of copies.
#include "verify/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace warpclock {
namespace {

constexpr std::uint64_t tile_size = 1U << 20U;

std::vector<double> draw(Data data, std::size_t count = 100'000, DType type = DType::fp32, std::uint64_t seed = 1) {
  std::vector<double> values(count);
  InputTile(type, data, seed, count).values(0, 0, values);
  return values;
}

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double variance(const std::vector<double>& x) {
  const double m = mean(x);
  double sum = 0;
  for (const double v : x) sum += (v - m) * (v - m);
  return sum / static_cast<double>(x.size());
}

double below(const std::vector<double>& x, double limit) {
  const auto count = std::count_if(x.begin(), x.end(), [&](double v) { return v < limit; });
  return static_cast<double>(count) / static_cast<double>(x.size());
}

// Bounds are five standard errors for 100 000 draws; the seed is fixed, so the test does not flicker.
TEST(Inputs, NormalHasMeanZeroVarianceOneAndNormalTails) {
  const auto x = draw(Data::normal);
  EXPECT_NEAR(mean(x), 0, 0.016);
  EXPECT_NEAR(variance(x), 1, 0.023);
  EXPECT_NEAR(below(x, -1), 0.158655, 0.006);  // a uniform of the same variance has 0.21 there
  EXPECT_NEAR(below(x, 2), 0.977250, 0.003);
}

TEST(Inputs, UniformFillsItsRange) {
  const auto x = draw(Data::uniform);
  EXPECT_NEAR(mean(x), 0, 0.01);
  EXPECT_NEAR(variance(x), 1.0 / 3, 0.006);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -1);
  EXPECT_LE(*std::max_element(x.begin(), x.end()), 1);
}

TEST(Inputs, IntsAreTheNineWholeNumbersAboutEquallyOften) {
  const auto x = draw(Data::ints);
  for (int value = -4; value <= 4; ++value) {
    EXPECT_NEAR(static_cast<double>(std::count(x.begin(), x.end(), value)) / 100'000, 1.0 / 9, 0.005) << value;
  }
}

TEST(Inputs, OnesAndZerosAreWhatTheySay) {
  EXPECT_EQ(draw(Data::ones, 1000), std::vector<double>(1000, 1.0));
  EXPECT_EQ(draw(Data::zeros, 1000), std::vector<double>(1000, 0.0));
}

TEST(Inputs, IntegerTypesGetMoreThanAFewDistinctValues) {
  auto x = draw(Data::normal, 10'000, DType::int8);
  std::sort(x.begin(), x.end());
  EXPECT_GT(std::unique(x.begin(), x.end()) - x.begin(), 60);
}

TEST(Inputs, TheSeedDecides) {
  EXPECT_EQ(draw(Data::normal, 1000), draw(Data::normal, 1000));
  EXPECT_NE(draw(Data::normal, 1000), draw(Data::normal, 1000, DType::fp32, 2));
}

// A reference reads small pieces of what was written as a whole; a shift that depended on where a piece starts would
// make every right kernel wrong.
TEST(Inputs, AnyPieceIsTheSameAsInTheWhole) {
  const std::uint64_t count = 2 * tile_size + 1000;
  const InputTile tile(DType::fp32, Data::normal, 3, count);
  std::vector<std::byte> bytes(count * 4);
  tile.write(5, 0, bytes);
  std::vector<double> whole(count);
  decode(DType::fp32, bytes, whole);
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, tile_size - 3, tile_size, 2 * tile_size - 500}) {
    std::vector<double> piece(1000);
    tile.values(5, first, piece);
    ASSERT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + static_cast<std::ptrdiff_t>(first))) << first;
  }
}

// The same data in every copy, or at the same place of every turn through the tile, could be recognised and cached.
TEST(Inputs, StreamsAndTurnsThroughTheTileDiffer) {
  const InputTile tile(DType::fp32, Data::normal, 1, 3 * tile_size);
  std::vector<double> a(1000), b(1000), c(1000);
  tile.values(0, 0, a);
  tile.values(1, 0, b);
  tile.values(0, tile_size, c);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
}

}  // namespace
}  // namespace warpclock
