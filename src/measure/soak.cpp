#include "measure/soak.hpp"

#include <algorithm>
#include <deque>
#include <optional>

namespace warpclock {
namespace {

constexpr auto window_time = milliseconds(250);
constexpr std::size_t windows_compared = 4;
constexpr double time_tolerance = 0.005;
constexpr double power_tolerance = 0.02;
constexpr double temperature_tolerance = 1;  // degrees: the step of the sensor

struct Window {
  double call_ns = 0;
  std::optional<double> watts, celsius;
};

/// Largest minus smallest of a figure over the windows.  pre: all of them have it
template <class Pick>
double range(const std::deque<Window>& windows, const Pick& pick) {
  double low = *pick(windows.front()), high = low;
  for (const auto& window : windows) {
    low = std::min(low, *pick(window));
    high = std::max(high, *pick(window));
  }
  return high - low;
}

template <class Pick>
bool all_have(const std::deque<Window>& windows, const Pick& pick) {
  return std::ranges::all_of(windows, [&](const Window& window) { return pick(window).has_value(); });
}

bool stands_still(const std::deque<Window>& windows) {
  if (windows.size() < windows_compared) return false;
  const auto time = [](const Window& window) { return std::optional(window.call_ns); };
  const auto watts = [](const Window& window) { return window.watts; };
  const auto celsius = [](const Window& window) { return window.celsius; };
  const auto& last = windows.back();
  if (range(windows, time) > time_tolerance * last.call_ns) return false;
  if (all_have(windows, watts) && range(windows, watts) > power_tolerance * *last.watts) return false;
  return !all_have(windows, celsius) || range(windows, celsius) <= temperature_tolerance;
}

/// One window of load, and the chip's state at its end, still under load.
Window heat(Device& device, BackToBack& load, bool telemetry, const Control& control) {
  Window out;
  const auto start = device.host_now();
  bool read = !telemetry;
  const auto per_call = load.run(window_time, [&] {
    if (!read && device.host_now() - start > window_time / 2) {
      const auto state = device.telemetry();
      out.watts = state.power_watts;
      out.celsius = state.temperature_celsius;
      read = true;
    }
    return !control.interrupted();
  });
  out.call_ns = per_call.count();
  return out;
}

}  // namespace

Soaked soak(Device& device, BackToBack& load, const Protocol& protocol, const Control& control) {
  const auto start = device.host_now();
  std::deque<Window> windows;
  Soaked out;
  while (!out.steady && out.time < protocol.soak_time && !control.interrupted()) {
    control.progress({.phase = "heating"});
    windows.push_back(heat(device, load, protocol.telemetry, control));
    if (windows.size() > windows_compared) windows.pop_front();
    out.steady = stands_still(windows);
    out.time = device.host_now() - start;
  }
  return out;
}

}  // namespace warpclock
