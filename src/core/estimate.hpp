// What a set of samples says: a point, its interval, and how it is spread.
#pragma once

#include <cstddef>
#include <vector>

namespace warpclock {

/// A median with a distribution-free confidence interval. All three values have the unit of the samples.
struct Estimate {
  double value = 0;              // median
  double low = 0;                // interval, low <= value <= high
  double high = 0;
  double level = 0;              // coverage reached in (0, 1); below the wanted one where n is too small for it
  std::size_t samples = 0;       // how many samples went in
  double effective_samples = 0;  // how many independent samples they are worth, 1 <= effective_samples <= samples

  /// Half the width of the interval over the median: 0.005 is 0.5 %. 0 where the median is 0.
  [[nodiscard]] double relative_half_width() const { return value == 0 ? 0 : (high - low) / 2 / value; }
};

/// The shape of the samples beside the median. Same unit as the samples.
struct Spread {
  double min = 0, p5 = 0, p25 = 0, p75 = 0, p95 = 0, max = 0, mean = 0;
  double mad = 0;  // median absolute deviation from the median, unscaled
};

/// One cluster of a distribution that has more than one.
struct Mode {
  double center = 0;  // median of the cluster's samples
  double share = 0;   // part of all samples, in (0, 1]
};

struct Summary {
  Estimate median;
  Spread spread;
  std::vector<Mode> modes;  // one entry where the samples have one mode
};

}  // namespace warpclock
