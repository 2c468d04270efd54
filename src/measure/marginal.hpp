// What one more call costs in a chain of calls: the slope of the time of n calls over n is taken from these samples.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/control.hpp"
#include "measure/measure.hpp"
#include "measure/sampler.hpp"

namespace warpclock {

/// Chains of 1 to `longest` calls in one stream, each length several times, lengths in turn so that drift meets all
/// alike.
[[nodiscard]] std::vector<ChainSample> measure_chains(Sampler& sampler, std::uint32_t longest, const Control& control);

}  // namespace warpclock
