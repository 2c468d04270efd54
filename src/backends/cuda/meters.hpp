// The two meters of the effective clock, of which one at a time measures.
#pragma once

#include <cuda.h>

#include <memory>
#include <optional>
#include <string>

#include "backends/cuda/clock_counters.hpp"
#include "backends/cuda/event_pool.hpp"
#include "backends/cuda/hold_gate.hpp"
#include "backends/cuda/probe_pool.hpp"
#include "backends/cuda/sentinel.hpp"
#include "device/device.hpp"

namespace warpclock::cuda {

/// Clock of the call alone, out of what was counted around it: the host's part of a range, some 100 us, is idle time,
/// at a clock that is up to a quarter above that of the call.
///   idle_mhz  clock while nothing runs, just before the range
///   call      time of the call by marks; where the range is over 50 times as long, the rest cannot be taken off well
///             enough (idle_mhz is good to 0.03 %), and the result is the clock of the whole range
///   return    MHz
[[nodiscard]] double clock_of_call(const ClockCounters::Counts& counts, double idle_mhz, Nanoseconds call);

/// What Stream's members of the same names do, see device/device.hpp. Every member needs the context to be current.
class Meters {
 public:
  /// memory_operations  whether cuStreamWaitValue32 works here
  /// sentinel_problem   why a second stream cannot run beside the first; empty where it can
  Meters(std::shared_ptr<const Context> context, std::shared_ptr<const Module> kernels, CUstream measured,
         bool memory_operations, std::string sentinel_problem);

  /// Ends a measurement that was never read, then starts this one.
  void start(ClockMeter meter, Nanoseconds longest);
  void stop();
  [[nodiscard]] std::optional<ClockReading> read();
  /// return  empty where it works. The first question about the counters tries them out, which takes up to 1 s.
  [[nodiscard]] std::string problem(ClockMeter meter);
  /// For whoever is about to time or to trace something: ends a measurement that was never read, and the session of the
  /// counters.
  void leave() noexcept;
  /// True between start() and read().
  [[nodiscard]] bool measuring() const { return running_.has_value(); }

 private:
  void begin(ClockMeter meter, Nanoseconds longest);
  void begin_counters();
  [[nodiscard]] double idle_clock();
  [[nodiscard]] std::optional<ClockReading> read_counters();
  void hold();
  void release();
  void abandon() noexcept;
  void synchronize() const;

  std::shared_ptr<const Context> context_;
  std::shared_ptr<const Module> kernels_;
  CUstream measured_;
  bool memory_operations_;
  std::string sentinel_problem_;
  std::optional<std::string> counters_problem_;  // none before it was asked for
  std::unique_ptr<HoldGate> gate_;               // null where holding does not work
  std::unique_ptr<Sentinel> sentinel_;           // null until it is used
  ClockCounters counters_;
  EventPool events_;  // the two marks around the call, for the counters
  ProbePool probes_;
  std::uint32_t first_mark_ = 0;
  std::uint32_t last_mark_ = 0;
  double idle_mhz_ = 0;
  std::optional<ClockMeter> running_;
  bool stopped_ = false;
};

}  // namespace warpclock::cuda
