// Effective clock by the chip's own cycle counters, through CUPTI's range profiler.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/cuda/context.hpp"

namespace warpclock::cuda {

struct RangeProfiler;  // the table of CUPTI's functions (clock_counters.cpp)

/// Mean over the SMs of the cycles between start() and stop(), over the time between them; idle time counts, some 0.1
/// ms of it around a single call, so a short call is better measured many times in one range. CUPTI, unlike ncu with
/// its default settings, leaves the clocks alone.
///
/// Costs on an H200 (driver 580.159.04, CUPTI 13.0): loading 20 to 100 ms, opening a session 150 to 620 ms, each
/// measurement in it 11 to 14 ms (of them 7 before and 6 after the call), closing it 11 ms. A session is opened by the
/// first start() and kept until close(). Neither an open session nor a closed one changes the time of a kernel (five
/// FP32 matmuls: 19775 us before, 19764 us after).
///
/// Every member needs the context to be current.
class ClockCounters {
 public:
  explicit ClockCounters(std::shared_ptr<const Context> context);
  ~ClockCounters();
  ClockCounters(const ClockCounters&) = delete;
  ClockCounters& operator=(const ClockCounters&) = delete;

  /// Begins a range, in a new session where none is open.  pre: stream idle, no activity tracing, no range begun
  ///   throws  DeviceError saying what is missing or not permitted, and what to do
  void start();
  /// Ends the range.  pre: started, stream idle
  void stop();
  /// Evaluates the range.  pre: stopped.  return: MHz; empty where nothing was counted
  [[nodiscard]] std::optional<double> read();
  /// Ends the session and whatever was begun in it.
  void close() noexcept;
  [[nodiscard]] bool open() const { return session_ != nullptr; }

 private:
  struct Session;

  std::shared_ptr<const Context> context_;
  std::unique_ptr<RangeProfiler> profiler_;  // null until it is used
  std::unique_ptr<Session> session_;         // null while none is open
};

}  // namespace warpclock::cuda
