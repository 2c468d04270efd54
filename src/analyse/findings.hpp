// What the reader must be told about a result. A finding is a function and a row in the table.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "analyse/analyse.hpp"

namespace warpclock {

struct FindingRule {
  std::string_view id;
  std::string_view meaning;  // one line, for docs/findings.md
  std::optional<Finding> (*apply)(const Result& result, const Measurement& measured, const AnalysisContext& context);
};

/// Every rule, in the order in which findings are shown.
[[nodiscard]] const std::vector<FindingRule>& finding_rules();

/// Applies all rules to a result whose estimates are complete.
[[nodiscard]] std::vector<Finding> find(const Result& result, const Measurement& measured,
                                        const AnalysisContext& context);

}  // namespace warpclock
