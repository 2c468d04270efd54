// When to stop sampling: on the width of the interval that will be reported, never on significance (peeking finds it
// in 27 % of the cases where nothing is there) and never on the standard deviation (one outlier keeps it up for ever).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/estimate.hpp"
#include "core/result.hpp"

namespace warpclock {

struct StopRule {
  double precision = 0.005;                // wanted half-width of the interval over the median
  double level = 0.95;                     // wanted coverage of the interval
  double step = 0;                         // of the timer, in the unit of the samples; 0: not known
  std::uint64_t min_samples = 20;          // not before
  std::optional<std::uint64_t> samples{};  // exactly this many, whatever the interval
  double plateau = 0.1;  // least part by which twice the samples must narrow the interval (0.29 is usual)
};

/// Takes the samples of one series in run order and says when there are enough of them.
///
/// The interval is that of median_of_series. It is worked out at min_samples and from there on every 15 % more samples
/// (5 at least), so that n samples cost O(n log n) in all, and looking often cannot pick a lucky interval often.
///   precision   half-width / |median| <= precision; 0 where the interval is a point, infinite where only the median is
///   0 resolution  half-width <= step plateau     from 10 min_samples (200 at least) on: at three looks in a row the
///   interval was not narrower by
///               `plateau` than it was at half as many samples. What is left is drift or a change of state.
/// precision and resolution also ask that the interval reaches its level. A time limit is the caller's.
class Stopping {
 public:
  /// throws UsageError if level is outside (0, 1), precision, step or plateau is negative or not finite, or samples is
  /// 0
  explicit Stopping(StopRule rule);

  /// throws UsageError if value is not finite.  cost O(1), and O(n log n) at a look
  void add(double value);

  /// Why to stop; empty as long as more samples are wanted. Once set it stays, whatever is added after it.
  [[nodiscard]] std::optional<StopReason> verdict() const { return verdict_; }

  /// Median and interval over all samples so far, never narrower than the timer step.
  ///   throws  UsageError if there is no sample;  cost O(n log n)
  [[nodiscard]] Estimate current() const;

  [[nodiscard]] std::size_t count() const { return values_.size(); }

 private:
  struct Look {
    std::size_t n;
    double width;
  };

  void look();
  [[nodiscard]] bool on_plateau(double width) const;

  StopRule rule_;
  std::vector<double> values_;
  std::vector<Look> looks_;
  std::size_t next_look_;
  int flat_looks_ = 0;  // in a row
  std::optional<StopReason> verdict_;
};

}  // namespace warpclock
