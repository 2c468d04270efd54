// From the protocol to how a sample is made on this device for this call.
#pragma once

#include "measure/sampler.hpp"
#include "measure/session.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// The cover that will be used: a hold becomes none where the device cannot hold, or must not for this call.
[[nodiscard]] Cover usable_cover(const DeviceInfo& info, const Protocol& protocol, bool hold_allowed);

///   enqueue       host time of one call, by which a spin cover is sized
///   hold_allowed  false: the call has more launches than the queue takes behind a hold
[[nodiscard]] SampleSetup sample_setup(Session& session, const Protocol& protocol, Nanoseconds enqueue,
                                       bool hold_allowed);

/// "cold-clean", "cold-dirty", "warm", "rotated"
[[nodiscard]] std::string cache_label(CacheState cache);

}  // namespace warpclock
