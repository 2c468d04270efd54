// Keeps the device busy with one call after the other: what heats the chip, and what energy is measured over.
#pragma once

#include <cstddef>
#include <functional>

#include "device/device.hpp"
#include "device/workload.hpp"

namespace warpclock {

class BackToBack {
 public:
  /// Measures what a call takes in a row.
  ///   duration  wall time of a single call until the device has finished it
  BackToBack(Device& device, Workload& workload, Nanoseconds duration);

  /// Runs calls for about `time` and waits for them. Operands are restored once before, not between calls.
  ///   meanwhile  called every few milliseconds while the device is busy; false ends the run early
  ///   return     time of a call in this run
  Nanoseconds run(
      Nanoseconds time, const std::function<bool()>& meanwhile = [] { return true; });

  /// Time of a call in the latest run.
  [[nodiscard]] Nanoseconds per_call() const { return per_call_; }
  /// Calls that together take about `time`, at least 1 and at most `most`.
  [[nodiscard]] std::size_t calls_in(Nanoseconds time, std::size_t most) const;

 private:
  void enqueue(std::size_t calls);

  Device& device_;
  Workload& workload_;
  Nanoseconds per_call_;
  std::uint32_t next_copy_ = 0;
};

}  // namespace warpclock
