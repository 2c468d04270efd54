// warpclock profile: each point once, for a profiler that watches this process.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/run_steps.hpp"
#include "cli/user_kernel_options.hpp"
#include "core/errors.hpp"
#include "plan/settings.hpp"
#include "run/profile.hpp"

namespace warpclock::cli {
namespace {

std::string counted(std::uint32_t n, const std::string& what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// "gemm M=2: 5 warm-up calls, 1 call marked by cuProfilerStart/Stop, NVTX range 'warpclock:gemm M=2'"
std::string line_of(const std::string& label, const std::string& range, const ProfileRequest& request,
                    const Device& device) {
  const auto marks = device.profiler_marks();
  const std::string marked = marks.empty() ? ", not marked: no profiler can be told of work on " + device.info().id
                             : marks.find("NVTX") == std::string::npos
                                 ? " marked by " + marks
                                 : fmt::format(" marked by {} '{}'", marks, range);
  return fmt::format("{}: {}, {}{}{}", label, counted(request.warmup, "warm-up call"), counted(request.calls, "call"),
                     request.flush ? " after an eviction each" : "", marked);
}

}  // namespace

int profile_command(const ProfileOptions& options, std::ostream& out, std::ostream& err, const CliEnvironment& given) {
  check(options.run.protocol);
  const auto environment = with_user_kernels(options.run, given);
  auto plan = make_plan(options.run, environment);
  if (options.run.dry_run) {
    print_plan(plan, options.run.protocol, out);
    return ExitCode::ok;
  }
  auto run = options.run;
  const auto opened = open_for(plan, run, err, environment);
  auto& device = *opened.device;
  const ProfileRequest request{.warmup = options.warmup, .calls = options.calls, .flush = options.flush};
  int code = ExitCode::ok;
  const auto trouble = [&](ExitCode what, const SweepItem& item, const Error& error) {
    err << fmt::format("warpclock: {}: {}", label(item), error.what()) << std::endl;
    code = std::max(code, static_cast<int>(what));
  };
  for (const auto& item : plan.items) {
    if (environment.interrupted()) return ExitCode::interrupted;
    const auto benchmark = std::ranges::find(environment.suite, item.benchmark, &Benchmark::name);
    const std::string range = "warpclock:" + label(item);
    try {
      profile_point(device, *benchmark, item.point, options.run.protocol, request, range);
      out << line_of(label(item), range, request, device) << std::endl;
    } catch (const UsageError& error) {
      trouble(ExitCode::refused, item, error);
    } catch (const DeviceError& error) {
      trouble(ExitCode::refused, item, error);
    } catch (const KernelError& error) {
      trouble(ExitCode::kernel_bad, item, error);
    }
  }
  return code;
}

}  // namespace warpclock::cli
