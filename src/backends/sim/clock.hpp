// The simulated chip's clock: the scripted steps, and below them the power limiter.
#pragma once

#include <optional>
#include <vector>

#include "backends/sim/config.hpp"
#include "core/units.hpp"

namespace warpclock::sim {

class Clock {
 public:
  explicit Clock(const SimConfig& config);

  /// True clock at `now`, with the device idle since the last draw().  pre: now is not before that
  [[nodiscard]] double mhz(Nanoseconds now) const;
  /// The clock that a library tells which does not see the limiter.
  [[nodiscard]] double unlimited(Nanoseconds now) const;
  /// True while the limiter keeps the clock down.
  [[nodiscard]] bool limited(Nanoseconds now) const { return mhz(now) < unlimited(now); }
  /// Time that draws kept the limiter engaged, in all.
  [[nodiscard]] Nanoseconds engaged() const { return engaged_; }
  /// From now on the clock is no higher than this; empty: no lock.
  void lock(std::optional<double> mhz) { lock_ = mhz; }
  [[nodiscard]] std::optional<double> locked() const { return lock_; }
  /// The device draws `power` (1 is the limit) from `start` to `end`; overlapping draws add up.
  void draw(Nanoseconds start, Nanoseconds end, double power);

 private:
  [[nodiscard]] double recovered(Nanoseconds idle) const;

  double nominal_;
  std::vector<ClockStep> steps_;
  LimiterConfig limiter_;
  std::optional<double> lock_;
  double energy_ = 0;    // in the bucket, in ns of full power
  Nanoseconds last_{0};  // up to which energy_ is known
  Nanoseconds engaged_{0};
  std::optional<Nanoseconds> full_;  // when the bucket was last full
};

}  // namespace warpclock::sim
