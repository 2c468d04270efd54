// A scripted kernel: what it needs, from which the simulated device works out how long it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/noise.hpp"
#include "core/units.hpp"

namespace warpclock::sim {

enum class Access : std::uint8_t { read, write };

/// Bytes of one buffer that a kernel touches. Operands of the same id share their lines in the simulated cache.
struct SimOperand {
  std::uint64_t id = 0;  // SimBuffer::id(), or any number below first_buffer_id that the script wants for itself
  Bytes bytes = 0;
  Access access = Access::read;
};

/// Ids from here on belong to buffers; smaller ones are free for scripts that need no buffer.
inline constexpr std::uint64_t first_buffer_id = 1'000'000;

enum class Fault : std::uint8_t {
  throw_at_launch,  // the launch throws KernelError, nothing runs
  sticky_error,     // it runs; the next synchronize() and every call after it throw DeviceError
  synchronises,     // the host waits in the launch until the kernel has finished
  missing_record,   // it runs and leaves no activity record
};

/// Record time = noise x max(kernel_floor, fixed + cycles / clock + max(compute time, memory time)), where
///   compute time = flops / (peak of compute_type x clock / nominal clock)
///   memory time  = bytes found in L2 / l2_bandwidth + other bytes / memory_bandwidth
///                  + dirty bytes of others that had to make room / write_back_bandwidth
/// The clock is that at the start of the kernel.
struct SimKernel {
  std::string name = "kernel";
  Nanoseconds fixed{0};
  double cycles = 0;
  double flops = 0;
  std::string compute_type = "fp32";  // row of SimConfig::compute that the flops belong to
  double bytes_read = 0;              // beside the operands: never found in L2, yet passing through it
  double bytes_written = 0;
  std::vector<SimOperand> operands{};
  double power = 0.3;               // drawn while it runs, 1 is the power limit
  Nanoseconds drain{0};             // between the end of its record and the next stamp, on top of call_offset
  std::optional<SimNoise> noise{};  // instead of SimConfig::noise
  std::optional<Fault> fault{};     // on every launch
};

}  // namespace warpclock::sim
