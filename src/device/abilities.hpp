// Lookups in a device's list of abilities.
#pragma once

#include <string_view>

#include "device/device.hpp"

namespace warpclock {

/// The ability of that name, or nullptr where the device does not speak of it.
[[nodiscard]] inline const Ability* ability(const DeviceInfo& info, std::string_view name) {
  for (const auto& entry : info.abilities) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// False only where the device says that it does not work here.
[[nodiscard]] inline bool can(const DeviceInfo& info, std::string_view name) {
  const auto* entry = ability(info, name);
  return entry == nullptr || entry->works;
}

}  // namespace warpclock
