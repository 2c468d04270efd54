// Runs a plan on one device, point by point. A point that fails costs its own row only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyse/roofline.hpp"
#include "core/result.hpp"
#include "device/benchmark.hpp"
#include "measure/measure.hpp"
#include "plan/protocol.hpp"
#include "plan/sweep.hpp"
#include "run/clock_lock.hpp"

namespace warpclock {

/// Told about each step; any member may be left as it is.
struct Observer {
  std::function<void(std::size_t index, const SweepItem& item)> started = [](std::size_t, const SweepItem&) {};
  std::function<void(const Progress& progress)> progress = [](const Progress&) {};
  std::function<void(std::size_t index, const Result& result)> finished = [](std::size_t, const Result&) {};
  std::function<bool()> interrupted = [] { return false; };
};

/// The operands of a point as a run of `protocol` has them: copies, data, seed.
///   throws  UsageError for a point that makes no sense, DeviceError where it does not fit, KernelError
[[nodiscard]] std::unique_ptr<Workload> set_up(Device& device, const Benchmark& benchmark, const Point& point,
                                               const Protocol& protocol);

/// Results in the order of `items`; fewer where the user interrupted.
/// A point's own failure becomes its Status; throws DeviceError only where the device itself is lost, and then every
/// result so far has already been given to `observer.finished`.
///   clocks  locks the clock of the items that ask for one; null: none of them does
[[nodiscard]] std::vector<Result> run_sweep(Session& session, const std::vector<Benchmark>& benchmarks,
                                            const std::vector<SweepItem>& items, const Protocol& protocol,
                                            const Roofline& roofline, const Observer& observer,
                                            ClockLock* clocks = nullptr);

/// Runs one item; the same as a sweep of one.
///   locks  in force, for the conditions of the result
[[nodiscard]] Result run_point(Session& session, const Benchmark& benchmark, const Point& point,
                               const Protocol& protocol, const Roofline& roofline, const Control& control,
                               const LockedClocks& locks = {});

}  // namespace warpclock
