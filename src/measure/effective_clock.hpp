// The SM clock while the call runs, in a pass of its own whose calls enter no time.
#pragma once

#include "core/telemetry.hpp"
#include "measure/control.hpp"
#include "measure/pacing.hpp"
#include "measure/sampler.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// Meters a few calls, each in the state that a sample is in (cache, regime). `auto` takes the sentinel, which costs
/// 0.04 ms a reading, and the counters (0.3 to 0.8 s to set up, 12 ms a reading; H200) where the sentinel does not work
/// or gets in the way of the call.
///   call  time of a call alone, by which the sentinel is bounded and seen to be in the way
[[nodiscard]] EffectiveClock measure_effective_clock(Session& session, Sampler& sampler, Pacer& pacer,
                                                     const Protocol& protocol, Nanoseconds call,
                                                     const Control& control);

}  // namespace warpclock
