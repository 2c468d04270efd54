#include "backends/sim/chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/errors.hpp"

namespace warpclock::sim {
namespace {

constexpr double transfer_power = 0.35;  // fills, copies and evictions: below what can be sustained
constexpr double probe_power = 0.15;
// Operands of the device's own; ids of buffers and scripts lie below.
constexpr std::uint64_t clean_flush = std::uint64_t{1} << 62;
constexpr std::uint64_t dirty_flush = clean_flush + 1;

}  // namespace

Chip::Chip(const SimConfig& config)
    : config_(config),
      cache_(config.l2),
      clock_(config),
      power_(config.telemetry),
      kernel_noise_(config.seed),
      oracle_noise_(config.seed ^ 0x9e3779b97f4a7c15),  // any other seeds that follow from the seed
      reading_noise_(config.seed ^ 0xbf58476d1ce4e5b9) {}

Nanoseconds Chip::run(const SimKernel& kernel, Nanoseconds start) {
  return run(kernel, start, kernel_noise_.factor(kernel.noise.value_or(config_.noise), start));
}

Nanoseconds Chip::oracle(const SimKernel& kernel, Nanoseconds start) {
  return run(kernel, start, oracle_noise_.factor(config_.oracle_noise, start));
}

Nanoseconds Chip::run(const SimKernel& kernel, Nanoseconds start, double factor) {
  cache_.next_command();
  Traffic traffic;
  for (const auto access : {Access::read, Access::write}) {
    for (const auto& operand : kernel.operands) {
      if (operand.access == access) traffic += cache_.access(operand.id, static_cast<double>(operand.bytes), access);
    }
  }
  traffic += cache_.pass_through(kernel.bytes_read, Access::read);
  traffic += cache_.pass_through(kernel.bytes_written, Access::write);

  const double clock_hz = clock_.mhz(start) * 1e6;
  auto time = kernel.fixed + seconds(kernel.cycles / clock_hz);
  const auto compute = kernel.flops > 0 ? seconds(kernel.flops / (flops_per_clock(kernel) * clock_hz)) : seconds(0);
  time += std::max(compute, memory_time(traffic));
  const auto end = occupy(start, factor * std::max(time, config_.kernel_floor), kernel.power);
  clock_mean_.add(end - start, clock_hz / 1e6);
  return end;
}

void Chip::require_runs(const SimKernel& kernel) const {
  if (kernel.flops > 0) static_cast<void>(flops_per_clock(kernel));
}

double Chip::flops_per_clock(const SimKernel& kernel) const {
  for (const auto& rate : config_.compute) {
    if (rate.type == kernel.compute_type) return rate.flops_per_clock * config_.multiprocessors;
  }
  throw UsageError(fmt::format("sim: kernel '{}' asks for compute type '{}', which SimConfig::compute does not list",
                               kernel.name, kernel.compute_type));
}

Nanoseconds Chip::memory_time(const Traffic& traffic) const {
  return seconds(traffic.hit / config_.l2_bandwidth + traffic.miss / config_.memory_bandwidth +
                 traffic.written_back / config_.write_back_bandwidth);
}

Nanoseconds Chip::evict(Evict kind, Bytes bytes, Nanoseconds start) {
  const bool clean = kind == Evict::clean;
  const SimOperand buffer{clean ? clean_flush : dirty_flush, bytes, clean ? Access::read : Access::write};
  return touch({&buffer, 1}, start);
}

Nanoseconds Chip::touch(std::span<const SimOperand> operands, Nanoseconds start) {
  cache_.next_command();
  Traffic traffic;
  for (const auto& operand : operands) {
    traffic += cache_.access(operand.id, static_cast<double>(operand.bytes), operand.access);
  }
  return occupy(start, std::max(memory_time(traffic), config_.kernel_floor), transfer_power);
}

Nanoseconds Chip::transfer(const SimOperand& operand, Nanoseconds start) {
  cache_.next_command();
  cache_.access(operand.id, static_cast<double>(operand.bytes), operand.access);
  const auto time = seconds(static_cast<double>(operand.bytes) / config_.link_bandwidth);
  return occupy(start, std::max(time, config_.kernel_floor), transfer_power);
}

double Chip::probe(Nanoseconds start) {
  const double clock = clock_.mhz(start);
  draw(start, start + config_.probe_time, probe_power);
  return reading(clock, config_.probe_noise);
}

Nanoseconds Chip::stamp(Nanoseconds at) {
  if (config_.mark_jitter.count() > 0) at += config_.mark_jitter * reading_noise_.normal();
  return std::floor(at / config_.mark_step) * config_.mark_step;
}

Nanoseconds Chip::occupy(Nanoseconds start, Nanoseconds work, double power) {
  const auto end = with_others(start, work);
  draw(start, end, power);
  return end;
}

void Chip::draw(Nanoseconds start, Nanoseconds end, double power) {
  clock_.draw(start, end, power);
  power_.draw(start, end, power);
}

// When work that starts at `start` ends, if other processes take their shares meanwhile.
Nanoseconds Chip::with_others(Nanoseconds start, Nanoseconds work) const {
  auto now = start;
  for (const auto& other : config_.contamination) {
    if (other.until <= now) continue;
    const auto alone = std::max(other.from - now, Nanoseconds{0});
    if (work <= alone) break;
    now += alone;
    work -= alone;
    const auto possible = (other.until - now) * (1 - other.share);
    if (work <= possible) return now + work / (1 - other.share);
    now = other.until;
    work -= possible;
  }
  return now + work;
}

}  // namespace warpclock::sim
