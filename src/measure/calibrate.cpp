#include "measure/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "device/oracle_workload.hpp"
#include "measure/sampler.hpp"
#include "measure/setup.hpp"
#include "measure/windows.hpp"
#include "stats/median.hpp"

namespace warpclock {
namespace {

constexpr std::array oracle_lengths{microseconds(0), microseconds(5), microseconds(20)};  // 0: the empty kernel
constexpr auto time_per_oracle = milliseconds(100);
constexpr std::size_t most_samples = 15;
constexpr std::size_t fewest_samples = 3;

/// Median call time minus median kernel time of one oracle; empty where none of its stamps is sound.
std::optional<double> offset_on(Device& device, Workload& oracle, const SampleSetup& setup) {
  Sampler sampler(device, oracle, setup);
  const auto start = device.host_now();
  sampler.take(Pass::untraced, 0);  // loads what is to be loaded, and tells what a sample costs
  const auto cost = std::max(device.host_now() - start, Nanoseconds{1});
  const auto wanted = static_cast<std::size_t>(time_per_oracle / 2 / cost);
  const auto n = std::clamp(wanted, fewest_samples, most_samples);

  std::vector<double> call;
  for (std::size_t i = 0; i < n; ++i) {
    const auto sample = sampler.take(Pass::untraced, 0);
    if (!sample.marks.has(Mark::bad_stamp)) call.push_back(sample.call->count());
  }

  std::vector<Sample> traced;
  std::vector<KernelSeries> kernels;
  device.stream().start_trace();
  sampler.warm_up();
  for (std::uint32_t i = 0; i < n; ++i) traced.push_back(sampler.take(Pass::traced, i));
  attribute(traced, device.stream().stop_trace(), 1, 1, kernels);
  std::vector<double> kernel;
  for (const auto& sample : traced) {
    if (sample.kernel) kernel.push_back(sample.kernel->count());
  }
  if (call.empty() || kernel.empty()) return std::nullopt;
  return median(call).value - median(kernel).value;
}

}  // namespace

std::optional<CallOffset> calibrate_offset(Session& session, const Protocol& protocol) {
  auto& device = session.device();
  std::vector<double> offsets;
  for (const auto length : oracle_lengths) {
    OracleWorkload oracle(device, [length](Device& on) {
      length.count() > 0 ? on.stream().launch_spin(length) : on.stream().launch_empty();
    });
    auto setup = sample_setup(session, protocol, Nanoseconds{0}, true);
    setup.batch = 1;
    const auto offset = offset_on(device, oracle, setup);
    if (!offset) return std::nullopt;
    offsets.push_back(*offset);
  }
  const double centre = median(offsets).value;
  double band = (device.info().mark_step + device.info().record_step).count();
  for (const double offset : offsets) band = std::max(band, std::abs(offset - centre));
  return CallOffset{.value = Nanoseconds{centre}, .band = Nanoseconds{band}};
}

}  // namespace warpclock
