// The SM clock while the call runs, in a pass of its own whose calls enter no time.
#pragma once

#include "core/telemetry.hpp"
#include "measure/control.hpp"
#include "measure/pacing.hpp"
#include "measure/sampler.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// Meters a few calls, each in the state that a sample is in (cache, regime), without hold.
///   duration  wall time of a call, by which the sentinel is bounded
[[nodiscard]] EffectiveClock measure_effective_clock(Session& session, Sampler& sampler, Pacer& pacer,
                                                     const Protocol& protocol, Nanoseconds duration,
                                                     const Control& control);

}  // namespace warpclock
