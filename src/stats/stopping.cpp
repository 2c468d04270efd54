#include "stats/stopping.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "stats/median.hpp"
#include "stats/summary.hpp"

namespace warpclock {
namespace {

constexpr double growth = 1.15;  // between two looks
constexpr std::size_t least_growth = 5;
constexpr std::size_t plateau_from = 200;
constexpr int flat_looks_needed = 3;

bool not_negative(double v) { return std::isfinite(v) && v >= 0; }

}  // namespace

Stopping::Stopping(StopRule rule)
    : rule_(rule), next_look_(static_cast<std::size_t>(std::max<std::uint64_t>(rule.min_samples, 1))) {
  if (!(rule.level > 0 && rule.level < 1)) throw UsageError("stop rule: level must be in (0, 1), as in 0.95");
  if (!not_negative(rule.precision)) throw UsageError("stop rule: precision must be 0 or more, as in 0.005");
  if (!not_negative(rule.step)) throw UsageError("stop rule: the timer step must be 0 or more");
  if (!not_negative(rule.plateau)) throw UsageError("stop rule: plateau must be 0 or more, as in 0.1");
  if (rule.samples == 0U) throw UsageError("stop rule: samples must be 1 or more");
}

void Stopping::add(double value) {
  if (!std::isfinite(value))
    throw UsageError("stop rule: a sample is not finite; leave out samples that carry no time");
  values_.push_back(value);
  if (verdict_) return;
  if (rule_.samples) {
    if (values_.size() >= *rule_.samples) verdict_ = StopReason::samples;
  } else if (values_.size() >= next_look_) {
    look();
    const auto n = values_.size();
    next_look_ = std::max(n + least_growth, static_cast<std::size_t>(std::ceil(static_cast<double>(n) * growth)));
  }
}

void Stopping::look() {
  const Estimate now = median_of_series(values_, rule_.level);
  const double half = (now.high - now.low) / 2;
  flat_looks_ = on_plateau(2 * half) ? flat_looks_ + 1 : 0;
  looks_.push_back({values_.size(), 2 * half});
  const bool reached = now.level >= rule_.level - 1e-9;
  if (reached && half <= rule_.precision * std::abs(now.value)) {
    verdict_ = StopReason::precision;  // a point interval is precise, at zero too
  } else if (reached && half <= rule_.step) {
    verdict_ = StopReason::resolution;
  } else if (flat_looks_ >= flat_looks_needed) {
    verdict_ = StopReason::plateau;
  }
}

bool Stopping::on_plateau(double width) const {
  const std::size_t n = values_.size();
  if (n < std::max<std::size_t>(plateau_from, 10 * static_cast<std::size_t>(rule_.min_samples))) return false;
  const auto earlier = std::find_if(looks_.rbegin(), looks_.rend(), [&](const Look& look) { return 2 * look.n <= n; });
  return earlier != looks_.rend() && width > (1 - rule_.plateau) * earlier->width;
}

Estimate Stopping::current() const { return at_least_step(median_of_series(values_, rule_.level), rule_.step); }

}  // namespace warpclock
