// The steps of `run` (run_command.cpp) that `crosscheck` and `profile` take too: from options to points, and from
// points to results.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/storage.hpp"
#include "plan/sweep.hpp"
#include "run/clock_lock.hpp"
#include "run/device_lock.hpp"

namespace warpclock::cli {

/// What is to be measured, and on which device, which is not opened yet.
struct Plan {
  ChosenDevice chosen;
  std::vector<SweepItem> items;
};

/// throws UsageError for a kernel, axis, filter or device that cannot be
[[nodiscard]] Plan make_plan(const RunOptions& options, const CliEnvironment& environment);

/// The points and the settings, a line each.
void print_plan(const Plan& plan, const Protocol& protocol, std::ostream& out);

/// A device that is open, locked where that is asked for, and whose clocks may be locked.
struct OpenedDevice {
  std::unique_ptr<DeviceLock> lock;
  std::unique_ptr<Device> device;
  std::unique_ptr<ClockLock> clocks;
};

/// Undoes clock locks that an earlier run has left behind, and opens the device of `plan`. A GPU that was not asked for
/// by name may give way to the CPU, and a sweep over clocks that cannot be locked to the clock as it is: then the plan
/// is made anew, and `err` says so.
///   throws  UsageError, DeviceError: as open_device(), for what this device cannot do at all, and where it is locked
[[nodiscard]] OpenedDevice open_for(Plan& plan, RunOptions& options, std::ostream& err,
                                    const CliEnvironment& environment);

/// What a run leaves behind, also one that ended early.
struct Outcome {
  std::vector<Result> results;
  std::string fatal;  // why it ended early, where the device was lost; empty otherwise
  bool interrupted = false;
};

/// Measures the points in order, those that `storage` has no result of, and keeps each at once; progress and trouble go
/// to `err`. Throws nothing that a device may cause.
[[nodiscard]] Outcome measure_all(const OpenedDevice& opened, const std::vector<SweepItem>& items,
                                  const RunOptions& options, Storage& storage, std::ostream& err,
                                  const CliEnvironment& environment);

[[nodiscard]] int exit_code(const Outcome& outcome);

/// A warning once for all points that have it, for where the table with its findings does not stand on the same screen.
void print_warnings(const std::vector<Result>& results, std::ostream& err);

/// True if not every point was skipped.
[[nodiscard]] bool measured_something(const std::vector<Result>& results);

}  // namespace warpclock::cli
