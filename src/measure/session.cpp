#include "measure/session.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "device/abilities.hpp"
#include "measure/calibrate.hpp"
#include "measure/settle.hpp"

namespace warpclock {
namespace {

constexpr auto warm_up_step = milliseconds(2);
constexpr int warm_up_steps = 20;
constexpr auto longest_recovery = seconds(2);
constexpr int clock_change_steps = 100;  // 0.2 s; chips follow a lock within some 10 ms

}  // namespace

Session::Session(Device& device) : device_(device) {
  if (!can(device.info(), "clock probe")) return;
  // Warm up by state, not by a fixed time: until a light load no longer raises the clock.
  double before = 0;
  for (int i = 0; i < warm_up_steps; ++i) {
    device_.stream().launch_spin(warm_up_step);
    const double now = read_clock();
    if (now < before * (1 + device.info().clock_tolerance / 2)) break;
    before = now;
  }
  recover_to(device.info().nominal_clock_mhz.value_or(0));
}

void Session::recover_to(double mhz) {
  hoped_for_clock_ = mhz;
  static_cast<void>(settle(*this, longest_recovery, {}));
  hoped_for_clock_ = 0;
}

double Session::read_clock() {
  auto& stream = device_.stream();
  if (!can(device_.info(), "clock probe")) return 0;
  const std::array probes{stream.probe_clock(), stream.probe_clock(), stream.probe_clock()};
  stream.synchronize();
  std::array<double, 3> mhz{};
  std::ranges::transform(probes, mhz.begin(), [&](ProbeTicket probe) { return stream.clock_mhz(probe); });
  stream.recycle();
  std::ranges::sort(mhz);
  reference_clock_ = std::max(reference_clock_, mhz[1]);
  return mhz[1];
}

void Session::clock_was_changed(std::optional<double> locked_mhz) {
  offsets_.clear();
  cover_matmul_time_.reset();
  if (!can(device_.info(), "clock probe")) return;
  double before = 0;
  for (int i = 0; i < clock_change_steps; ++i) {
    device_.stream().launch_spin(warm_up_step);
    reference_clock_ = 0;  // a chip that still goes to its new clock must not leave the old one as reference
    const double now = read_clock();
    if (std::abs(now - before) <= device_.info().clock_tolerance / 2 * before) break;
    before = now;
  }
  recover_to(locked_mhz ? *locked_mhz : device_.info().nominal_clock_mhz.value_or(0));
}

bool Session::recovered(double clock_mhz) const {
  return clock_mhz >= std::max(reference_clock_, hoped_for_clock_) * (1 - device_.info().clock_tolerance);
}

std::optional<CallOffset> Session::call_offset(const Protocol& protocol, const Control& control) {
  if (device_.info().record_timer.empty() || protocol.cover == Cover::none) return std::nullopt;
  const State state{protocol.cache, protocol.cover, protocol.flush_size.of(device_.info().last_level_cache)};
  if (const auto known = offsets_.find(state); known != offsets_.end()) return known->second;
  control.progress({.phase = "calibrating"});
  const auto offset = calibrate_offset(*this, protocol);
  if (offset) offsets_.emplace(state, *offset);
  return offset;
}

Nanoseconds Session::cover_matmul_time() {
  if (cover_matmul_time_) return *cover_matmul_time_;
  auto& stream = device_.stream();
  stream.launch_cover_matmul();  // the first one may load or compile
  const auto begin = stream.mark();
  stream.launch_cover_matmul();
  const auto end = stream.mark();
  stream.synchronize();
  cover_matmul_time_ = stream.elapsed(begin, end);
  stream.recycle();
  return *cover_matmul_time_;
}

}  // namespace warpclock
