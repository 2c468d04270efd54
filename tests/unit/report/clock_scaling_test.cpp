// Latency over clock as people see it: what was asked, what ran, and no claim where none is to be had.
#include "report/clock_scaling.hpp"

#include <gmock/gmock.h>

namespace warpclock::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Verdict = ClockScaling::Verdict;

ClockScaling example(Verdict verdict) {
  ClockScaling s;
  s.benchmark = "gemm";
  s.point.values = {{"M", std::int64_t{16}}};
  s.regime = "burst";
  s.time = "kernel time";
  s.points = {{1200, 1200, {40'000, 39'900, 40'100, 0.95, 20, 20}, 48'000},
              {1980, std::nullopt, {20'000, 19'900, 20'100, 0.95, 20, 20}, std::nullopt}};
  s.verdict = verdict;
  s.top_mhz = 1980;
  s.fixed_ns = 2'000;
  s.cycles = 35'640;
  s.share = {0.9, 0.88, 0.92, 0.95, 3, 3};
  s.misfit = 0.004;
  return s;
}

std::string text(Verdict verdict) {
  const std::vector<ClockScaling> all{example(verdict)};
  return clock_scaling_text(all);
}

TEST(ClockScalingText, TableAndBarsBeginAtNothing) {
  EXPECT_EQ(text(Verdict::fits),
            "\nlatency over clock\n"
            "  gemm M=16, burst, kernel time\n"
            "    asked  measured   time       ±  cycles\n"
            "      MHz       MHz     us\n"
            "     1200      1200  40.00  0.25 %   48000  |########################################\n"
            "     1980         -  20.00  0.50 %       -  |####################\n"
            "    90 % (88 to 92 %) of the time at 1980 MHz scales with the clock: time = 2 us + 35640 cycles / clock, "
            "within 0.40 % of every time\n");
}

TEST(ClockScalingText, NoClaimWhereTheTimesAllowNone) {
  for (const auto verdict : {Verdict::rises, Verdict::misfits, Verdict::unknown}) {
    EXPECT_THAT(text(verdict), Not(HasSubstr("90 %")));
    EXPECT_THAT(text(verdict), Not(HasSubstr("faster")));
  }
  EXPECT_THAT(text(Verdict::rises), HasSubstr("longer at a higher clock"));
  EXPECT_THAT(text(Verdict::misfits), HasSubstr("does not describe"));
  EXPECT_THAT(text(Verdict::untested), HasSubstr("a third would"));
}

TEST(ClockScalingText, NothingForNoPoints) { EXPECT_EQ(clock_scaling_text({}), ""); }

}  // namespace
}  // namespace warpclock::report
