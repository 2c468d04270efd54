// Reads the state of a chip through NVML, and believes nothing that cannot be.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backends/cuda/nvml_functions.hpp"
#include "core/telemetry.hpp"

namespace warpclock::cuda {

/// Remembers the counters of the reading before: one that goes backwards was reset meanwhile, and the difference of
/// two readings around that would be a lie.
class TelemetryReader {
 public:
  /// functions  must outlive the reader
  /// chip       not a MIG slice, of which NVML tells neither clocks nor power
  TelemetryReader(const NvmlFunctions& functions, NvmlHandle chip) : nvml_(functions), chip_(chip) {}

  /// All fields but the requested clocks, which only who has locked them can know.
  [[nodiscard]] Telemetry read();

 private:
  void read_reasons(Telemetry& out) const;
  void read_energy(Telemetry& out);
  void read_throttle_time(Telemetry& out);

  const NvmlFunctions& nvml_;
  NvmlHandle chip_;
  std::optional<double> last_energy_;
  std::map<std::string, Nanoseconds> last_throttle_time_;
};

}  // namespace warpclock::cuda
