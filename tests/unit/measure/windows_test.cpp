#include "measure/windows.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

Record record(double start, double end, std::uint32_t window = 0, const std::string& name = "k") {
  return {.name = name, .kind = "kernel", .window = window, .start = Nanoseconds{start}, .end = Nanoseconds{end}};
}

// The sum of overlapping kernels is longer than any call: F53 reads 2 ms for two kernels of 1 ms side by side.
TEST(BusyTime, CountsOverlappingKernelsOnce) {
  const std::vector records{record(10, 110), record(60, 160), record(200, 230), record(70, 80)};
  EXPECT_EQ(busy_time(records).count(), 150 + 30);
}

TEST(BusyTime, OfNothingIsNothing) { EXPECT_EQ(busy_time({}).count(), 0); }

TEST(BusyTime, TakesRecordsInAnyOrder) {
  const std::vector records{record(200, 230), record(10, 110)};
  EXPECT_EQ(busy_time(records).count(), 130);
}

TEST(Attribute, GivesEachSampleTheRecordsOfItsOwnWindow) {
  std::vector<Sample> samples(2);
  std::vector<KernelSeries> kernels;
  const auto rejected = attribute(samples, {record(300, 350, 1), record(10, 110, 0)}, 1, 1, kernels);
  EXPECT_EQ(rejected, 0U);
  EXPECT_EQ(samples[0].kernel->count(), 100);
  EXPECT_EQ(samples[1].kernel->count(), 50);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].time_ns, (std::vector<double>{100, 50}));
}

// F110: a lost record would read as a kernel that takes no time, or as a call that is too short.
TEST(Attribute, RejectsASampleThatHasLostARecord) {
  std::vector<Sample> samples(2);
  std::vector<KernelSeries> kernels;
  const auto rejected =
      attribute(samples, {record(10, 110, 0), record(120, 130, 0), record(300, 350, 1)}, 2, 1, kernels);
  EXPECT_EQ(rejected, 1U);
  EXPECT_TRUE(samples[1].marks.has(Mark::bad_stamp));
  EXPECT_FALSE(samples[1].kernel.has_value());
  EXPECT_EQ(samples[0].kernel->count(), 110);
}

// F95, F110: zero and reversed stamps are counted, not clamped to a time of zero.
TEST(Attribute, RejectsZeroAndReversedStamps) {
  std::vector<Sample> samples(3);
  std::vector<KernelSeries> kernels;
  const auto rejected = attribute(samples, {record(0, 0, 0), record(500, 400, 1), record(600, 650, 2)}, 1, 1, kernels);
  EXPECT_EQ(rejected, 2U);
  EXPECT_FALSE(samples[0].kernel.has_value());
  EXPECT_FALSE(samples[1].kernel.has_value());
  EXPECT_EQ(samples[2].kernel->count(), 50);
}

TEST(Attribute, DividesByTheBatch) {
  std::vector<Sample> samples(1);
  std::vector<KernelSeries> kernels;
  attribute(samples, {record(10, 110), record(210, 310)}, 2, 2, kernels);
  EXPECT_EQ(samples[0].kernel->count(), 100);
}

// A kernel that appears late (another variant at sample 50) took no time in the samples before.
TEST(Attribute, AKernelSeenLateHasZerosBefore) {
  std::vector<Sample> samples(2);
  std::vector<KernelSeries> kernels;
  attribute(samples, {record(10, 20, 0, "a"), record(30, 40, 1, "a"), record(50, 80, 1, "b")}, 1, 1, kernels);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[1].name, "b");
  EXPECT_EQ(kernels[1].time_ns, (std::vector<double>{0, 30}));
}

}  // namespace
}  // namespace warpclock
