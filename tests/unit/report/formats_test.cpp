#include "report/formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/errors.hpp"
#include "fixture.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

TEST(Formats, AreFoundByNameAndByFile) {
  EXPECT_EQ(format_named("md").extension, ".md");
  EXPECT_EQ(format_of_file("out.d/gemm.csv").name, "csv");
  EXPECT_THROW(static_cast<void>(format_named("xml")), UsageError);
  EXPECT_THROW(static_cast<void>(format_of_file("out.csv/gemm")), UsageError);
}

class EveryFormat : public testing::TestWithParam<Format> {};

// F76: what a consumer cannot decode loses the whole run, not one row.
TEST_P(EveryFormat, IsValidUtf8WithoutTerminalControlsWhateverTheNamesHold) {
  const auto run = hostile();
  const auto out = GetParam().function(run.environment, run.results);
  EXPECT_EQ(valid_utf8(out), out);
  const bool keeps_cells = GetParam().name == "csv";
  EXPECT_TRUE(keeps_cells || out.find('\x1b') == std::string::npos);
  EXPECT_FALSE(out.empty());
  EXPECT_EQ(out.back(), '\n');
}

TEST_P(EveryFormat, IsTheSameUnderALocaleWithDecimalCommas) {
  for (const auto& run : {plausible(), hostile()}) {
    const auto plain = GetParam().function(run.environment, run.results);
    const GermanLocale german;
    EXPECT_EQ(GetParam().function(run.environment, run.results), plain);
  }
}

// F76: readers stop at these words, or take them for names.
TEST_P(EveryFormat, NeverPrintsNanOrInf) {
  const auto run = hostile();
  const auto out = GetParam().function(run.environment, run.results);
  EXPECT_EQ(out.find("nan"), std::string::npos) << out;
  EXPECT_EQ(out.find("inf"), std::string::npos) << out;
}

TEST_P(EveryFormat, TakesNoResultsAndAnEmptyOne) {
  EXPECT_FALSE(GetParam().function({}, {}).empty());
  const Result nothing;
  EXPECT_FALSE(GetParam().function({}, {&nothing, 1}).empty());
}

INSTANTIATE_TEST_SUITE_P(EveryFormat, EveryFormat, testing::ValuesIn(formats()),
                         [](const auto& format) { return format.param.name; });

}  // namespace
}  // namespace warpclock::report
