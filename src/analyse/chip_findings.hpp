// Findings about what the chip did while the call ran.
#pragma once

#include <vector>

#include "analyse/findings.hpp"

namespace warpclock {

/// Part of finding_rules().
[[nodiscard]] std::vector<FindingRule> chip_finding_rules();

}  // namespace warpclock
