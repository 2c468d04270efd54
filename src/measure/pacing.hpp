// Starts every group of samples from the device's recovered clock (regime "burst"), or lets it be (regime "sustained").
#pragma once

#include <cstddef>

#include "core/sample.hpp"
#include "measure/control.hpp"
#include "measure/session.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// Reads the clock before each group. Where the group before has pulled it down, it waits for the recovery, makes
/// groups smaller and puts a longer pause before each: what the kernel does to the chip must not reach the next sample.
class Pacer {
 public:
  Pacer(Session& session, const Protocol& protocol)
      : session_(session), budget_(protocol.settle_time), sustained_(protocol.regime == Regime::sustained) {}

  struct Group {
    std::size_t size = 0;  // samples that may be taken before asking again
    double clock_mhz = 0;  // effective clock at its start; 0 where the device has no probe
    bool recovered = true;
    bool throttled_before = false;  // the group before this one had pulled the clock below the recovered one
  };
  [[nodiscard]] Group next(const Control& control);

  [[nodiscard]] Nanoseconds waited() const { return waited_; }
  [[nodiscard]] Nanoseconds gap() const { return gap_; }
  [[nodiscard]] bool always_recovered() const { return always_recovered_; }

 private:
  Session& session_;
  Nanoseconds budget_;
  bool sustained_;  // the samples keep the chip hot themselves: nothing is waited for
  Nanoseconds waited_{0};
  Nanoseconds gap_{0};
  Nanoseconds group_started_{0};
  std::size_t group_ = 8;
  bool first_ = true;
  bool always_recovered_ = true;
};

}  // namespace warpclock
