// A device in virtual time whose truth is scripted, so that everything that measures can be tested exactly.
// Nothing here sleeps or reads a clock: the same script and the same calls give the same numbers everywhere.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/sim/config.hpp"
#include "backends/sim/kernel.hpp"
#include "device/device.hpp"

namespace warpclock::sim {

/// Memory that exists by number alone: nothing can be read from it.
class SimBuffer : public Buffer {
 public:
  [[nodiscard]] virtual std::uint64_t id() const = 0;
};

/// All of `buffer` as an operand.  pre: the buffer comes from a simulated device
[[nodiscard]] SimOperand operand(const Buffer& buffer, Access access);

/// What happened since the device was made.
struct SimCounters {
  std::uint64_t launches = 0;  // of SimKernels, side streams included, refused ones too
  std::uint64_t oracles = 0;
  std::uint64_t marks = 0;
  std::uint64_t probes = 0;
  std::uint64_t evictions = 0;
  std::uint64_t fills = 0;
  std::uint64_t copies = 0;
  std::uint64_t synchronises = 0;  // calls of synchronize()
  std::uint64_t holds = 0;
  std::uint64_t watchdogs = 0;    // holds that the watchdog ended
  std::uint64_t queue_waits = 0;  // times the host waited because the queue was full
};

class SimStream : public Stream {
 public:
  /// Enqueues a scripted kernel.  throws KernelError where the script says so
  virtual void launch(const SimKernel& kernel) = 0;
  /// Enqueues a kernel on a second stream, where it starts when this stream has got here and runs beside what follows.
  ///   joined  this stream waits for it before the next thing that is no kernel (a mark, a fill, ...); otherwise no
  ///           mark sees it. synchronize() waits for it, and it has its record, in any case.
  virtual void launch_on_side(const SimKernel& kernel, bool joined) = 0;
  /// True time of the kernel that ran last, oracles included, before any stamp or step.  pre: synchronised
  [[nodiscard]] virtual Nanoseconds last_kernel_time() const = 0;
};

class SimDevice : public Device {
 public:
  [[nodiscard]] SimStream& stream() override = 0;
  [[nodiscard]] virtual const SimConfig& config() const = 0;
  [[nodiscard]] virtual const SimCounters& counters() const = 0;
  /// True clock at host_now(), with the device idle since the last work it was given.
  [[nodiscard]] virtual double true_clock_mhz() const = 0;
  /// Bytes of `buffer` that lie in the simulated L2, and dirty bytes of all buffers there.
  [[nodiscard]] virtual Bytes resident(const Buffer& buffer) const = 0;
  [[nodiscard]] virtual Bytes dirty() const = 0;
};

/// throws UsageError for a script that makes no sense
[[nodiscard]] std::unique_ptr<SimDevice> make_device(SimConfig config = {});

}  // namespace warpclock::sim
