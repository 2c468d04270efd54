#include "measure/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace warpclock {
namespace {

constexpr auto time_to_run = seconds(1.5);
// The counter moves every 20 to 100 ms; asking more often would only keep the host from feeding the device.
constexpr auto between_readings = milliseconds(30);

/// One move of the counter.
struct Move {
  Nanoseconds at{0};
  double joules = 0;
};

EnergyReading no_energy(std::string why) { return {.energy = {}, .missing = std::move(why)}; }

}  // namespace

EnergyReading measure_energy(Device& device, BackToBack& load, double flops, const Control& control) {
  control.progress({.phase = "energy"});
  const auto before = device.telemetry();
  if (!before.energy_joules) {
    const auto why = before.missing.find("energy_joules");
    return no_energy(why == before.missing.end() ? "the device does not tell its energy" : why->second);
  }
  double seen = *before.energy_joules;
  bool lost = false;
  auto read = device.host_now();
  std::vector<Move> moves;
  const auto per_call = load.run(time_to_run, [&] {
    const auto now = device.host_now();
    if (now - read < between_readings) return !control.interrupted();
    read = now;
    const auto joules = device.telemetry().energy_joules;
    lost = lost || !joules || *joules < seen;
    if (!lost && *joules > seen) moves.push_back({now, *joules});
    seen = joules.value_or(seen);
    return !lost && !control.interrupted();
  });
  if (lost) return no_energy("the energy counter went back or away while it was read");
  if (moves.size() < 3) return no_energy(fmt::format("the energy counter moved {} times in 1.5 s", moves.size()));

  const auto window = moves.back().at - moves.front().at;
  double step = moves.back().joules - moves.front().joules;
  for (std::size_t i = 1; i < moves.size(); ++i) step = std::min(step, moves[i].joules - moves[i - 1].joules);
  const double calls = window / per_call;
  Energy out{.joules_per_call = (moves.back().joules - moves.front().joules) / calls,
             .resolution_joules = step / calls,
             .calls = static_cast<std::size_t>(calls),
             .window = window};
  if (flops > 0) out.joules_per_flop = out.joules_per_call / flops;
  return {.energy = out, .missing = {}};
}

}  // namespace warpclock
