#include "backends/sim/clock.hpp"

#include <algorithm>
#include <cmath>

namespace warpclock::sim {

Clock::Clock(const SimConfig& config)
    : nominal_(config.nominal_clock_mhz), steps_(config.clock_steps), limiter_(config.limiter) {}

double Clock::mhz(Nanoseconds now) const {
  const double free = unlimited(now);
  return full_ ? std::min(free, recovered(now - *full_)) : free;
}

double Clock::unlimited(Nanoseconds now) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), now,
                                      [](Nanoseconds at, const ClockStep& step) { return at < step.at; });
  const double free = after == steps_.begin() ? nominal_ : (after - 1)->mhz;
  return lock_ ? std::min(free, *lock_) : free;
}

// Between two points of the curve what is missing to its end shrinks exponentially, in its last stretch linearly.
double Clock::recovered(Nanoseconds idle) const {
  const auto& curve = limiter_.recovery;
  const auto after = std::upper_bound(curve.begin(), curve.end(), idle,
                                      [](Nanoseconds at, const RecoveryPoint& point) { return at < point.idle; });
  if (after == curve.begin()) return curve.front().mhz;
  if (after == curve.end()) return std::max(curve.back().mhz, nominal_);
  const auto before = after - 1;
  const double part = (idle - before->idle) / (after->idle - before->idle);
  const double missing_before = curve.back().mhz - before->mhz;
  const double missing_after = curve.back().mhz - after->mhz;
  if (missing_after <= 0) return before->mhz + part * missing_before;
  return curve.back().mhz - missing_before * std::pow(missing_after / missing_before, part);
}

void Clock::draw(Nanoseconds start, Nanoseconds end, double power) {
  if (!limiter_.enabled) return;
  const auto drain_until = [this](Nanoseconds now) {
    if (now <= last_) return;
    energy_ -= limiter_.sustainable * (now - last_).count();
    last_ = now;
  };
  drain_until(start);
  energy_ = std::max(energy_, 0.0);
  drain_until(end);
  energy_ = std::max(energy_ + power * (end - start).count(), 0.0);
  if (energy_ >= limiter_.bucket.count()) {
    energy_ = limiter_.bucket.count();
    full_ = end;
    engaged_ += end - start;
  }
}

}  // namespace warpclock::sim
