// Floors that the hardware sets: nominal peaks by exact device name, ceilings measured on the device itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "device/device.hpp"

namespace warpclock {

/// Bandwidth that a plain kernel of this read:write mix reached on this very device, cold.
struct Ceiling {
  double read_share = 0;  // of all bytes moved: 1 reads only, 0 writes only
  double gb_per_s = 0;
  std::string source;  // "measured: copy 512 MiB"
};

/// Everything that may serve as a roof on one device.
struct Roofline {
  std::vector<Peak> peaks;        // nominal, or given by the user, or measured for a device that the table lacks
  std::vector<Ceiling> ceilings;  // in order of rising read_share; may be empty
};

/// Nominal dense peaks of exactly this device; empty for one that the table lacks: no SOL rather than a wrong one.
[[nodiscard]] std::vector<Peak> nominal_peaks(const std::string& device_name);

/// Memory ceiling for a mix, linear in time per byte between the two nearest measured mixes.
[[nodiscard]] std::optional<Ceiling> ceiling_for(const Roofline& roofline, double read_share);

/// Floor = max(flops / peak, bytes / bandwidth). Nominal peaks first, else measured ceilings, else nothing.
///   measured_ns      headline time, > 0
///   memory_applies   false where the operands come from the cache: then memory sets no floor
///   clock_mhz        effective clock, for percent_at_clock
[[nodiscard]] std::optional<Sol> speed_of_light(const Work& work, double measured_ns, const Roofline& roofline,
                                                bool memory_applies, std::optional<double> clock_mhz);

}  // namespace warpclock
