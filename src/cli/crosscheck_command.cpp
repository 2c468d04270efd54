// warpclock crosscheck: the points of a run measured here and by Nsight Compute, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/run_steps.hpp"
#include "cli/user_kernel_options.hpp"
#include "core/errors.hpp"
#include "crosscheck/crosscheck.hpp"
#include "plan/settings.hpp"
#include "report/crosscheck.hpp"
#include "report/numbers.hpp"
#include "run/environment.hpp"

namespace warpclock::cli {
namespace {

constexpr const char* no_ncu =
    "there is no ncu on PATH nor in a CUDA toolkit: install Nsight Compute, or name it with --ncu PATH";

/// `warpclock profile` of one point, in words.
std::vector<std::string> profile_words(const CrosscheckOptions& options, const std::string& device,
                                       const SweepItem& item, const std::string& program) {
  std::vector<std::string> words{program,        "profile",
                                 item.benchmark, "--device",
                                 device,         "--no-lock",
                                 "--warmup",     std::to_string(options.warmup),
                                 "--calls",      std::to_string(options.repeat)};
  for (const auto& [axis, value] : item.point.values) {
    words.insert(words.end(), {"--axis", axis + "=" + to_string(value)});
  }
  for (const auto& name : operand_settings()) {
    const auto& row = setting(name);
    words.insert(words.end(), {row.flag(), row.print(options.run.protocol)});
  }
  if (names_user_kernel(item.benchmark)) {
    const auto own = words_of(options.run.own_kernel);
    words.insert(words.end(), own.begin(), own.end());
  }
  return words;
}

/// /proc/self/exe would be another program in another process.
std::string own_file(const std::string& program) {
  std::error_code unknown;
  const auto file = std::filesystem::canonical(program, unknown);
  return unknown ? program : file.string();
}

/// ncu as it was found, and what became of it so far.
class Ncu {
 public:
  Ncu(const CrosscheckOptions& options, const CliEnvironment& environment)
      : options_(options), environment_(environment) {
    const auto path = environment.variable("PATH").value_or("");
    const auto found = find_ncu(options.ncu, path, environment.variable("CUDA_HOME").value_or(""));
    command_ = ncu_command(found.empty() ? "ncu" : found, split_words(options.ncu_args));
    if (found.empty()) problem_ = no_ncu;
  }

  /// Why it is of no use here; empty where it is.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const NcuCommand& command() const { return command_; }

  [[nodiscard]] std::vector<std::string> words_for(const SweepItem& item, const std::string& device) const {
    auto words = command_.words;
    const auto profile = profile_words(options_, device, item, own_file(environment_.program));
    words.insert(words.end(), profile.begin(), profile.end());
    return words;
  }

  /// Profiles one point.
  ///   missing   receives why there is nothing
  [[nodiscard]] std::optional<NcuPoint> profile(const SweepItem& item, const std::string& device,
                                                std::string& missing) {
    if (!problem_.empty()) {
      missing = "not run: " + problem_;
      return std::nullopt;
    }
    try {
      const auto child = run_child(words_for(item, device), environment_.interrupted);
      if (child.interrupted) {
        missing = "interrupted";
        return std::nullopt;
      }
      return into_calls(launches_of(child), options_.repeat);
    } catch (const NcuRefused& error) {
      problem_ = missing = error.what();
    } catch (const Error& error) {
      missing = error.what();
    }
    return std::nullopt;
  }

  /// "2025.3.1.0 (build 36398880)"; empty where it does not say.
  [[nodiscard]] std::string version() {
    if (!problem_.empty()) return "";
    try {
      const auto child = run_child({command_.words.front(), "--version"}, environment_.interrupted);
      const auto at = child.out.find("Version ");
      if (at == std::string::npos) return "";
      const auto rest = child.out.substr(at + 8);
      return rest.substr(0, rest.find('\n'));
    } catch (const DeviceError& error) {
      problem_ = error.what();
      return "";
    }
  }

