// Every backend is a row here: how its devices are called, listed and opened.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace warpclock {

struct Backend {
  std::string name;     // "cuda": what stands before the colon of a device's name
  std::string summary;  // one line
  /// Names of the devices that can be opened here.  throws DeviceError saying why there is none
  std::function<std::vector<std::string>()> list;
  /// throws UsageError for a device that is not there, DeviceError where it cannot be opened
  std::function<std::unique_ptr<Device>(const std::string& id)> open;
  /// What takes away a clock lock that another process has set on the device of this DeviceInfo::identity; null where
  /// locks end with the process.  throws DeviceError where it cannot be reached
  std::function<std::function<void(ClockDomain)>(const std::string& identity)> clock_reset = nullptr;
};

/// Built-in backends, in the order in which a device is chosen when none is named.
[[nodiscard]] const std::vector<Backend>& builtin_backends();

/// The backend to which the device `id` ("cuda:0", "cpu") belongs; touches no device.
///   throws UsageError naming the nearest backend
[[nodiscard]] const Backend& backend_of(const std::vector<Backend>& backends, const std::string& id);

}  // namespace warpclock
