// docs/findings.md against the table of findings: a finding that users see and cannot look up would be noticed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "analyse/findings.hpp"

namespace warpclock {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Id and meaning of every row of the page, in order.
Rows rows_of_page() {
  std::ifstream page(WARPCLOCK_SOURCE_DIR "/docs/findings.md");
  const std::regex row(R"(^\| `([^`]+)` \| ([^|]+) \|.*)");
  Rows rows;
  std::smatch match;
  for (std::string line; std::getline(page, line);) {
    if (std::regex_match(line, match, row)) rows.emplace_back(match[1], match[2]);
  }
  return rows;
}

TEST(FindingsPage, HasEveryFindingWithItsMeaningInTheOrderOfTheCode) {
  Rows rules;
  for (const auto& rule : finding_rules()) rules.emplace_back(rule.id, rule.meaning);
  EXPECT_THAT(rows_of_page(), testing::ElementsAreArray(rules));
}

}  // namespace
}  // namespace warpclock
