// Did the samples drift while they were taken.
#pragma once

#include <span>

namespace warpclock {

struct Trend {
  double change = 0;         // fitted change from the first sample to the last, in the unit of the samples
  double relative = 0;       // change over the median; 0 where the median is 0
  double p_value = 1;        // of no trend, two-sided
  bool significant = false;  // p_value below the level asked for
};

/// Drift of `x` in run order: Theil-Sen slope and Mann-Kendall test on at most 40 medians of consecutive samples, the
/// variance of the test multiplied by the variance inflation of the residuals about the line.
///   x       n >= 1 finite values; nothing is significant for n < 10
///   level   of false alarms, in (0, 1)
///   throws  UsageError if x is empty or not finite, or level is outside (0, 1)
///   failure on stationary AR(1) with rho 0.8 and n = 20 to 1000 it fires in at most 2 % at the level 0.01. A random
///           walk, or dependence that reaches over more than a tenth of the run, is a trend to it.
///   source  Hamed & Rao, J. Hydrology 204 (1998), 182; Sen, JASA 63 (1968), 1379;  cost O(n)
[[nodiscard]] Trend trend(std::span<const double> x, double level = 0.01);

}  // namespace warpclock
