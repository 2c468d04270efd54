// The offset between call time and kernel time, found on oracles alone (measuring.md, 2.3).
#pragma once

#include <optional>

#include "measure/session.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// Median of call time minus median of kernel time, over `empty` and two lengths of `spin`, in the hold and the cache
/// state of `protocol`. The band is the largest deviation of one oracle from that, and at least one step of each timer.
///   return  empty where the stamps of an oracle are all broken: then there is nothing to calibrate on
///   cost   at most 45 samples a pass; fewer where flushing is slow, so that it stays near 0.3 s
[[nodiscard]] std::optional<CallOffset> calibrate_offset(Session& session, const Protocol& protocol);

}  // namespace warpclock
