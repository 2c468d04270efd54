// Effective clock by the chip's own cycle counters, through CUPTI's range profiler.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/cuda/context.hpp"
#include "core/units.hpp"

namespace warpclock::cuda {

struct RangeProfiler;  // the table of CUPTI's functions (clock_counters.cpp)

/// Cycles, as the mean over the SMs, and the time in which they passed, between start() and stop(). CUPTI, unlike ncu
/// with its default settings, leaves the clocks alone.
///
/// Costs on an H200 (driver 580.159.04, CUPTI 13.0): loading 20 to 100 ms, opening a session 150 to 620 ms, each
/// measurement in it 11 to 14 ms (of them 7 before and 6 after the call), closing it 11 ms. A session is opened by the
/// first prepare() and kept until close(). Neither an open session nor a closed one changes the time of a kernel (five
/// FP32 matmuls: 19775 us before, 19764 us after).
///
/// Every member needs the context to be current. After one that throws only close() is left.
class ClockCounters {
 public:
  struct Counts {
    double cycles = 0;
    Nanoseconds span{0};
  };

  explicit ClockCounters(std::shared_ptr<const Context> context);
  ~ClockCounters();
  ClockCounters(const ClockCounters&) = delete;
  ClockCounters& operator=(const ClockCounters&) = delete;

  /// All that takes time before start(); opens a session where none is open.  pre: no activity tracing
  ///   throws  DeviceError saying what is missing or not permitted, and what to do
  void prepare();
  /// The ends of the range, no commands of any stream.  pre: prepared, device idle
  void start();
  void stop();
  /// Evaluates the range.  pre: stopped.  return: empty where nothing was counted
  [[nodiscard]] std::optional<Counts> read();
  /// Ends the session and whatever was begun in it.
  void close() noexcept;

 private:
  struct Session;

  std::shared_ptr<const Context> context_;
  std::unique_ptr<RangeProfiler> profiler_;  // null until it is used
  std::unique_ptr<Session> session_;         // null while none is open
};

}  // namespace warpclock::cuda
