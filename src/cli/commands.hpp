// The words of the program. Each takes its options, writes to `out` and `err`, and returns an exit code.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/options.hpp"
#include "device/device.hpp"
#include "run/clock_lock.hpp"

namespace warpclock::cli {

[[nodiscard]] int run_command(const RunOptions& options, std::ostream& out, std::ostream& err,
                              const CliEnvironment& environment);
[[nodiscard]] int profile_command(const ProfileOptions& options, std::ostream& out, std::ostream& err,
                                  const CliEnvironment& environment);
[[nodiscard]] int crosscheck_command(const CrosscheckOptions& options, std::ostream& out, std::ostream& err,
                                     const CliEnvironment& environment);
[[nodiscard]] int list_command(const ListOptions& options, std::ostream& out, const CliEnvironment& environment);
[[nodiscard]] int devices_command(const DevicesOptions& options, std::ostream& out, const CliEnvironment& environment);
[[nodiscard]] int selftest_command(const SelftestOptions& options, std::ostream& out, std::ostream& err,
                                   const CliEnvironment& environment);

/// Of the results database.
[[nodiscard]] int runs_command(const RunsOptions& options, std::ostream& out, const CliEnvironment& environment);
[[nodiscard]] int show_command(const ShowOptions& options, std::ostream& out, std::ostream& err,
                               const CliEnvironment& environment);
[[nodiscard]] int export_command(const ExportOptions& options, std::ostream& out, std::ostream& err,
                                 const CliEnvironment& environment);
[[nodiscard]] int merge_command(const MergeOptions& options, std::ostream& out, const CliEnvironment& environment);
[[nodiscard]] int prune_command(const PruneOptions& options, std::ostream& out, const CliEnvironment& environment);
/// Waits for the end of the process that has started it, and undoes the clock locks that are left then.
[[nodiscard]] int clock_guard_command(const ClockGuardOptions& options, const CliEnvironment& environment);

/// How a lock that another process has set is undone, by the rows of the backends.
[[nodiscard]] ClockResets clock_resets(const CliEnvironment& environment);
/// How locks of this device are looked after.
[[nodiscard]] ClockKeeping clock_keeping(const DeviceInfo& info, const CliEnvironment& environment);

/// Colours are for terminals, unless the user says otherwise here or with NO_COLOR (https://no-color.org).
[[nodiscard]] bool use_color(const std::string& choice, const CliEnvironment& environment);

/// A device that was named, or chosen because none was.
struct ChosenDevice {
  std::string id;
  std::string note;  // why not a GPU; empty where the device was named or is a GPU
};

/// `wanted`, or the first GPU that is there, else the CPU. Opens nothing.  throws UsageError for an unknown backend
[[nodiscard]] ChosenDevice choose_device(const std::string& wanted, const CliEnvironment& environment);

/// The kernels that were named, or of the default ones those that run on `backend`.
[[nodiscard]] std::vector<std::string> kernels_for(const RunOptions& options, const std::string& backend,
                                                   const CliEnvironment& environment);

/// As choose_device, but the CPU where no device is named and all of the kernels run there and none on a GPU.
[[nodiscard]] ChosenDevice choose_for_kernels(const RunOptions& options, const CliEnvironment& environment);

/// Opens the chosen device; a GPU that was not asked for by name and cannot be opened gives way to the CPU.
///   throws UsageError, DeviceError
[[nodiscard]] std::unique_ptr<Device> open_device(ChosenDevice& chosen, bool named, const CliEnvironment& environment);

}  // namespace warpclock::cli
