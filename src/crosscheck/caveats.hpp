// The rules of comparability: each looks at one thing in which the two sides may differ.
#pragma once

#include <vector>

#include "crosscheck/compare.hpp"

namespace warpclock {

/// All that hold for `comparison`, whose two sides are there.
[[nodiscard]] std::vector<Caveat> caveats_of(const Comparison& comparison, const Result& result,
                                             const NcuSettings& settings);

}  // namespace warpclock
