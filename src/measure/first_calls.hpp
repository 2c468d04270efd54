// The calls before sampling: they load, compile and allocate, and they tell what a call is made of.
#pragma once

#include <optional>

#include "device/device.hpp"
#include "device/workload.hpp"

namespace warpclock {

/// What the calls before sampling told. None of them was held: a first call may synchronise.
struct FirstCalls {
  Nanoseconds first_call{0};            // wall time of the very first call until the device had finished it
  std::optional<std::size_t> launches;  // records of one call; empty without tracing
  Nanoseconds enqueue{0};               // host time of a later call: the smaller of two
  Nanoseconds duration{0};              // wall time of a later call until the device had finished it
};

///   count   count the launches of a call by tracing one
[[nodiscard]] FirstCalls make_first_calls(Device& device, Workload& workload, bool count);

}  // namespace warpclock
