// What a later reader needs to judge or repeat a run: machine, versions, settings, and the variables that change
// timings. Everything is read and nothing is changed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "device/device.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// Looks up an environment variable; empty where it is not set.
using VariableLookup = std::function<std::optional<std::string>(const std::string& name)>;

/// The process's own environment.
[[nodiscard]] std::optional<std::string> process_variable(const std::string& name);

/// Names of the environment variables that change timings, or which device is meant. They are recorded, never set.
[[nodiscard]] const std::vector<std::string>& timing_variables();

///   started  when the run began, on the wall clock
[[nodiscard]] Environment capture_environment(const DeviceInfo& device, const Protocol& protocol,
                                              std::chrono::system_clock::time_point started,
                                              const VariableLookup& lookup = process_variable);

/// "2026-11-29T12:00:00Z"
[[nodiscard]] std::string utc(std::chrono::system_clock::time_point time);

}  // namespace warpclock
