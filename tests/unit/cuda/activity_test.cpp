// Which record belongs to which call: a record in the wrong window is a wrong kernel time (F108, F110).
#include "backends/cuda/activity.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warpclock::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t own = 13, side = 14;

/// A log written by hand: every entry gets the next correlation id, as the calls that enqueue do.
class Log {
 public:
  void open(std::uint32_t sequence, std::uint64_t start) { marker(window_open_kernel, sequence, start); }
  void close(std::uint32_t sequence, std::uint64_t start) { marker(window_close_kernel, sequence, start); }
  void kernel(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t stream = own) {
    add({.name = name, .start = start, .end = end, .stream = stream, .block_threads = 256});
  }
  void add(Activity a) {
    a.correlation = ++correlation_;
    log_.push_back(std::move(a));
  }
  /// Names and windows of what is found, in its order: "a@7".
  [[nodiscard]] std::vector<std::string> sorted(const std::vector<std::uint32_t>& windows) const {
    std::vector<std::string> out;
    for (const Record& r : sort_into_windows(log_, windows, own))
      out.push_back(r.name + "@" + std::to_string(r.window));
    return out;
  }
  std::vector<Activity>& entries() { return log_; }

 private:
  void marker(const char* name, std::uint32_t sequence, std::uint64_t start) {
    add({.name = name,
         .start = start,
         .end = start + 1,
         .stream = own,
         .block_threads = window_marker_threads(sequence)});
  }
  std::vector<Activity> log_;
  std::uint32_t correlation_ = 0;
};

TEST(Windows, WorkBetweenTheMarkersCountsAndWorkAroundThemDoesNot) {  // else a flush would count as kernel time
  Log log;
  log.kernel("flush", 100, 190);
  log.open(0, 200);
  log.kernel("a", 210, 290);
  log.close(0, 300);
  log.kernel("poison", 310, 390);
  log.open(1, 400);
  log.kernel("b", 410, 490);
  log.close(1, 500);
  EXPECT_THAT(log.sorted({7, 8}), ElementsAre("a@7", "b@8"));
}

TEST(Windows, OrderOfTheLogDoesNotMatter) {  // CUPTI's buffers come in any order
  Log log;
  log.open(0, 200);
  log.kernel("a", 210, 290);
  log.kernel("b", 291, 295);
  log.close(0, 300);
  std::reverse(log.entries().begin(), log.entries().end());
  EXPECT_THAT(log.sorted({3}), ElementsAre("a@3", "b@3"));
}

TEST(Windows, LateSideStreamWorkBelongsToTheCallThatEnqueuedIt) {  // else the next call would be charged with it
  Log log;
  log.open(0, 200);
  log.kernel("late", 450, 490, side);
  log.close(0, 300);
  log.open(1, 400);
  log.close(1, 500);
  EXPECT_THAT(log.sorted({0, 1}), ElementsAre("late@0"));
}

TEST(Windows, GraphBranchWithAForeignCorrelationIdIsPlacedByTime) {  // CUPTI 13.0 gives graphs wrong ids
  Log log;
  log.open(0, 200);
  log.close(0, 300);
  log.open(1, 400);
  log.close(1, 500);
  log.kernel("branch", 410, 490, side);
  log.entries().back().correlation = 900;
  EXPECT_THAT(log.sorted({0, 1}), ElementsAre("branch@1"));
}

TEST(Windows, ZeroStampsKeepTheirWindowAndStayZero) {  // so that they are counted as broken, not lost
  Log log;
  log.open(0, 200);
  log.kernel("a", 0, 0);
  log.close(0, 300);
  const std::vector<std::uint32_t> windows{5};
  const auto records = sort_into_windows(log.entries(), windows, own);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].window, 5u);
  EXPECT_EQ(records[0].start, Nanoseconds{0});
  EXPECT_EQ(records[0].end, Nanoseconds{0});
}

TEST(Windows, StampsSince1970KeepTheirNanoseconds) {  // as doubles they step by 256 ns: 0.9 us would read 0.77 or 1.02
  constexpr std::uint64_t now = 1'796'000'000'000'000'000;
  Log log;
  log.open(0, now);
  log.kernel("a", now + 100, now + 1'013);
  log.close(0, now + 2'000);
  const std::vector<std::uint32_t> windows{0};
  const auto records = sort_into_windows(log.entries(), windows, own);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ((records[0].end - records[0].start).count(), 913);
}

TEST(Windows, ReversedStampsStayReversed) {  // swapping them back would invent a duration
  Log log;
  log.open(0, 200);
  log.kernel("a", 290, 210);
  log.close(0, 300);
  const std::vector<std::uint32_t> windows{0};
  const auto records = sort_into_windows(log.entries(), windows, own);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_LT(records[0].end, records[0].start);
}

TEST(Windows, LostMarkerCostsItsOwnWindowOnly) {  // else all windows after it would hold the neighbour's work
  for (const std::size_t lost : {3u, 5u}) {       // opening or closing marker of the second window
    Log log;
    for (std::uint32_t i = 0; i < 3; ++i) {
      log.open(i, 1000 * i + 200);
      log.kernel("a", 1000 * i + 210, 1000 * i + 290);
      log.close(i, 1000 * i + 300);
    }
    log.entries().erase(log.entries().begin() + static_cast<std::ptrdiff_t>(lost));
    EXPECT_THAT(log.sorted({0, 1, 2}), ElementsAre("a@0", "a@2")) << "lost entry " << lost;
  }
}

TEST(Windows, MarkersAreToldApartBeyondTheirNumbers) {
  Log log;
  std::vector<std::uint32_t> windows;
  for (std::uint32_t i = 0; i < 3 * window_marker_numbers; ++i) {
    windows.push_back(i);
    log.open(i, 1000 * i + 200);
    if (i % window_marker_numbers == 5) log.kernel("a", 1000 * i + 210, 1000 * i + 290);
    log.close(i, 1000 * i + 300);
  }
  EXPECT_THAT(log.sorted(windows), ElementsAre("a@5", "a@1029", "a@2053"));
}

TEST(Windows, OneWithoutWorkIsEmpty) {
  Log log;
  log.open(0, 200);
  log.close(0, 300);
  EXPECT_THAT(log.sorted({0}), IsEmpty());
}

TEST(Windows, NamesAndKindsAreThoseAReaderKnows) {
  Log log;
  log.open(0, 200);
  log.kernel("_Z3addPfi", 210, 220);
  log.kernel("warpclock_spin", 221, 230);
  log.kernel("f", 230, 231);  // a C kernel, not the type "float"
  log.add({.kind = Activity::Kind::copy, .start = 231, .end = 240, .stream = own});
  log.add({.kind = Activity::Kind::fill, .start = 241, .end = 250, .stream = own});
  log.close(0, 300);
  EXPECT_THAT(log.sorted({0}), ElementsAre("add(float*, int)@0", "spin@0", "f@0", "copy@0", "fill@0"));
}

}  // namespace
}  // namespace warpclock::cuda
