// What the chip's management library tells, and what the chip really did while the call ran. Never to be mixed up: on
// an H200 the library says 1980 MHz while the SMs do 1540 to 1740 in a large matmul.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/estimate.hpp"
#include "core/units.hpp"

namespace warpclock {

/// State of the chip at one moment. A field that the library does not tell, or tells with a value that cannot be, is
/// absent, and `missing` has the reason under the field's name (as it stands in JSON).
struct Telemetry {
  std::optional<double> sm_clock_mhz;            // current, as the library averages it; not the effective clock
  std::optional<double> sm_clock_requested_mhz;  // only where warpclock itself has locked it
  std::optional<double> sm_clock_max_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> memory_clock_requested_mhz;  // only where warpclock itself has locked it
  std::optional<double> memory_clock_max_mhz;
  std::optional<double> power_watts;
  std::optional<double> power_limit_watts;
  std::optional<double> temperature_celsius;
  std::optional<double> energy_joules;                       // a counter; only differences mean something
  std::optional<std::vector<std::string>> throttle_reasons;  // at this moment; an empty list: none
  std::optional<std::map<std::string, Nanoseconds>>
      throttle_time;  // counters by reason; only differences mean something
  std::map<std::string, std::string> missing;
};

/// Names of the fields, in the order in which they are printed.
[[nodiscard]] const std::vector<std::string>& telemetry_fields();
/// Nothing told, and this is why.
[[nodiscard]] Telemetry no_telemetry(const std::string& reason);

/// The chip between two blocks of samples.
struct TelemetryBlock {
  Nanoseconds at{0};  // host time since the first sample of the point; negative before it
  Telemetry state;
};

/// SM cycles that passed per second while the call ran, from a pass of its own that feeds no timing.
struct EffectiveClock {
  std::optional<Estimate> mhz;           // by `source`
  std::string source;                    // "counters", "sentinel"; empty where nothing was measured
  std::optional<Estimate> counters_mhz;  // by the chip's own counters
  std::optional<Estimate> sentinel_mhz;  // by one warp that watches its clock beside the call
  std::string missing;                   // why `mhz` is absent, or why the better source was not used
};

/// Energy of one call in the sustained state, the chip's share while it is busy with it included.
struct Energy {
  double joules_per_call = 0;
  double resolution_joules = 0;           // per call: the counter's step over the number of calls
  std::optional<double> joules_per_flop;  // nothing without flops
  std::size_t calls = 0;
  Nanoseconds window{0};  // time over which they ran back to back
};

}  // namespace warpclock
