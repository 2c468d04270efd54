#include "cli/cli.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/docs.hpp"
#include "cli/handshake.hpp"
#include "cli/help.hpp"
#include "cli/interrupts.hpp"
#include "cli/options.hpp"
#include "core/errors.hpp"
#include "core/version.hpp"
#include "run/ceilings.hpp"
#include "run/clock_record.hpp"
#include "store/database.hpp"
#include "suite/registry.hpp"

namespace warpclock::cli {
namespace {

unsigned terminal_columns() {
  winsize size{};
  // Narrower than this nothing can be shown; a terminal that does not know says 0.
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
  return known ? size.ws_col : 100;
}

int fail(std::ostream& err, ExitCode code, const std::string& message) {
  err << "warpclock: " << message << std::endl;
  return code;
}

int dispatch(const CLI::App& app, const CLI::App& command, const Options& options, std::ostream& out, std::ostream& err,
             const CliEnvironment& environment) {
  const auto& name = command.get_name();
  if (name == "run") return run_command(options.run, out, err, environment);
  if (name == "runs") return runs_command(options.results.runs, out, environment);
  if (name == "show") return show_command(options.results.show, out, err, environment);
  if (name == "export") return export_command(options.results.exported, out, err, environment);
  if (name == "merge") return merge_command(options.results.merge, out, environment);
  if (name == "prune") return prune_command(options.results.prune, out, environment);
  if (name == "profile") return profile_command(options.profile, out, err, environment);
  if (name == "crosscheck") return crosscheck_command(options.crosscheck, out, err, environment);
  if (name == "list") return list_command(options.list, out, environment);
  if (name == "devices") return devices_command(options.devices, out, environment);
  if (name == "selftest") return selftest_command(options.selftest, out, err, environment);
  if (name == "clock-guard") return clock_guard_command(options.clock_guard, environment);
  out << docs_text(app);
  return ExitCode::ok;
}

/// `run ./my_bench saxpy --axis n=64` is `./my_bench run saxpy --axis n=64`.
[[noreturn]] void hand_over(const std::string& program, std::vector<std::string> words, std::ostream& out) {
  static_cast<void>(ask_program(program));
  words.erase(std::ranges::find(words, program));
  out.flush();
  become_program(program, words);
}

int parse_and_run(const std::vector<std::string>& words, std::ostream& out, std::ostream& err,
                  const CliEnvironment& environment) {
  Options options;
  options.run.words = words;
  const auto app = build_app(options);
  try {
    const auto& command = parse(*app, words);
    const auto program = program_among(options.run.kernels);
    if (!program.empty() && command.get_name() == "run") {
      hand_over(program, words, out);
    }
    return dispatch(*app, command, options, out, err, environment);
  } catch (const CLI::CallForHelp&) {
    const auto named = app->get_subcommands();
    out << help_text(named.empty() ? *app : *named.front());
  } catch (const CLI::CallForVersion&) {
    out << "warpclock " << version() << '\n';
  }
  return ExitCode::ok;
}

/// True where stdout is a pipe whose reader has gone.
bool reader_has_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// What was printed must have arrived: a full disk behind > is an error, a reader that has seen enough is not.
int flush(std::ostream& out, std::ostream& err, int code) {
  errno = 0;
  out.flush();
  if (out.good() || reader_has_gone()) return code;
  const auto why = errno == 0 ? std::string("not all of it was taken") : std::generic_category().message(errno);
  return fail(err, ExitCode::refused, "cannot write to standard output: " + why);
}

}  // namespace

CliEnvironment process_environment() {
  CliEnvironment environment;
  environment.backends = builtin_backends();
  environment.suite = warpclock::suite();
  environment.out_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  environment.err_is_terminal = ::isatty(STDERR_FILENO) != 0;
  environment.columns = terminal_columns();
  environment.interrupted = SignalGuard::interrupted;
  environment.now = [] { return Nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); };
  environment.started = std::chrono::system_clock::now();
  environment.ceilings_folder = ceilings_folder();
  environment.database = store::default_database();
  environment.state_folder = state_folder();
  return environment;
}

int run_cli(const std::vector<std::string>& words, std::ostream& out, std::ostream& err,
            const CliEnvironment& environment) {
  try {
    return flush(out, err, parse_and_run(words, out, err, environment));
  } catch (const UsageError& error) {
    return fail(err, ExitCode::usage, error.what());
  } catch (const KernelError& error) {
    return fail(err, ExitCode::kernel_bad, error.what());
  } catch (const std::bad_alloc&) {
    return fail(err, ExitCode::refused, "the host has not enough memory; ask for smaller sizes or fewer samples");
  } catch (const std::exception& error) {  // DeviceError, DataError, and what no one expected
    return fail(err, ExitCode::refused, error.what());
  }
}

}  // namespace warpclock::cli
