// The columns of the samples are figures without names: shifted by one, or one column for another, they would still be
// plausible.
#include "store/sample_columns.hpp"

#include <limits>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::store {
namespace {

SampleViews views_of(const SampleColumns& columns) {
  SampleViews out;
  for (std::size_t i = 0; i < columns.size(); ++i) out.at(i) = columns.at(i);
  return out;
}

TEST(SampleColumns, RandomSamplesComeBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const auto samples = random_result(random).samples;
    const auto columns = pack(samples);
    EXPECT_TRUE(same(samples, unpack(views_of(columns), samples.size())));
  }
}

// What the documentation promises to numpy.frombuffer.
TEST(SampleColumns, EntriesAreLittleEndianAndInRunOrder) {
  std::vector<Sample> samples(2);
  samples[1].call = Nanoseconds{1.0};  // 3FF0000000000000
  samples[1].copy = 0x01020304;
  samples[1].marks.set(Mark::throttled);
  const auto columns = pack(samples);
  const auto& call = columns.at(3);
  ASSERT_EQ(call.size(), 16U);
  EXPECT_EQ(std::to_integer<int>(call[15]), 0x3F);
  EXPECT_EQ(std::to_integer<int>(call[14]), 0xF0);
  EXPECT_EQ(std::to_integer<int>(columns.at(7)[4]), 0x04);
  EXPECT_EQ(std::to_integer<int>(columns.at(8)[2]), 4);
  EXPECT_TRUE(columns.at(1).empty());  // no sample has a kernel time
}

TEST(SampleColumns, ColumnsThatDoNotFitTheCountAreRefused) {
  const auto columns = pack(std::vector<Sample>(3));
  for (const std::size_t count : {0U, 2U, 4U, 4'000'000'000U}) {
    EXPECT_THROW(static_cast<void>(unpack(views_of(columns), count)), DataError) << count;
  }
  auto views = views_of(columns);
  views.at(7) = views.at(7).subspan(1);
  EXPECT_THROW(static_cast<void>(unpack(views, 3)), DataError);
  views = views_of(columns);
  const std::vector<std::byte> wrong(3, std::byte{9});
  views.at(0) = wrong;
  EXPECT_THROW(static_cast<void>(unpack(views, 3)), DataError);
}

}  // namespace
}  // namespace warpclock::store
