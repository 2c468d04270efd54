// The two meters of the effective clock, of which one at a time measures.
#pragma once

#include <cuda.h>

#include <memory>
#include <optional>
#include <string>

#include "backends/cuda/clock_counters.hpp"
#include "backends/cuda/sentinel.hpp"
#include "device/device.hpp"

namespace warpclock::cuda {

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
  [[nodiscard]] std::optional<double> read();
  /// return  empty where it works. The first question about the counters tries them out, which takes up to 1 s.
  [[nodiscard]] std::string problem(ClockMeter meter);
  /// For whoever is about to time or to trace something: ends a measurement that was never read, and the session of the
  /// counters.
  void leave() noexcept;
  /// True between start() and read().
  [[nodiscard]] bool measuring() const { return running_.has_value(); }

 private:
  void begin(ClockMeter meter, Nanoseconds longest);
  void abandon() noexcept;
  void synchronize() const;

  std::shared_ptr<const Context> context_;
  std::shared_ptr<const Module> kernels_;
  CUstream measured_;
  bool memory_operations_;
  std::string sentinel_problem_;
  std::optional<std::string> counters_problem_;  // none before it was asked for
  std::unique_ptr<Sentinel> sentinel_;           // null until it is used
  ClockCounters counters_;
  std::optional<ClockMeter> running_;
  bool stopped_ = false;
};

}  // namespace warpclock::cuda
