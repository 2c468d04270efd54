#include "crosscheck/ncu_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/errors.hpp"
#include "stats/median.hpp"

namespace warpclock {
namespace {

template <class T>
std::optional<double> sum_of(std::span<const NcuKernel> kernels, T NcuKernel::*metric) {
  double sum = 0;
  for (const auto& kernel : kernels) {
    if (!(kernel.*metric)) return std::nullopt;
    sum += *(kernel.*metric);
  }
  return sum;
}

/// From ncu's own column where it is there, else from cycles and time.
std::optional<double> clock_of(std::span<const NcuKernel> kernels, const NcuCall& call) {
  if (!call.time_ns || *call.time_ns == 0) return std::nullopt;
  double cycles = 0;
  for (const auto& kernel : kernels) {
    if (!kernel.clock_mhz) return call.cycles ? std::optional(*call.cycles * 1e3 / *call.time_ns) : std::nullopt;
    cycles += *kernel.clock_mhz * *kernel.time_ns;
  }
  return cycles / *call.time_ns;
}

NcuCall call_of(std::span<const NcuKernel> kernels) {
  NcuCall call{.time_ns = sum_of(kernels, &NcuKernel::time_ns),
               .cycles = sum_of(kernels, &NcuKernel::cycles),
               .dram_read_bytes = sum_of(kernels, &NcuKernel::dram_read_bytes),
               .dram_written_bytes = sum_of(kernels, &NcuKernel::dram_written_bytes)};
  call.clock_mhz = clock_of(kernels, call);
  return call;
}

std::optional<Estimate> over_calls(const std::vector<NcuCall>& calls, std::optional<double> NcuCall::*metric) {
  std::vector<double> values;
  for (const auto& call : calls) {
    if (call.*metric) values.push_back(*(call.*metric));
  }
  if (values.size() != calls.size()) return std::nullopt;
  return median(values);
}

std::vector<std::string> names_of(std::span<const NcuKernel> kernels) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels) names.push_back(kernel.name);
  return names;
}

}  // namespace

double NcuPoint::spread_ns() const {
  const auto [least, most] = std::ranges::minmax(calls, {}, [](const NcuCall& call) { return *call.time_ns; });
  return *most.time_ns - *least.time_ns;
}

NcuPoint into_calls(const std::vector<NcuKernel>& launches, std::uint32_t calls) {
  if (launches.empty() || launches.size() % calls != 0) {
    throw DataError(
        fmt::format("ncu profiled {} launches in {} calls, which is no whole number a call; leave launch "
                    "and kernel filters out of --ncu-args",
                    launches.size(), calls));
  }
  const auto per_call = launches.size() / calls;
  NcuPoint point;
  for (std::size_t first = 0; first < launches.size(); first += per_call) {
    const std::span kernels(launches.data() + first, per_call);
    if (first == 0) point.kernels = names_of(kernels);
    if (names_of(kernels) != point.kernels) {
      throw DataError("the calls that ncu profiled do not make the same launches, so they cannot be told apart");
    }
    point.calls.push_back(call_of(kernels));
  }
  const auto time = over_calls(point.calls, &NcuCall::time_ns);
  if (!time) throw DataError(fmt::format("ncu has no {} for some launches (n/a)", ncu_metric::time));
  point.time_ns = *time;
  point.cycles = over_calls(point.calls, &NcuCall::cycles);
  point.clock_mhz = over_calls(point.calls, &NcuCall::clock_mhz);
  point.dram_read_bytes = over_calls(point.calls, &NcuCall::dram_read_bytes);
  point.dram_written_bytes = over_calls(point.calls, &NcuCall::dram_written_bytes);
  return point;
}

}  // namespace warpclock