 private:
  const CrosscheckOptions& options_;
  const CliEnvironment& environment_;
  NcuCommand command_;
  std::string problem_;
};

void require_gpu(const Plan& plan, const CliEnvironment& environment) {
  if (backend_of(environment.backends, plan.chosen.id).name == "cuda") return;
  const std::string why = plan.chosen.note.empty() ? "ncu cannot profile " + plan.chosen.id : plan.chosen.note;
  throw UsageError("crosscheck needs an NVIDIA GPU: " + why + "; name one with --device cuda:0");
}

void print_dry_run(const Plan& plan, const Ncu& ncu, const Protocol& protocol, std::ostream& out) {
  print_plan(plan, protocol, out);
  out << "ncu\n";
  for (const auto& item : plan.items) {
    out << " ";
    for (const auto& word : ncu.words_for(item, plan.chosen.id)) {
      const bool plain = word.find_first_of(" \t'\"$*?<>|&;(){}[]") == std::string::npos && !word.empty();
      out << ' ' << (plain ? word : "'" + word + "'");
    }
    out << '\n';
  }
}

/// One line a point, as a run has it.
std::string progress_line(std::size_t place, std::size_t count, const SweepItem& item, const Comparison& c) {
  const auto what =
      c.ncu ? fmt::format("{}, {} calls", report::duration(Nanoseconds{c.ncu->time_ns.value}), c.ncu->calls.size())
            : c.ncu_missing;
  return fmt::format("[{}/{}] {}: ncu {}", place, count, label(item), what);
}

/// What ncu said of a point; both regimes and all clocks of a sweep share it.
struct Profiled {
  std::optional<NcuPoint> point;
  std::string missing;
};

/// Sends the measured points through ncu, in order.
std::vector<Comparison> compare_all(const Plan& plan, const std::vector<Result>& results, Ncu& ncu, bool quiet,
                                    std::ostream& err, const CliEnvironment& environment) {
  std::map<std::string, Profiled> known;
  std::vector<Comparison> out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& item = plan.items[i];
    Profiled profiled;
    if (results[i].headline_summary() == nullptr) {
      profiled.missing = "not run: there is nothing to compare with";
    } else if (environment.interrupted()) {
      profiled.missing = "interrupted";
    } else if (const auto found = known.find(label(item)); found != known.end()) {
      profiled = found->second;
    } else {
      profiled.point = ncu.profile(item, plan.chosen.id, profiled.missing);
      known[label(item)] = profiled;
    }
    out.push_back(compare(results[i], profiled.point, profiled.missing, ncu.command().settings));
    if (!quiet && ncu.problem().empty()) err << progress_line(i + 1, results.size(), item, out.back()) << std::endl;
  }
  return out;
}

/// What is wrong on ncu's side, a line each; that it cannot be used at all only once.
std::vector<std::string> troubles(const std::vector<Comparison>& comparisons, const Ncu& ncu) {
  std::vector<std::string> lines;
  if (!ncu.problem().empty()) lines.push_back(ncu.problem());
  for (const auto& c : comparisons) {
    const bool own = c.ours && !c.ncu && c.ncu_missing != ncu.problem() && !c.ncu_missing.starts_with("not run: ") &&
                     c.ncu_missing != "interrupted";
    if (own) lines.push_back(label({c.benchmark, c.point}) + ": " + c.ncu_missing);
  }
  return lines;
}

}  // namespace

int crosscheck_command(const CrosscheckOptions& wanted, std::ostream& out, std::ostream& err,
                       const CliEnvironment& given) {
  auto options = wanted;
  options.run.db = "none";  // half of a comparison is no run to come back to
  check(options.run.protocol);
  check(options.run.clocks);
  const auto environment = with_user_kernels(options.run, given);
  auto plan = make_plan(options.run, environment);
  require_gpu(plan, environment);
  Ncu ncu(options, environment);
  if (options.run.dry_run) {
    print_dry_run(plan, ncu, options.run.protocol, out);
    return ExitCode::ok;
  }
  Crosscheck crosscheck{.warmup = options.warmup, .calls = options.repeat};
  std::vector<Output> files;
  if (!options.json.empty()) {
    files.push_back({"--json", options.json, [&] { return report::crosscheck_json(crosscheck); }});
  }
  const Outputs outputs(std::move(files));
  crosscheck.ncu_version = ncu.version();

  Storage storage(options.run, err, environment);
  auto opened = open_for(plan, options.run, err, environment);
  require_gpu(plan, environment);
  crosscheck.environment =
      capture_environment(opened.device->info(), options.run.protocol, environment.started, environment.variable);
  plan.items = storage.begin(crosscheck.environment, plan.items, plan.items);
  const auto outcome = measure_all(opened, plan.items, options.run, storage, err, environment);
  opened.clocks.reset();
  opened.device.reset();  // its memory and its counters are for the program under ncu
  if (ncu.problem().empty()) crosscheck.ncu_words = ncu.command().words;
  crosscheck.comparisons = compare_all(plan, outcome.results, ncu, options.run.quiet, err, environment);

  auto problems = troubles(crosscheck.comparisons, ncu);
  if (measured_something(outcome.results)) {
    const auto unwritten = outputs.write(out);
    problems.insert(problems.begin(), unwritten.begin(), unwritten.end());
    if (!outputs.take_stdout()) {
      out << report::crosscheck_text(crosscheck, {.colours = use_color(options.run.color, environment)});
    }
    out.flush();
  }
  if (!options.run.quiet) print_warnings(outcome.results, err);
  if (!outcome.fatal.empty()) problems.push_back(outcome.fatal);
  const bool interrupted = outcome.interrupted || environment.interrupted();
  if (interrupted) {
    problems.push_back(
        fmt::format("interrupted; {} of {} points were measured", outcome.results.size(), plan.items.size()));
  }
  for (const auto& problem : problems) err << "warpclock: " << problem << std::endl;
  if (interrupted) return ExitCode::interrupted;
  const int code = exit_code(outcome);
  return code == ExitCode::ok && !problems.empty() ? ExitCode::refused : code;
}

}  // namespace warpclock::cli
