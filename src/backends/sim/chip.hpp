// How long things take on the simulated chip: cache, clock, power, noise and other processes, apart from any queue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "backends/sim/cache.hpp"
#include "backends/sim/clock.hpp"
#include "backends/sim/config.hpp"
#include "backends/sim/meters.hpp"
#include "backends/sim/noise.hpp"
#include "core/units.hpp"

namespace warpclock::sim {

/// Each member runs one command that starts at `start` and returns when it has finished; the state of cache and power
/// moves on. Starts need not ascend, as those of side streams do not.
class Chip {
 public:
  explicit Chip(const SimConfig& config);

  /// throws UsageError if the chip has no rate for the kernel's compute type
  void require_runs(const SimKernel& kernel) const;
  Nanoseconds run(const SimKernel& kernel, Nanoseconds start);     // with SimConfig::noise
  Nanoseconds oracle(const SimKernel& kernel, Nanoseconds start);  // with SimConfig::oracle_noise
  Nanoseconds evict(Evict kind, Bytes bytes, Nanoseconds start);
  Nanoseconds touch(std::span<const SimOperand> operands, Nanoseconds start);  // a fill or a copy
  Nanoseconds transfer(const SimOperand& operand, Nanoseconds start);          // over the link to the host
  /// Clock as a probe at `start` reads it.
  double probe(Nanoseconds start);
  /// Stamp of a mark taken at `at`, with jitter and in steps.
  Nanoseconds stamp(Nanoseconds at);

  void lock_clock(std::optional<double> mhz) { clock_.lock(mhz); }

  [[nodiscard]] const Cache& cache() const { return cache_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const PowerMeter& power() const { return power_; }
  /// Of the kernels and oracles that run.
  [[nodiscard]] ClockMean& clock_mean() { return clock_mean_; }
  /// `mhz` as a meter with this relative noise reads it.
  [[nodiscard]] double reading(double mhz, double noise) { return mhz * (1 + noise * reading_noise_.normal()); }

 private:
  Nanoseconds run(const SimKernel& kernel, Nanoseconds start, double factor);
  [[nodiscard]] double flops_per_clock(const SimKernel& kernel) const;
  [[nodiscard]] Nanoseconds memory_time(const Traffic& traffic) const;
  void draw(Nanoseconds start, Nanoseconds end, double power);
  Nanoseconds occupy(Nanoseconds start, Nanoseconds work, double power);
  [[nodiscard]] Nanoseconds with_others(Nanoseconds start, Nanoseconds work) const;

  const SimConfig& config_;
  Cache cache_;
  Clock clock_;
  PowerMeter power_;
  ClockMean clock_mean_;
  NoiseSource kernel_noise_;
  NoiseSource oracle_noise_;
  NoiseSource reading_noise_;  // of probes and marks: they must not shift the noise of the kernels
};

}  // namespace warpclock::sim
