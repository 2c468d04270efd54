// warpclock run: words to a plan, the plan to results, results to tables and files.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>

#include "analyse/clock_scaling.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/run_steps.hpp"
#include "cli/storage.hpp"
#include "cli/user_kernel_options.hpp"
#include "core/errors.hpp"
#include "measure/session.hpp"
#include "plan/settings.hpp"
#include "plan/suggest.hpp"
#include "plan/sweep.hpp"
#include "report/clock_scaling.hpp"
#include "report/formats.hpp"
#include "report/numbers.hpp"
#include "report/text.hpp"
#include "run/ceilings.hpp"
#include "run/clock_guard.hpp"
#include "run/clock_lock.hpp"
#include "run/device_lock.hpp"
#include "run/runner.hpp"

namespace warpclock::cli {
namespace {

std::vector<std::string> names_of(const std::vector<Benchmark>& suite) {
  std::vector<std::string> names;
  for (const auto& benchmark : suite) names.push_back(benchmark.name);
  return names;
}

SweepBenchmark choose_kernel(const std::vector<Benchmark>& suite, const std::string& name, const std::string& backend) {
  const auto found = std::ranges::find(suite, name, &Benchmark::name);
  if (found == suite.end()) throw UsageError("unknown kernel '" + name + "'; " + did_you_mean(name, names_of(suite)));
  if (std::ranges::find(found->backends, backend) == found->backends.end()) {
    throw UsageError(
        fmt::format("kernel '{}' does not run on {}; it runs on {}", name, backend, fmt::join(found->backends, ", ")));
  }
  return {name, found->axes(backend), found->wanted};
}

std::vector<SweepItem> items_on(const RunOptions& options, const std::string& device,
                                const CliEnvironment& environment) {
  const auto backend = backend_of(environment.backends, device).name;
  const auto kernels = kernels_for(options, backend, environment);
  std::vector<SweepBenchmark> chosen;
  for (const auto& name : kernels) {
    const bool twice = std::ranges::find(chosen, name, &SweepBenchmark::name) != chosen.end();
    if (!twice) chosen.push_back(choose_kernel(environment.suite, name, backend));
  }
  return sweep(chosen, {.axes = options.axes,
                        .filter = options.filter,
                        .order = options.protocol.order,
                        .seed = options.protocol.seed,
                        .regime = options.protocol.regime,
                        .clocks_mhz = options.clocks.sweep_mhz});
}

/// What this device cannot do at all is said before anything is measured, ceilings included.
///   throws UsageError for a compute type it lacks, DeviceError where not one of the points fits its memory
void require_possible(const Device& device, const std::vector<SweepItem>& items, const std::vector<Benchmark>& suite) {
  const auto& info = device.info();
  const auto free = device.memory().free;
  Bytes least = std::numeric_limits<Bytes>::max();
  const SweepItem* smallest = nullptr;
  for (const auto& item : items) {
    for (const auto& [axis, value] : item.point.values) {
      const auto* type = axis == "dtype" ? std::get_if<std::string>(&value) : nullptr;
      if (type == nullptr || std::ranges::find(info.compute_types, *type) != info.compute_types.end()) continue;
      throw UsageError(fmt::format("--axis dtype={}: {} cannot compute in {}; it has {}", *type, info.id, *type,
                                   fmt::join(info.compute_types, ", ")));
    }
    const auto needed = std::ranges::find(suite, item.benchmark, &Benchmark::name)->footprint(item.point);
    if (smallest != nullptr && needed >= least) continue;
    least = needed;
    smallest = &item;
  }
  if (smallest == nullptr || least <= free) return;
  throw DeviceError(fmt::format("{} needs {} and {} has {} free; ask for a smaller size", label(*smallest),
                                report::size(least), info.id, report::size(free)));
}

/// The lock on a GPU; none where the user asks for none, and on devices that nothing else can disturb unseen.
std::unique_ptr<DeviceLock> lock_for(const RunOptions& options, const DeviceInfo& info, std::ostream& err) {
  if (!options.lock || info.backend != "cuda") return nullptr;
  auto lock = std::make_unique<DeviceLock>(info, lock_folder());
  if (!lock->problem().empty() && !options.quiet) err << "warpclock: warning: " << lock->problem() << std::endl;
  return lock;
}

/// Clocks that this device does not have are said before anything is measured.  throws UsageError
void require_clocks(Device& device, const ClockOptions& clocks) {
  if (clocks.sm) device.check_clock(ClockDomain::sm, *clocks.sm);
  if (clocks.memory) device.check_clock(ClockDomain::memory, *clocks.memory);
  for (const double mhz : clocks.sweep_mhz) device.check_clock(ClockDomain::sm, {ClockWish::Kind::mhz, mhz});
}

/// Locks what the whole run is to be locked to.  return: true where anything is locked
bool lock_run(const ClockOptions& wanted, ClockLock& clocks) {
  const bool memory = wanted.memory && clocks.lock(ClockDomain::memory, *wanted.memory);
  const bool sm = wanted.sm && clocks.lock(ClockDomain::sm, *wanted.sm);
  return memory || sm;
}

/// Tries the first clock of a sweep and undoes it again.
bool can_sweep_clocks(const ClockOptions& wanted, ClockLock& clocks) {
  const bool can = clocks.lock(ClockDomain::sm, {ClockWish::Kind::mhz, wanted.sweep_mhz.front()});
  clocks.unlock();
  return can;
}

/// Results as the plan lists them, whatever order they were measured in: what a reader of a table looks for.
std::vector<Result> in_reading_order(std::vector<Result> results, const std::vector<SweepItem>& measured,
                                     const std::vector<SweepItem>& plan) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < plan.size(); ++i) places.emplace(full_label(plan[i]), i);
  std::vector<std::pair<std::size_t, Result>> placed;
  for (std::size_t i = 0; i < results.size(); ++i) {
    placed.emplace_back(places.at(full_label(measured[i])), std::move(results[i]));
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, Result>::first);
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = std::move(placed[i].second);
  return results;
}

