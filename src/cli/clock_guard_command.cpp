#include "cli/commands.hpp"
#include "core/errors.hpp"

namespace warpclock::cli {

ClockResets clock_resets(const CliEnvironment& environment) {
  return [&environment](const std::string& backend, const std::string& identity) -> ClockReset {
    const auto& row = backend_of(environment.backends, backend);
    if (!row.clock_reset) throw DeviceError(backend + ": its clock locks end with the process that sets them");
    return row.clock_reset(identity);
  };
}

ClockKeeping clock_keeping(const DeviceInfo& info, const CliEnvironment& environment) {
  ClockKeeping keeping;
  keeping.outlive = static_cast<bool>(backend_of(environment.backends, info.backend).clock_reset);
  keeping.folder = environment.state_folder;
  return keeping;
}

int clock_guard_command(const ClockGuardOptions& options, const CliEnvironment& environment) {
  return guard_clocks(options.folder, options.backend, options.identity, clock_resets(environment));
}

}  // namespace warpclock::cli
