#include "measure/settle.hpp"

#include <algorithm>

namespace warpclock {
namespace {

constexpr auto first_wait = milliseconds(10);
constexpr auto longest_wait = milliseconds(200);
constexpr int patience = 3;
// A device left alone for seconds drops to its idle clock. A light load on one unit brings it back without heat.
constexpr auto wake_up = milliseconds(1);

}  // namespace

Settled settle(Session& session, Nanoseconds budget, const Control& control) {
  auto& device = session.device();
  Settled out{.clock_mhz = session.read_clock()};
  Nanoseconds wait = first_wait;
  int waits_without_gain = 0;
  while (!session.recovered(out.clock_mhz) && out.waited < budget && waits_without_gain < patience &&
         !control.interrupted()) {
    control.progress({.phase = "settling"});
    const auto start = device.host_now();
    device.idle(std::min(wait, budget - out.waited));
    device.stream().launch_spin(wake_up);
    const double before = out.clock_mhz;
    out.clock_mhz = session.read_clock();
    out.waited += device.host_now() - start;
    const bool gained = out.clock_mhz > before * (1 + device.info().clock_tolerance / 4);
    waits_without_gain = gained ? 0 : waits_without_gain + 1;
    wait = std::min(wait * 2, longest_wait);
  }
  out.recovered = session.recovered(out.clock_mhz);
  return out;
}

}  // namespace warpclock
