#include "backends/sim/meters.hpp"

#include <algorithm>
#include <cmath>

namespace warpclock::sim {

void PowerMeter::draw(Nanoseconds start, Nanoseconds end, double power) {
  const auto last = knots_.back();
  start = std::max(start, last.at);
  if (end <= start) return;
  const double seconds = (end - start) / warpclock::seconds(1);
  knots_.push_back({start, last.joules});
  knots_.push_back({end, last.joules + power * config_.limit_watts * seconds});
  while (knots_.size() > 2 && knots_[1].at < start - 3 * config_.step) knots_.pop_front();
}

double PowerMeter::watts(Nanoseconds now) const {
  const auto step = step_before(now);
  return (joules_at(step) - joules_at(step - config_.step)) / (config_.step / seconds(1));
}

double PowerMeter::joules_at(Nanoseconds time) const {
  const double idle = config_.idle_watts * (time / seconds(1));
  const auto after = std::ranges::upper_bound(knots_, time, {}, &Knot::at);
  if (after == knots_.begin()) return idle + knots_.front().joules;
  if (after == knots_.end()) return idle + knots_.back().joules;
  const auto& from = *(after - 1);
  const double part = (time - from.at) / (after->at - from.at);
  return idle + from.joules + part * (after->joules - from.joules);
}

Nanoseconds PowerMeter::step_before(Nanoseconds now) const { return std::floor(now / config_.step) * config_.step; }

}  // namespace warpclock::sim