class Run {
 public:
  Run(const RunOptions& options, std::ostream& err, const CliEnvironment& environment)
      : options_(options), err_(err), environment_(environment) {}

  /// Measures those of `items` that `storage` has no result of, and keeps each at once.
  Outcome measure_all(Device& device, const std::vector<SweepItem>& items, Storage& storage, ClockLock& clocks) {
    Outcome outcome{.results = storage.earlier()};
    const std::vector<SweepItem> left(items.begin() + static_cast<std::ptrdiff_t>(outcome.results.size()), items.end());
    ProgressPrinter progress(err_, {.points = left.size(),
                                    .terminal = environment_.err_is_terminal,
                                    .quiet = options_.quiet,
                                    .columns = environment_.columns,
                                    .now = environment_.now});
    try {
      Session session(device);
      const auto roofline = make_roofline(session, progress);  // before the lock: ceilings are of the free clock
      if (lock_run(options_.clocks, clocks)) session.clock_was_changed(clocks.state().sm_mhz);
      // Kept from here and not from run_sweep's return, so that a lost device costs nothing already measured.
      const Observer observer{.started =
                                  [&](std::size_t, const SweepItem& item) {
                                    storage.starts(item);
                                    progress.started(item);
                                  },
                              .progress = [&](const Progress& now) { progress.update(now); },
                              .finished =
                                  [&](std::size_t, const Result& result) {
                                    progress.finished(result);
                                    report_trouble(result, progress);
                                    outcome.results.push_back(result);
                                    storage.finished(result);
                                  },
                              .interrupted = environment_.interrupted};
      static_cast<void>(run_sweep(session, environment_.suite, left, options_.protocol, roofline, observer, &clocks));
    } catch (const Error& error) {
      outcome.fatal = error.what();
      storage.ended(outcome.fatal);
    }
    clocks.unlock();
    outcome.interrupted = environment_.interrupted();
    return outcome;
  }

