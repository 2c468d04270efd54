// The table is what most people will ever read: it must say which time, which state, and what is wrong.
#include "report/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "report/sections.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string shown(const Run& run) { return text(run.environment, run.results); }

std::string line_with(const std::string& text, const std::string& part) {
  for (const auto& line : lines(text)) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "no line with " + part;
}

TEST(Text, FitsInto120Columns) {
  for (const auto& line : lines(shown(plausible()))) EXPECT_LE(width(line), 120U) << line;
}

TEST(Text, SaysWhichTimeWhichStateAndWhichRegime) {
  const auto out = shown(plausible());
  EXPECT_THAT(out, HasSubstr("cache cold-clean (flush 120 MiB), cover hold, burst, normal data"));
  EXPECT_THAT(out, HasSubstr("kernel time: CUPTI (step 1 ns), call time: events (step 32 ns)"));
  EXPECT_THAT(out, HasSubstr("(level >= 95.9 %)"));
  EXPECT_THAT(out, HasSubstr("raw call time holds an offset of 2.4 us"));
}

TEST(Text, FailedSkippedWrongAndInterruptedPointsAreVisibleWithTheirErrors) {
  const auto out = shown(plausible());
  EXPECT_THAT(line_with(out, "failed: "), HasSubstr("   4096  failed: kernel wrote 64 bytes"));
  EXPECT_THAT(out, HasSubstr("skipped: needs 186 GiB"));
  EXPECT_THAT(out, HasSubstr("wrong M=3: output differs"));
  EXPECT_THAT(out, HasSubstr("interrupted rows=65536: interrupted after 9"));
}

TEST(Text, AFindingOfSeveralPointsIsListedOnceWithItsPoints) {
  const auto found = sections(plausible().results);
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(found[0].notes.size(), 3U);
  EXPECT_EQ(found[0].notes[0].id, "host-late");
  EXPECT_THAT(found[0].notes[0].points, ElementsAre("M=2", "M=2048"));
  EXPECT_EQ(found[0].columns.back().cells[0], "ok [1]");
  EXPECT_EQ(found[0].columns.back().cells[2], "ok [1,3]");
}

TEST(Text, ABareMedianOfTwoModesIsNeverShown) { EXPECT_THAT(shown(plausible()), HasSubstr("29.00/33.50")); }

TEST(Text, PointsMeasuredInDifferentStatesDoNotShareATable) {
  auto run = plausible();
  run.results[1].conditions.cache = "warm";
  EXPECT_EQ(sections(run.results).size(), 3U);
}

// A failed point has no state of its own; in a table of its own it would look like another benchmark.
TEST(Text, AFailedPointJoinsItsBenchmarkEvenWhenItComesFirst) {
  auto run = plausible();
  std::swap(run.results[0], run.results[4]);
  const auto found = sections(run.results);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rows.size(), 6U);
  EXPECT_THAT(found[0].conditions.front(), HasSubstr("cold-clean"));
}

TEST(Text, WhereTheHeadlinesDifferEachRowSaysWhichTimeItIs) {
  auto run = plausible();
  run.results[1].headline = Headline::call_time;
  const auto section = sections(run.results).front();
  std::vector<std::string> names;
  for (const auto& column : section.columns) names.push_back(column.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"time", "of", "kernels", "call"}));
  EXPECT_THAT(names, Not(testing::Contains("kernel")));
}

TEST(Text, ColoursAreEscapesAroundTheSameWords) {
  const auto run = plausible();
  auto coloured = text(run.environment, run.results, {true, 120});
  EXPECT_THAT(coloured, HasSubstr("\x1b["));
  for (auto at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  // Blanks at the end of a line stay behind where an escape follows them.
  const auto plain = lines(shown(run)), bare = lines(coloured);
  ASSERT_EQ(plain.size(), bare.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_THAT(bare[i], testing::StartsWith(plain[i]));
}

// An axis that left the table must not leave the page, and one point alone must not lose its columns.
TEST(Text, AxesThatDoNotVaryStandInTheHeadingInPlaceOfAColumn) {
  const auto run = plausible();
  EXPECT_THAT(shown(run), HasSubstr("gemm  N=19456 K=2560 dtype=bf16\n"));
  const auto one = sections({run.results.data(), 1}).front();
  EXPECT_EQ(one.fixed, "");
  EXPECT_EQ(one.columns[3].name, "dtype");
}

TEST(Text, FiguresEndUnderTheEndOfTheirHeading) {
  const auto out = shown(plausible());
  const auto end_of = [&](const std::string& line, const std::string& word) {
    return width(line_with(out, line).substr(0, line_with(out, line).find(word) + word.size()));
  };
  EXPECT_EQ(end_of("M  kernel", "kernel"), end_of("713.57", "285.90"));
  EXPECT_EQ(end_of("M  kernel", "compute"), end_of("713.57", "713.57"));
  EXPECT_EQ(end_of("M  kernel", "clock"), end_of("713.57", "1972"));
}

TEST(Listed, NamesTheFirstFewPoints) {
  EXPECT_EQ(listed({"M=1", "M=2"}), "M=1, M=2");
  EXPECT_EQ(listed({"1", "2", "3", "4", "5", "6"}), "1, 2, 3, 4 and 2 more");
  EXPECT_EQ(listed({""}), "");
}

}  // namespace
}  // namespace warpclock::report
