#include "backends/sim/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/errors.hpp"

namespace warpclock::sim {
namespace {

void require(bool holds, std::string_view what) {
  if (!holds) throw UsageError(fmt::format("sim: {}; change the script of the simulated device", what));
}

bool is_share(double value) { return value >= 0 && value <= 1; }

void require_valid(const SimNoise& noise) {
  require(noise.sigma >= 0 && std::isfinite(noise.sigma), "the sigma of a noise must be 0 or more");
  require(std::abs(noise.rho) < 1, "the rho of a noise must lie in (-1, 1)");
  require(is_share(noise.mode_share) && is_share(noise.outlier_share), "a share of launches must lie in [0, 1]");
  require(noise.mode_factor > 0 && noise.outlier_factor > 0, "the factors of a noise must be positive");
}

void require_valid(const LimiterConfig& limiter) {
  require(limiter.bucket.count() > 0 && limiter.sustainable > 0, "bucket and sustainable power must be positive");
  require(!limiter.recovery.empty() && limiter.recovery.front().mhz > 0, "the recovery curve needs a positive clock");
  const auto ascends = [](const RecoveryPoint& a, const RecoveryPoint& b) { return a.idle >= b.idle || a.mhz > b.mhz; };
  require(std::adjacent_find(limiter.recovery.begin(), limiter.recovery.end(), ascends) == limiter.recovery.end(),
          "the recovery curve must ascend");
}

void require_valid_schedules(const SimConfig& config) {
  const auto unsorted = [](const ClockStep& a, const ClockStep& b) { return a.at >= b.at; };
  require(
      std::adjacent_find(config.clock_steps.begin(), config.clock_steps.end(), unsorted) == config.clock_steps.end(),
      "the clock steps must ascend in time");
  for (const auto& step : config.clock_steps) require(step.mhz > 0, "a clock step must be positive");
  Nanoseconds last{0};
  for (const auto& other : config.contamination) {
    require(other.share >= 0 && other.share < 1, "the share of a contamination must lie in [0, 1)");
    require(other.from >= last && other.until > other.from, "contaminations must ascend and not overlap");
    last = other.until;
  }
}

}  // namespace

void require_valid(const SimConfig& config) {
  require(config.nominal_clock_mhz > 0 && config.multiprocessors > 0, "clock and multiprocessors must be positive");
  require(config.l2 > 0, "the cache must hold something");
  require(std::min({config.memory_bandwidth, config.nominal_bandwidth, config.l2_bandwidth, config.write_back_bandwidth,
                    config.link_bandwidth}) > 0,
          "bandwidths must be positive");
  require(std::min(config.mark_step, config.record_step).count() > 0, "the steps of stamps must be positive");
  require(std::min({config.kernel_floor, config.launch_cost, config.release_cost, config.launch_latency,
                    config.mark_floor, config.kernel_gap, config.probe_time, config.mark_jitter, config.trace_overhead,
                    config.first_launch, config.first_traced_launch})
                  .count() >= 0,
          "times must be 0 or more");
  require(config.call_offset >= config.mark_floor, "call_offset must be mark_floor or more");
  require(config.probe_noise >= 0 && is_share(config.bad_stamp_share), "probe noise and shares must be 0 or more");
  for (const auto& rate : config.compute) require(rate.flops_per_clock > 0, "compute rates must be positive");
  require(config.lowest_clock_mhz > 0 && config.clock_step_mhz > 0, "the clocks to lock must be positive");
  require_valid(config.noise);
  require_valid(config.oracle_noise);
  require_valid(config.limiter);
  require_valid_schedules(config);
}

std::vector<Peak> peaks(const SimConfig& config) {
  std::vector<Peak> rows;
  rows.push_back({.resource = "memory",
                  .value = config.nominal_bandwidth / 1e9,
                  .unit = "GB/s",
                  .source = "script of the simulated device"});
  for (const auto& rate : config.compute) {
    rows.push_back({.resource = rate.type,
                    .value = rate.flops_per_clock * config.multiprocessors * config.nominal_clock_mhz * 1e6 / 1e12,
                    .unit = "TFLOP/s",
                    .clock_mhz = config.nominal_clock_mhz,
                    .source = fmt::format("simulated: {} SM x {:g} flop per clock", config.multiprocessors,
                                          rate.flops_per_clock)});
  }
  return rows;
}

}  // namespace warpclock::sim