 private:
  Roofline make_roofline(Session& session, ProgressPrinter& progress) {
    if (!options_.ceilings) return with_peaks({}, nominal_peaks(session.device().info().name), options_.peaks);
    const Control control{.interrupted = environment_.interrupted,
                          .progress = [&](const Progress& now) { progress.update(now); }};
    return roofline_for(session, environment_.suite, options_.peaks, environment_.ceilings_folder, control);
  }

  static void report_trouble(const Result& result, ProgressPrinter& progress) {
    if (result.status == Status::ok || result.status == Status::interrupted) return;
    const std::string what = label({result.benchmark, result.point}) + " " + to_string(result.status);
    progress.line("warpclock: " + what + (result.error.empty() ? "" : ": " + result.error));
  }

  const RunOptions& options_;
  std::ostream& err_;
  const CliEnvironment& environment_;
};

bool any(const std::vector<Result>& results, std::initializer_list<Status> wanted) {
  return std::ranges::any_of(
      results, [&](const Result& result) { return std::ranges::find(wanted, result.status) != wanted.end(); });
}

}  // namespace

Plan make_plan(const RunOptions& options, const CliEnvironment& environment) {
  auto chosen = choose_for_kernels(options, environment);
  auto items = items_on(options, chosen.id, environment);
  return {std::move(chosen), std::move(items)};
}

void print_plan(const Plan& plan, const Protocol& protocol, std::ostream& out) {
  const auto& [chosen, items] = plan;
  out << fmt::format("device {}, {} {}\n", chosen.id, items.size(), items.size() == 1 ? "point" : "points");
  for (const auto& item : items) out << "  " << full_label(item) << '\n';
  out << "settings\n";
  for (const auto& row : settings()) out << fmt::format("  {:<14}{}\n", row.name, row.print(protocol));
}

OpenedDevice open_for(Plan& plan, RunOptions& options, std::ostream& err, const CliEnvironment& environment) {
  for (const auto& line : recover_clocks(environment.state_folder, clock_resets(environment))) {
    if (!options.quiet) err << "warpclock: " << line << std::endl;
  }
  OpenedDevice opened;
  opened.device = open_device(plan.chosen, !options.device.empty(), environment);
  auto& device = *opened.device;
  if (!plan.chosen.note.empty()) {
    if (!options.quiet) err << "warpclock: " << plan.chosen.note << std::endl;
    plan.items = items_on(options, plan.chosen.id, environment);
  }
  require_possible(device, plan.items, environment.suite);
  opened.lock = lock_for(options, device.info(), err);
  require_clocks(device, options.clocks);
  const auto warn = [&err, quiet = options.quiet](const std::string& warning) {
    if (!quiet) err << "warpclock: warning: " << warning << std::endl;
  };
  opened.clocks = std::make_unique<ClockLock>(device, clock_keeping(device.info(), environment), warn);
  if (!options.clocks.sweep_mhz.empty() && !can_sweep_clocks(options.clocks, *opened.clocks)) {
    options.clocks.sweep_mhz.clear();  // the same unlocked clock over and over would say nothing
    plan.items = items_on(options, plan.chosen.id, environment);
  }
  return opened;
}

Outcome measure_all(const OpenedDevice& opened, const std::vector<SweepItem>& items, const RunOptions& options,
                    Storage& storage, std::ostream& err, const CliEnvironment& environment) {
  return Run(options, err, environment).measure_all(*opened.device, items, storage, *opened.clocks);
}

bool measured_something(const std::vector<Result>& results) {
  return std::ranges::any_of(results, [](const Result& result) { return result.status != Status::skipped; });
}

