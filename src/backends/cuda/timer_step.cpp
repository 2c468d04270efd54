#include "backends/cuda/timer_step.hpp"

#include <algorithm>

namespace warpclock::cuda {

Nanoseconds smallest_step(std::vector<Nanoseconds> intervals) {
  std::sort(intervals.begin(), intervals.end());
  Nanoseconds step{0};
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    const Nanoseconds difference = intervals[i] - intervals[i - 1];
    if (difference > Nanoseconds{0.5} && (step == Nanoseconds{0} || difference < step)) step = difference;
  }
  return step;
}

}  // namespace warpclock::cuda
