#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/user_kernel_options.hpp"
#include "core/errors.hpp"
#include "core/version.hpp"
#include "plan/quantities.hpp"
#include "plan/settings.hpp"
#include "plan/suggest.hpp"
#include "report/formats.hpp"

namespace warpclock::cli {
namespace {

constexpr auto what_to_run = "What to measure";
constexpr auto where_to = "Where the results go";
constexpr auto how = "How a point is measured";
constexpr auto profiled = "What is marked";
constexpr auto with_ncu = "What ncu does";

/// An option that may be given again and takes one word each time, so that kernels may follow it.
void add_repeatable(CLI::App& app, const std::string& flag, const std::string& placeholder, const std::string& help,
                    const std::function<void(const std::string&)>& each) {
  app.add_option_function<std::vector<std::string>>(
         flag,
         [each](const std::vector<std::string>& words) {
           for (const auto& word : words) each(word);
         },
         help)
      ->type_name(placeholder)
      ->allow_extra_args(false)
      ->group(what_to_run);
}

CLI::Option* add_text(CLI::App& app, const std::string& flag, std::string& value, const std::string& placeholder,
                      const std::string& help) {
  return app.add_option(flag, value, help)->type_name(placeholder);
}

/// A word out of a few. CLI11's own check would name neither the flag nor a good value.
void add_choice(CLI::App& app, const std::string& flag, std::vector<std::string> words, const std::string& help,
                const std::string& group, const std::function<void(const std::string&)>& take) {
  app.add_option_function<std::string>(
         flag,
         [flag, words, take](const std::string& word) {
           if (std::find(words.begin(), words.end(), word) == words.end()) {
             throw UsageError(fmt::format("{}: '{}' is not one of {}", flag, word, fmt::join(words, ", ")));
           }
           take(word);
         },
         help)
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->default_str(words.front())
      ->group(group);
}

void add_color(CLI::App& app, std::string& value, const std::string& group) {
  add_choice(app, "--color", {"auto", "always", "never"}, "colours; auto: on a terminal, unless NO_COLOR is set", group,
             [&value](const std::string& word) { value = word; });
}

void add_device(CLI::App& app, std::string& value, const std::string& otherwise) {
  add_text(app, "--device", value, "DEVICE", "cuda:0, cuda:1, ..., cpu or sim; " + otherwise)->group(what_to_run);
}

/// One flag a row of the settings table, or of those rows that are named.
void add_settings(CLI::App& app, Protocol& protocol, const std::vector<std::string>& named = {}) {
  for (const auto& row : settings()) {
    if (!named.empty() && std::ranges::find(named, row.name) == named.end()) continue;
    const auto& parse_row = row.parse;
    app.add_option_function<std::string>(
           row.flag(), [&protocol, parse_row](const std::string& text) { parse_row(text, protocol); },
           fmt::format("{} ({})", row.help, row.range))
        ->type_name(row.placeholder)
        ->default_str(row.default_text)
        ->group(how);
  }
}

/// A whole number within limits, both included.
void add_count(CLI::App& app, const std::string& flag, std::uint32_t& value, std::uint32_t low, std::uint32_t high,
               const std::string& help, const std::string& group) {
  app.add_option_function<std::string>(
         flag,
         [flag, low, high, &value](const std::string& word) {
           const auto count = read_count(word);
           if (!count || *count < low || *count > high) {
             throw UsageError(fmt::format("{}: '{}' is no whole number from {} to {}", flag, word, low, high));
           }
           value = static_cast<std::uint32_t>(*count);
         },
         fmt::format("{} ({} to {})", help, low, high))
      ->type_name("COUNT")
      ->default_str(std::to_string(value))
      ->group(group);
}

/// Which points, and on what.
void add_points(CLI::App& command, RunOptions& run) {
  command.add_option("kernels", run.kernels, "kernels to measure; 'warpclock list' names them")
      ->type_name("KERNEL")
      ->default_str("gemm")
      ->group(what_to_run);
  add_device(command, run.device, "unset: the first GPU that works, else cpu");
  add_repeatable(command, "--axis", "AXIS=VALUES",
                 "values of one axis: M=1,2,16 or n=1..9:2 or n=2^10..2^27; may be given again",
                 [&run](const std::string& word) { run.axes.push_back(split_axis(word)); });
  add_text(command, "--filter", run.filter, "REGEX", "only points whose label ('gemm M=2 N=64 K=64') contains this")
      ->group(what_to_run);
  command.add_flag("!--no-lock", run.lock, "measure although another warpclock measures on the same GPU")
      ->group(what_to_run);
  command.add_flag("--dry-run", run.dry_run, "print the points and the settings, measure nothing")->group(what_to_run);
  add_user_kernel_options(command, run.own_kernel);
}

/// What the times are compared with.
void add_peaks(CLI::App& command, RunOptions& run) {
  add_repeatable(command, "--peak", "NAME=VALUE",
                 "a peak instead of the documented one: memory=4800 (GB/s) or bf16=989 (TFLOP/s); may be given again",
                 [&run](const std::string& word) { run.peaks.push_back(parse_peak(word)); });
  add_choice(command, "--ceilings", {"on", "off"}, "measure the device's bandwidth ceilings once and keep them",
             what_to_run, [&run](const std::string& word) { run.ceilings = word == "on"; });
}

void add_quiet_and_color(CLI::App& command, RunOptions& run) {
  command.add_flag("-q,--quiet", run.quiet, "no progress and no warnings on stderr; errors stay")->group(where_to);
  add_color(command, run.color, where_to);
}

void add_run(CLI::App& app, RunOptions& run) {
  auto& command = *app.add_subcommand("run", "measure kernels and print a table");
  add_points(command, run);
  add_peaks(command, run);
  add_clock_options(command, run.clocks, what_to_run);
  for (const auto& format : report::formats()) {
    if (format.name == "text") continue;  // that one is printed anyway
    const auto take = [&run, name = format.name](const std::string& path) { run.files[name] = path; };
    command
        .add_option_function<std::string>("--" + format.name, take, "the results as " + format.name + "; - is stdout")
        ->type_name("FILE|-")
        ->group(where_to);
  }
  add_text(command, "--db", run.db, "FILE|none",
           "the database that keeps every result; unset: results.db in the user's data folder")
      ->group(where_to);
  command.add_flag("--resume", run.resume, "go on with the last run of the same plan: measure only what it lacks")
      ->group(where_to);
  add_quiet_and_color(command, run);
  add_settings(command, run.protocol);
}

void add_profile(CLI::App& app, ProfileOptions& profile) {
  auto& command = *app.add_subcommand(
      "profile", "run each point once for a profiler: warmed, then one call between marks, nothing timed");
  add_points(command, profile.run);
  add_count(command, "--warmup", profile.warmup, 0, 1'000'000, "unmarked calls before the marked one", profiled);
  add_count(command, "--calls", profile.calls, 1, 1'000'000, "marked calls a point, each with its own marks", profiled);
  command.add_flag("--flush", profile.flush, "evict before each marked call, as --cache and --flush-size say")
      ->group(profiled);
  add_settings(command, profile.run.protocol, operand_settings());
}

void add_crosscheck(CLI::App& app, CrosscheckOptions& crosscheck) {
  auto& command = *app.add_subcommand("crosscheck", "measure, then let Nsight Compute (ncu) measure the same points");
  add_points(command, crosscheck.run);
  add_peaks(command, crosscheck.run);
  add_clock_options(command, crosscheck.run.clocks, what_to_run);
  add_text(command, "--ncu", crosscheck.ncu, "PATH", "ncu; unset: as found on PATH or in a CUDA toolkit")
      ->group(with_ncu);
  add_text(command, "--ncu-args", crosscheck.ncu_args, "WORDS",
           "further words for ncu, in place of the defaults where they set the same")
      ->group(with_ncu);
  add_count(command, "--repeat", crosscheck.repeat, 1, 1'000, "calls that ncu profiles, a point", with_ncu);
  add_count(command, "--warmup", crosscheck.warmup, 0, 1'000'000, "calls before them that it does not", with_ncu);
  add_text(command, "--json", crosscheck.json, "FILE|-", "both sides and the verdicts as JSON; - is stdout")
      ->group(where_to);
  add_quiet_and_color(command, crosscheck.run);
  add_settings(command, crosscheck.run.protocol);
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

/// The words of --ncu-args start with dashes, and CLI11 takes such a word for an option unless an equals sign ties it.
std::vector<std::string> tied(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const auto& word : words) {
    if (!out.empty() && out.back() == "--ncu-args") {
      out.back() += "=" + word;
    } else {
      out.push_back(word);
    }
  }
  return out;
}

[[noreturn]] void refuse_extra(const CLI::App& app, const std::string& word) {
  const auto parsed = app.get_subcommands();
  if (word.starts_with("-")) {
    const CLI::App& command = parsed.empty() ? app : *parsed.front();
    const std::string flag = word.substr(0, word.find('='));
    throw UsageError(fmt::format("unknown option '{}'; {}", flag, did_you_mean(flag, flags_of(command))));
  }
  if (parsed.empty()) {
    throw UsageError(fmt::format("unknown command '{}'; {}", word, did_you_mean(word, commands_of(app))));
  }
  throw UsageError(fmt::format("'{}' takes no '{}'; see 'warpclock {} --help'", parsed.front()->get_name(), word,
                               parsed.front()->get_name()));
}

}  // namespace

const std::vector<std::string>& operand_settings() {
  static const std::vector<std::string> names{"cache", "flush-size", "copies", "data", "seed"};
  return names;
}

Peak parse_peak(const std::string& text) {
  const auto equals = text.find('=');
  const auto value = equals == std::string::npos ? std::nullopt : read_number(text.substr(equals + 1));
  if (equals == 0 || !value || *value <= 0) {
    throw UsageError("--peak: '" + text + "' is no peak; write memory=4800 (GB/s) or bf16=989 (TFLOP/s)");
  }
  const std::string resource = text.substr(0, equals);
  const std::vector<std::string> known{"memory", "fp64", "fp32", "tf32", "fp16", "bf16", "fp8"};
  if (std::find(known.begin(), known.end(), resource) == known.end()) {
    throw UsageError(fmt::format("--peak: unknown resource '{}'; known: {}", resource, fmt::join(known, ", ")));
  }
  return {resource, *value, resource == "memory" ? "GB/s" : "TFLOP/s", 0, "given: --peak " + text};
}

std::unique_ptr<CLI::App> build_app(Options& options) {
  auto app = std::make_unique<CLI::App>("How fast a kernel really is, how sure that is, and how close to the hardware.",
                                        "warpclock");
  app->set_version_flag("--version", "warpclock " + version(), "print the version");
  app->require_subcommand(1);
  add_run(*app, options.run);
  add_crosscheck(*app, options.crosscheck);
  add_profile(*app, options.profile);
  add_results_commands(*app, options.results);
  auto& list = *app->add_subcommand("list", "kernels, their axes and defaults; touches no device");
  add_device(list, options.list.device, "unset: the defaults of all of them");
  list.add_flag("--json", options.list.json, "as JSON");
  auto& devices = *app->add_subcommand("devices", "each device: what it is, what works, what does not and why, peaks");
  devices.add_flag("--json", options.devices.json, "as JSON");
  auto& selftest = *app->add_subcommand("selftest", "check the measuring itself on a device, against known truth");
  add_device(selftest, options.selftest.device, "unset: the first GPU that works, else cpu");
  add_color(selftest, options.selftest.color, where_to);
  app->add_subcommand("docs", "print docs/cli.md")->group("");
  add_clock_guard(*app, options.clock_guard);
  return app;
}

const CLI::App& parse(CLI::App& app, const std::vector<std::string>& words) {
  try {
    auto ordered = tied(words);
    std::ranges::reverse(ordered);  // CLI11 takes them last one first
    app.parse(std::move(ordered));
  } catch (const CLI::ExtrasError&) {
    refuse_extra(app, app.remaining(true).front());
  } catch (const CLI::RequiredError&) {
    const auto left = app.remaining(true);
    if (!left.empty()) refuse_extra(app, left.front());
    throw UsageError("no command given; try 'warpclock run' or 'warpclock --help'");
  } catch (const CLI::Success&) {
    throw;  // --help, --version
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return *app.get_subcommands().front();
}

}  // namespace warpclock::cli
