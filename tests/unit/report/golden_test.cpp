// Each format against a file that a person has read. A change of layout shows up in review, one of figures here.
// WARPCLOCK_UPDATE_GOLDEN=1 writes the files anew; read them before you commit them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "fixture.hpp"
#include "report/formats.hpp"
#include "report/text.hpp"

namespace warpclock::report {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(WARPCLOCK_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("WARPCLOCK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  const auto wanted = read(path);
  ASSERT_FALSE(wanted.empty()) << path << " is missing; make it with WARPCLOCK_UPDATE_GOLDEN=1";
  EXPECT_EQ(text, wanted) << "if the change is wanted: WARPCLOCK_UPDATE_GOLDEN=1, then read the difference";
}

class Golden : public testing::TestWithParam<Format> {};

TEST_P(Golden, APlausibleRunReadsAsInTheFile) {
  const auto run = plausible();
  expect_golden("report" + GetParam().extension, GetParam().function(run.environment, run.results));
}

INSTANTIATE_TEST_SUITE_P(EveryFormat, Golden, testing::ValuesIn(formats()),
                         [](const auto& format) { return format.param.name; });

TEST(Golden, TextWithColours) {
  const auto run = plausible();
  expect_golden("report_colours.txt", text(run.environment, run.results, {true, 120}));
}

}  // namespace
}  // namespace warpclock::report
