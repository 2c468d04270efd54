// The table of a cross-check: what a reader takes from it must be in it, and nothing of one side under the other's
// name.
#include "report/crosscheck.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "crosscheck_fixture.hpp"
#include "fixture.hpp"

namespace warpclock::report {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string line_with(const std::string& text, const std::string& words) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(words) != std::string::npos) return line;
  }
  return "";
}

TEST(CrosscheckText, BothSidesDifferencesAndVerdictsOfAPoint) {
  const auto text = crosscheck_text(made_up_crosscheck(), {});
  // 28.00 us and 54600 cycles of ours; 29.70 us, 1.20 us apart, and 54500 cycles of ncu.
  EXPECT_THAT(
      line_with(text, "28.0"),
      ContainsRegex("2  +28\\.0+ +0\\.40 +29\\.7.* 1\\.20? +\\+1\\.70 +\\+6\\.1 +54600 +54500 +-0\\.2 +1950 +1837 "
                    "+99\\.7 +1\\.00.* agree +agree +agree$"));
  EXPECT_THAT(line_with(text, "276.0"), ContainsRegex("\\+3\\.1 .*-0\\.6 +1640 +1582.* no +agree +agree +\\[1\\]"));
}

TEST(CrosscheckText, WhatBothSidesDidStandsAbove) {
  const auto text = crosscheck_text(made_up_crosscheck(), {});
  EXPECT_THAT(text,
              AllOf(HasSubstr("cuda:0, NVIDIA H200"), HasSubstr("gemm  N=19456 dtype=bf16"),
                    HasSubstr("ours: kernel time, cache cold-clean, cover hold, burst, normal data, clock by sentinel"),
                    HasSubstr("ncu: 2025.3.1.0, clock-control none, cache-control all, 3 calls after 5"),
                    HasSubstr("0.8 to 3.0 us longer"), HasSubstr("nvjet_tst  (M=2, M=2048)")));
}

TEST(CrosscheckText, APointWithoutNcuKeepsOursAndSaysWhy) {
  const auto text = crosscheck_text(made_up_crosscheck(), {});
  EXPECT_THAT(line_with(text, "520.0"), ContainsRegex("4096 +520.* - +- +- +\\[2\\]"));
  EXPECT_THAT(text, HasSubstr("[2] no ncu: ncu was ended by signal 11 (Segmentation fault)  (M=4096"));
}

TEST(CrosscheckText, APointThatNeverRanHasItsErrorInTheFiguresPlace) {
  EXPECT_THAT(crosscheck_text(made_up_crosscheck(), {}), HasSubstr("9999  skipped: needs 900 GiB"));
}

TEST(CrosscheckText, BothRegimesOfOnePointAreToldApart) {
  auto check = made_up_crosscheck();
  check.comparisons.erase(check.comparisons.begin() + 1, check.comparisons.end());
  check.comparisons.push_back(check.comparisons.front());
  EXPECT_THAT(crosscheck_text(check, {}), Not(HasSubstr("regime")));
  check.comparisons.back().conditions.regime = "sustained";
  const auto text = crosscheck_text(check, {});
  EXPECT_THAT(text,
              AllOf(HasSubstr("regime"), ContainsRegex("\n  burst +28\\.0"), ContainsRegex("\n  sustained +28\\.0")));
}

TEST(CrosscheckText, ColoursAreAskedFor) {
  EXPECT_THAT(crosscheck_text(made_up_crosscheck(), {}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(crosscheck_text(made_up_crosscheck(), {.colours = true}), HasSubstr("\x1b[32m"));
}

TEST(CrosscheckText, TheLocaleIsNotAsked) {
  const auto text = crosscheck_text(made_up_crosscheck(), {});
  const auto json = crosscheck_json(made_up_crosscheck());
  const GermanLocale german;
  EXPECT_EQ(crosscheck_text(made_up_crosscheck(), {}), text);
  EXPECT_EQ(crosscheck_json(made_up_crosscheck()), json);
}

}  // namespace
}  // namespace warpclock::report
