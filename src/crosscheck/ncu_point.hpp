// What ncu says of one call: the launches of a profile put together into calls, and the calls into estimates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/estimate.hpp"
#include "crosscheck/ncu_csv.hpp"

namespace warpclock {

/// Sums over the kernels of one call; a metric that one of them lacks is absent.
struct NcuCall {
  std::optional<double> time_ns;
  std::optional<double> cycles;
  std::optional<double> clock_mhz;  // weighted by time
  std::optional<double> dram_read_bytes;
  std::optional<double> dram_written_bytes;
};

struct NcuPoint {
  std::vector<std::string> kernels;  // of one call, in order
  std::vector<NcuCall> calls;
  Estimate time_ns;  // over the calls; with fewer than 6 of them low and high are the extremes
  std::optional<Estimate> cycles;
  std::optional<Estimate> clock_mhz;
  std::optional<Estimate> dram_read_bytes;
  std::optional<Estimate> dram_written_bytes;

  /// Largest minus smallest time of a call.
  [[nodiscard]] double spread_ns() const;
};

/// Launches in order, of `calls` calls that all make the same launches.
///   calls   at least 1
///   throws  DataError where the launches are not a whole number of equal calls, or have no times
[[nodiscard]] NcuPoint into_calls(const std::vector<NcuKernel>& launches, std::uint32_t calls);

}  // namespace warpclock
