// What is learnt about a device once and used for every point measured on it: the recovered clock and the offsets.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "core/result.hpp"
#include "device/device.hpp"
#include "measure/control.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// Call time of one kernel minus its kernel time, in one cache state and under one cover.
struct CallOffset {
  Nanoseconds value{0};
  Nanoseconds band{0};  // half-width within which calibration repeats: a disagreement within it means nothing
};

class Session {
 public:
  /// Brings the device out of its idle clock and waits, at most 2 s, until it has recovered from what ran before:
  /// a chip still hot from another process is steady too, at a clock that is not its recovered one.
  explicit Session(Device& device);

  [[nodiscard]] Device& device() { return device_; }

  /// Effective clock now: median of three probes.  cost: about 0.1 ms on a GPU. Raises the reference where it is
  /// higher.
  double read_clock();
  /// Clock of the recovered state that every sample is to start from: the highest that read_clock() has seen.
  [[nodiscard]] double reference_clock() const { return reference_clock_; }
  /// Forgets the reference and everything that was calibrated at the old clock, and finds the reference anew, under a
  /// light load. To be called after a lock was set, changed or undone.
  ///   locked_mhz  the lock that is in force now; empty: none
  void clock_was_changed(std::optional<double> locked_mhz);
  /// True if `clock_mhz` is within the device's tolerance of the reference.
  [[nodiscard]] bool recovered(double clock_mhz) const;

  /// Calibrated on the oracles `empty` and `spin` in the state that `protocol` asks for, then frozen: the kernels under
  /// test never enter it (measuring.md, 2.3). Empty where the device has no activity records.
  std::optional<CallOffset> call_offset(const Protocol& protocol, const Control& control);
  /// How long one run of the matmul cover lasts; measured on first use.
  Nanoseconds cover_matmul_time();

 private:
  /// Waits, at most 2 s, until the chip is at the clock it ought to recover to, or shows that it does not get there.
  void recover_to(double mhz);

  using State = std::tuple<CacheState, Cover, Bytes>;
  Device& device_;
  double reference_clock_ = 0;
  double hoped_for_clock_ = 0;  // the chip's nominal one, until it has shown that it does not get there
  std::optional<Nanoseconds> cover_matmul_time_;
  std::map<State, CallOffset> offsets_;
};

}  // namespace warpclock
