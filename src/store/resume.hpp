// Going on with a run that ended early: the same plan, made by the same program on the same device under the same
// settings, or none of it.
#pragma once

#include <string>
#include <vector>

#include "store/runs.hpp"

namespace warpclock::store {

/// "driver was 580.95.05 and is 580.105.08", one for each entry that differs or stands in one of the two alone.
[[nodiscard]] std::vector<std::string> differences(const Pairs& before, const Pairs& now);

/// The latest run with the plan of `info` that has points left.
///   throws UsageError where there is none, where the latest with this plan is complete, where another process still
///   measures it, and where its identity differs: naming every difference
[[nodiscard]] RunSummary find_unfinished(Database& database, const RunInfo& info);

}  // namespace warpclock::store
