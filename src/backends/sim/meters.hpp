// What the simulated chip tells of itself: power and energy by its management library, and the effective clock.
#pragma once

#include <deque>
#include <optional>

#include "backends/sim/config.hpp"
#include "core/units.hpp"

namespace warpclock::sim {

/// Power and energy as a management library gives them: its counter moves in steps of time.
class PowerMeter {
 public:
  explicit PowerMeter(const TelemetryConfig& config) : config_(config) {}

  /// The device drew `power` (1 is the limit) from `start` to `end`. A draw that starts before the end of the one
  /// before counts from there on.
  void draw(Nanoseconds start, Nanoseconds end, double power);
  /// Energy up to the counter's last step before `now`.
  [[nodiscard]] double joules(Nanoseconds now) const { return joules_at(step_before(now)); }
  /// Mean power between the counter's last two steps before `now`.
  [[nodiscard]] double watts(Nanoseconds now) const;

 private:
  struct Knot {
    Nanoseconds at{0};
    double joules = 0;  // of all draws until then
  };
  [[nodiscard]] double joules_at(Nanoseconds time) const;
  [[nodiscard]] Nanoseconds step_before(Nanoseconds now) const;

  const TelemetryConfig& config_;
  std::deque<Knot> knots_{{}};  // of the last steps; energy is linear between two of them
};

/// Mean clock over the kernels that ran while it was open, weighted by their time.
class ClockMean {
 public:
  void open() {
    open_ = true;
    time_ = cycles_ = Nanoseconds{0};
  }
  void close() { open_ = false; }
  void add(Nanoseconds time, double mhz) {
    if (!open_) return;
    time_ += time;
    cycles_ += time * mhz;
  }
  [[nodiscard]] Nanoseconds time() const { return time_; }
  /// Nothing where no kernel ran.
  [[nodiscard]] std::optional<double> mhz() const {
    return time_.count() > 0 ? std::optional(cycles_ / time_) : std::nullopt;
  }

 private:
  bool open_ = false;
  Nanoseconds time_{0};
  Nanoseconds cycles_{0};  // times MHz
};

}  // namespace warpclock::sim
