#include "run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyse/analyse.hpp"
#include "core/errors.hpp"

namespace warpclock {
namespace {

// Rotated copies together have to exceed the last-level cache by this factor, or some of them are still in it.
constexpr double rotation_factor = 2;

const Benchmark& find_benchmark(const std::vector<Benchmark>& benchmarks, const std::string& name) {
  const auto found = std::ranges::find(benchmarks, name, &Benchmark::name);
  if (found == benchmarks.end()) throw UsageError("there is no kernel '" + name + "'; 'warpclock list' names them all");
  return *found;
}

WorkloadOptions workload_options(const DeviceInfo& info, const Protocol& protocol) {
  WorkloadOptions options{.copies = protocol.copies, .data = protocol.data, .seed = protocol.seed};
  if (protocol.copies == 0 && protocol.cache == CacheState::rotate) {
    options.rotation_footprint = static_cast<Bytes>(rotation_factor * static_cast<double>(info.last_level_cache));
  } else if (protocol.copies == 0) {
    options.copies = 1;
  }
  return options;
}

void require_memory(Device& device, const Benchmark& benchmark, const Point& point, std::uint32_t copies) {
  const auto one = benchmark.footprint(point);
  const auto needed = static_cast<double>(one) * std::max(1U, copies);
  const auto memory = device.memory();
  if (needed <= static_cast<double>(memory.free)) return;
  throw DeviceError(fmt::format("{} {} needs {:.1f} GiB and {} has {:.1f} GiB free; ask for a smaller size",
                                benchmark.name, to_string(point), needed / (1U << 30U), device.info().id,
                                static_cast<double>(memory.free) / (1U << 30U)));
}

/// True if the device still does what it is told after an error.
bool healthy(Device& device) {
  try {
    device.stream().launch_empty();
    device.stream().synchronize();
    device.stream().recycle();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

Result without_measurement(const Benchmark& benchmark, const Point& point, Status status, const std::string& error) {
  return {.benchmark = benchmark.name, .point = point, .status = status, .error = error};
}

/// Sustained time over burst time of the same point at the same clock, where the run has both.
std::optional<double> over_burst(const std::vector<SweepItem>& items, const std::vector<Result>& results,
                                 const SweepItem& item, const Result& sustained) {
  auto twin = item;
  twin.regime = Regime::burst;
  const auto* slow = sustained.headline_summary();
  for (std::size_t i = 0; slow != nullptr && i < results.size(); ++i) {
    const auto* fast = items[i] == twin ? results[i].headline_summary() : nullptr;
    const bool alike = fast != nullptr && results[i].headline == sustained.headline && fast->median.value > 0;
    if (alike) return slow->median.value / fast->median.value;
  }
  return std::nullopt;
}

/// A lock changes the clock that the device recovers to.
void lock_for(const SweepItem& item, ClockLock& clocks, Session& session) {
  const auto before = clocks.state().sm_mhz;
  clocks.lock(ClockDomain::sm, {ClockWish::Kind::mhz, *item.lock_clock_mhz});
  if (clocks.state().sm_mhz != before) session.clock_was_changed(clocks.state().sm_mhz);
}

}  // namespace

std::unique_ptr<Workload> set_up(Device& device, const Benchmark& benchmark, const Point& point,
                                 const Protocol& protocol) {
  const auto options = workload_options(device.info(), protocol);
  require_memory(device, benchmark, point, options.copies);
  return benchmark.make(device, point, options);
}

Result run_point(Session& session, const Benchmark& benchmark, const Point& point, const Protocol& protocol,
                 const Roofline& roofline, const Control& control, const LockedClocks& locks) {
  auto& device = session.device();
  Result result;
  bool is_set_up = false;  // what goes wrong before that is a point that cannot be asked for; after it, a failure
  const auto use = [&](Workload& workload) {
    is_set_up = true;
    auto measured = measure(session, workload, protocol, control);
    measured.conditions.locked_clock_mhz = locks.sm_mhz;
    measured.conditions.locked_memory_clock_mhz = locks.memory_mhz;
    measured.lock_problem = locks.problem;
    result = analyse(benchmark.name, point, measured, {device.info(), protocol, roofline});
  };
  try {
    const auto options = workload_options(device.info(), protocol);
    require_memory(device, benchmark, point, options.copies);
    benchmark.with(device, point, options, use);
    return result;
  } catch (const UsageError& error) {
    if (is_set_up) throw;
    return without_measurement(benchmark, point, Status::skipped, error.what());
  } catch (const KernelError& error) {
    if (!healthy(device)) {
      throw DeviceError(fmt::format("{} {} has left {} unusable: {}", benchmark.name, to_string(point),
                                    device.info().id, error.what()));
    }
    return without_measurement(benchmark, point, Status::failed, error.what());
  } catch (const DeviceError& error) {
    if (!healthy(device)) throw;
    return without_measurement(benchmark, point, is_set_up ? Status::failed : Status::skipped, error.what());
  }
}

std::vector<Result> run_sweep(Session& session, const std::vector<Benchmark>& benchmarks,
                              const std::vector<SweepItem>& items, const Protocol& protocol, const Roofline& roofline,
                              const Observer& observer, ClockLock* clocks) {
  std::vector<Result> results;
  const Control control{.interrupted = observer.interrupted, .progress = observer.progress};
  for (std::size_t i = 0; i < items.size() && !observer.interrupted(); ++i) {
    observer.started(i, items[i]);
    if (clocks != nullptr && items[i].lock_clock_mhz) lock_for(items[i], *clocks, session);
    const auto& benchmark = find_benchmark(benchmarks, items[i].benchmark);
    auto of_item = protocol;
    of_item.regime = items[i].regime;
    auto result = run_point(session, benchmark, items[i].point, of_item, roofline, control,
                            clocks == nullptr ? LockedClocks{} : clocks->state());
    if (items[i].regime == Regime::sustained) result.over_burst = over_burst(items, results, items[i], result);
    results.push_back(std::move(result));
    observer.finished(i, results.back());
  }
  return results;
}

}  // namespace warpclock
