#include "measure/pacing.hpp"

#include <algorithm>

#include "device/abilities.hpp"
#include "measure/settle.hpp"

namespace warpclock {

Pacer::Group Pacer::next(const Control& control) {
  auto& device = session_.device();
  if (!can(device.info(), "clock probe")) return {.size = group_};
  if (sustained_) return {.size = group_, .clock_mhz = session_.read_clock()};
  if (!first_ && gap_.count() > 0) device.idle(gap_);
  const auto group_time = device.host_now() - group_started_;

  Group out{.clock_mhz = session_.read_clock()};
  out.recovered = session_.recovered(out.clock_mhz);
  if (!out.recovered) {
    out.throttled_before = !first_;
    const auto settled = settle(session_, budget_ - waited_, control);
    waited_ += settled.waited;
    out.clock_mhz = settled.clock_mhz;
    out.recovered = settled.recovered;
    if (!first_ && settled.recovered) {
      group_ = std::max<std::size_t>(1, group_ / 2);
      gap_ = gap_.count() > 0 ? gap_ * 2 : group_time;
    }
  }
  always_recovered_ = always_recovered_ && out.recovered;
  out.size = group_;
  first_ = false;
  group_started_ = device.host_now();
  return out;
}

}  // namespace warpclock
