#include "core/telemetry.hpp"

namespace warpclock {

const std::vector<std::string>& telemetry_fields() {
  static const std::vector<std::string> fields{
      "sm_clock_mhz",     "sm_clock_requested_mhz",     "sm_clock_max_mhz",
      "memory_clock_mhz", "memory_clock_requested_mhz", "memory_clock_max_mhz",
      "power_watts",      "power_limit_watts",          "temperature_celsius",
      "energy_joules",    "throttle_reasons",           "throttle_time",
  };
  return fields;
}

Telemetry no_telemetry(const std::string& reason) {
  Telemetry out;
  for (const auto& field : telemetry_fields()) out.missing.emplace(field, reason);
  return out;
}

}  // namespace warpclock
