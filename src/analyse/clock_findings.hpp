// Findings about locks of the clock.
#pragma once

#include <vector>

#include "analyse/findings.hpp"

namespace warpclock {

/// Part of finding_rules().
[[nodiscard]] std::vector<FindingRule> clock_finding_rules();

}  // namespace warpclock