int exit_code(const Outcome& outcome) {
  if (outcome.interrupted) return ExitCode::interrupted;
  if (!outcome.fatal.empty()) return ExitCode::refused;
  if (any(outcome.results, {Status::failed, Status::wrong})) return ExitCode::kernel_bad;
  if (any(outcome.results, {Status::skipped})) return ExitCode::refused;
  return ExitCode::ok;
}

void print_warnings(const std::vector<Result>& results, std::ostream& err) {
  struct Seen {
    const Finding* finding;
    std::string where;
    std::size_t others = 0;
  };
  std::vector<Seen> seen;
  for (const auto& result : results) {
    for (const auto& finding : result.findings) {
      if (finding.severity != Finding::Severity::warning) continue;
      const auto at = std::ranges::find(seen, finding.id, [](const Seen& entry) { return entry.finding->id; });
      if (at != seen.end()) {
        ++at->others;
      } else {
        seen.push_back({&finding, label({result.benchmark, result.point})});
      }
    }
  }
  for (const auto& [finding, where, others] : seen) {
    const std::string more = others == 0 ? "" : fmt::format(" (and {} more)", others);
    const std::string remedy = finding->remedy.empty() ? "" : "; " + finding->remedy;
    err << fmt::format("warpclock: warning: {}{}: {}: {}{}", where, more, finding->id, finding->message, remedy)
        << std::endl;
  }
}

int run_command(const RunOptions& wanted, std::ostream& out, std::ostream& err, const CliEnvironment& given) {
  auto options = wanted;
  check(options.protocol);
  check(options.clocks);
  const auto environment = with_user_kernels(options, given);
  auto plan = make_plan(options, environment);
  if (options.dry_run) {
    print_plan(plan, options.protocol, out);
    return ExitCode::ok;
  }
  Environment described;
  Outcome outcome;
  std::vector<Output> files;
  const auto reading = [&] {
    auto as_given = options;
    as_given.protocol.order = Order::given;
    return items_on(as_given, plan.chosen.id, environment);
  };
  const auto sorted = [&] {
    if (options.protocol.order == Order::given && !options.resume) return outcome.results;
    return in_reading_order(outcome.results, plan.items, reading());
  };
  for (const auto& [name, path] : options.files) {
    const auto function = report::format_named(name).function;
    const bool as_run = name == "json";  // it keeps the order in which the points were measured
    files.push_back({"--" + name, path,
                     [&, function, as_run] { return function(described, as_run ? outcome.results : sorted()); }});
  }
  const Outputs outputs(std::move(files));
  Storage storage(options, err, environment);

  const auto opened = open_for(plan, options, err, environment);
  described = capture_environment(opened.device->info(), options.protocol, environment.started, environment.variable);
  plan.items = storage.begin(described, std::move(plan.items), reading());
  outcome = measure_all(opened, plan.items, options, storage, err, environment);

  const bool table = !outputs.take_stdout();
  std::vector<std::string> problems;
  // A run that measured nothing must not cost the file of an earlier one.
  if (measured_something(outcome.results)) {
    problems = outputs.write(out);
    if (table) out << report::text(described, sorted(), {.colours = use_color(options.color, environment)});
    if (table && !options.clocks.sweep_mhz.empty()) out << report::clock_scaling_text(clock_scalings(outcome.results));
    out.flush();
  }
  if (!options.quiet && !(table && environment.out_is_terminal)) print_warnings(outcome.results, err);
  if (!options.quiet && !storage.note().empty()) err << "warpclock: " << storage.note() << std::endl;
  if (!outcome.fatal.empty()) problems.push_back(outcome.fatal);
  if (outcome.interrupted) {
    problems.push_back(fmt::format("interrupted after {} of {} points", outcome.results.size(), plan.items.size()));
  }
  for (const auto& problem : problems) err << "warpclock: " << problem << std::endl;
  const int code = exit_code(outcome);
  return code == ExitCode::ok && !problems.empty() ? ExitCode::refused : code;
}

}  // namespace warpclock::cli
