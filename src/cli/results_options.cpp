#include "cli/results_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/errors.hpp"
#include "plan/quantities.hpp"
#include "report/formats.hpp"

namespace warpclock::cli {
namespace {

constexpr auto where_to = "Where the results go";
constexpr auto which = "Which runs";
constexpr auto run_help = "number of the run, the first letters of its long name, or 'last'";

void add_db(CLI::App& command, std::string& db) {
  command.add_option("--db", db, "the database; unset: results.db in the user's data folder")
      ->type_name("FILE")
      ->group(which);
}

void add_choice(CLI::App& command, const std::string& flag, const std::vector<std::string>& words, std::string& value,
                const std::string& help, const std::string& group) {
  command
      .add_option_function<std::string>(
          flag,
          [flag, words, &value](const std::string& word) {
            if (std::find(words.begin(), words.end(), word) == words.end()) {
              throw UsageError(fmt::format("{}: '{}' is not one of {}", flag, word, fmt::join(words, ", ")));
            }
            value = word;
          },
          help)
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->default_str(words.front())
      ->group(group);
}

void add_runs(CLI::App& app, RunsOptions& options) {
  auto& command = *app.add_subcommand("runs", "the runs that are kept, the oldest first");
  add_db(command, options.db);
  command.add_flag("--json", options.json, "as JSON")->group(where_to);
}

void add_show(CLI::App& app, ShowOptions& options) {
  auto& command = *app.add_subcommand("show", "the table of a run that is kept, as the run printed it");
  command.add_option("run", options.run, run_help)->type_name("RUN")->default_str("last")->expected(1)->group(which);
  add_db(command, options.db);
  for (const auto& format : report::formats()) {
    if (format.name == "text") continue;
    const auto take = [&options, name = format.name](const std::string& path) { options.files[name] = path; };
    command.add_option_function<std::string>("--" + format.name, take, "as " + format.name + "; - is stdout")
        ->type_name("FILE|-")
        ->group(where_to);
  }
  add_choice(command, "--color", {"auto", "always", "never"}, options.color,
             "colours; auto: on a terminal, unless NO_COLOR is set", where_to);
}

void add_export(CLI::App& app, ExportOptions& options) {
  auto& command = *app.add_subcommand("export", "runs in a format for other programs");
  command.add_option("runs", options.runs, run_help)->type_name("RUN")->default_str("last")->group(which);
  add_db(command, options.db);
  add_choice(command, "--format", {"json", "csv", "md", "google-benchmark"}, options.format,
             "google-benchmark: of one run, for that library's compare.py", where_to);
  command.add_option("-o,--output", options.output, "the file; - is stdout")
      ->type_name("FILE|-")
      ->default_str("-")
      ->group(where_to);
}

void add_merge(CLI::App& app, MergeOptions& options) {
  auto& command = *app.add_subcommand("merge", "take in the runs of other databases; those that are there stay once");
  command.add_option("others", options.others, "databases whose runs are taken in")->type_name("FILE")->group(which);
  add_db(command, options.db);
}

void add_prune(CLI::App& app, PruneOptions& options) {
  auto& command = *app.add_subcommand("prune", "delete old runs with all their results");
  command.add_option("--older-than", options.older_than, "runs that started longer ago than this: 36h, 30d, 8w")
      ->type_name("AGE")
      ->group(which);
  command
      .add_option_function<std::string>(
          "--keep",
          [&options](const std::string& text) {
            options.keep = read_count(text);
            if (!options.keep) throw UsageError("--keep: '" + text + "' is no number of runs; write --keep 20");
          },
          "all but the last N runs")
      ->type_name("N")
      ->group(which);
  command.add_flag("--dry-run", options.dry_run, "say what would be deleted, delete nothing")->group(which);
  add_db(command, options.db);
}

}  // namespace

void add_results_commands(CLI::App& app, ResultsOptions& options) {
  add_runs(app, options.runs);
  add_show(app, options.show);
  add_export(app, options.exported);
  add_merge(app, options.merge);
  add_prune(app, options.prune);
}

std::int64_t read_age(const std::string& text) {
  const auto number = text.empty() ? std::nullopt : read_count(text.substr(0, text.size() - 1));
  const char unit = text.empty() ? ' ' : text.back();
  const std::int64_t factor = unit == 'h' ? 3600 : unit == 'd' ? 86'400 : unit == 'w' ? 604'800 : 0;
  constexpr std::uint64_t largest = 1'000'000;  // of any unit; far beyond the age of any run
  if (!number || factor == 0 || *number > largest) {
    throw UsageError("--older-than: '" + text + "' is no age; write 36h, 30d or 8w");
  }
  return static_cast<std::int64_t>(*number) * factor;
}

}  // namespace warpclock::cli
