// The commands that work on the results database. None of them touches a device.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/storage.hpp"
#include "core/errors.hpp"
#include "report/csv.hpp"
#include "report/formats.hpp"
#include "report/google_benchmark.hpp"
#include "report/numbers.hpp"
#include "report/text.hpp"
#include "report/utf8.hpp"
#include "store/maintain.hpp"

namespace warpclock::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A word as a shell reads it back.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~!") == std::string::npos;
  if (plain) return word;
  std::string out(1, '\'');
  for (const char c : word) {
    if (c == '\'') out += "'\\'";  // ends the quotes, a quoted quote, and the next one opens them again
    out += c;
  }
  out += '\'';
  return out;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += ' ';
    out += quoted(word);
  }
  return report::one_line(out);
}

std::string runs_text(const std::vector<store::RunSummary>& runs) {
  std::size_t device = 6, points = 6;
  const auto done = [](const store::RunSummary& run) { return fmt::format("{}/{}", run.done, run.points); };
  const auto where = [](const store::RunSummary& run) {
    return report::one_line(run.device_id + (run.device_name.empty() ? "" : " (" + run.device_name + ")"));
  };
  for (const auto& run : runs) {
    device = std::max(device, report::width(where(run)));
    points = std::max(points, done(run).size());
  }
  const auto row = [&](const std::string& id, const std::string& when, const std::string& what, const std::string& of,
                       const std::string& bad, const std::string& command) {
    return fmt::format("{:>5}  {:<20}  {}{}  {:>{}}  {:>3}  {}\n", id, when, what,
                       std::string(device - std::min(device, report::width(what)), ' '), of, points, bad, command);
  };
  auto out = row("run", "started", "device", "points", "bad", "command");
  for (const auto& run : runs) {
    out += row(std::to_string(run.id), run.started_utc, where(run), done(run),
               run.bad == 0 ? "" : std::to_string(run.bad), command_text(run.command));
  }
  return out;
}

Json runs_json(const std::vector<store::RunSummary>& runs) {
  Json out = Json::array();
  for (const auto& run : runs) {
    out.push_back({{"id", run.id},
                   {"uuid", run.uuid},
                   {"started_utc", run.started_utc},
                   {"device_id", run.device_id},
                   {"device_name", run.device_name},
                   {"points", run.points},
                   {"done", run.done},
                   {"bad", run.bad},
                   {"command", run.command}});
  }
  return {{"runs", out}};
}

std::vector<Result> results_of(store::StoredRun run, bool reading_order) {
  if (reading_order) std::ranges::stable_sort(run.results, {}, &store::StoredResult::place);
  std::vector<Result> out;
  for (auto& entry : run.results) out.push_back(std::move(entry.result));
  return out;
}

using Runs = std::vector<store::RunSummary>;

/// One table of all runs, with the run in front of each line.
std::string csv_of(store::Database& database, const Runs& runs) {
  std::vector<Result> results;
  std::vector<std::string> names;
  for (const auto& run : runs) {
    for (auto& result : results_of(store::load_run(database, run), true)) {
      results.push_back(std::move(result));
      names.push_back(std::to_string(run.id));
    }
  }
  return report::csv(results, names);
}

/// The document of each run as `run --json` wrote it; an array of them for several.
std::string json_of(store::Database& database, const Runs& runs) {
  const auto& format = report::format_named("json");
  std::string out;
  for (const auto& run : runs) {
    auto stored = store::load_run(database, run);
    const auto environment = stored.environment;
    auto document = format.function(environment, results_of(std::move(stored), false));
    if (runs.size() == 1) return document;
    document.pop_back();  // its line break
    out += out.empty() ? "[\n" : ",\n";
    out += document;
  }
  return out + "\n]\n";
}

std::string md_of(store::Database& database, const Runs& runs) {
  const auto& format = report::format_named("md");
  std::string out;
  for (const auto& run : runs) {
    out += fmt::format("{}<!-- run {}: {} -->\n\n", out.empty() ? "" : "\n", run.id, run.uuid);
    const auto stored = store::load_run(database, run);
    out += format.function(stored.environment, results_of(stored, true));
  }
  return out;
}

std::string export_text(const std::string& format, store::Database& database, const Runs& runs) {
  if (format == "csv") return csv_of(database, runs);
  if (format == "md") return md_of(database, runs);
  if (format == "json") return json_of(database, runs);
  const auto stored = store::load_run(database, runs.front());
  return report::google_benchmark(stored.environment, results_of(stored, true));
}

int written(const std::vector<std::string>& problems, std::ostream& err) {
  for (const auto& problem : problems) err << "warpclock: " << problem << std::endl;
  return problems.empty() ? ExitCode::ok : ExitCode::refused;
}

}  // namespace

int runs_command(const RunsOptions& options, std::ostream& out, const CliEnvironment& environment) {
  const auto database = open_database(options.db, store::Access::read, environment);
  const auto runs = store::list_runs(*database);
  out << (options.json ? runs_json(runs).dump(2) + "\n" : runs_text(runs));
  return ExitCode::ok;
}

int show_command(const ShowOptions& options, std::ostream& out, std::ostream& err, const CliEnvironment& environment) {
  const auto database = open_database(options.db, store::Access::read, environment);
  store::StoredRun run;
  std::vector<Output> files;
  for (const auto& [name, path] : options.files) {
    const auto function = report::format_named(name).function;
    files.push_back({"--" + name, path, [&, function, as_run = name == "json"] {
                       return function(run.environment, results_of(run, !as_run));
                     }});
  }
  const Outputs outputs(std::move(files));
  run = store::load_run(*database, store::find_run(*database, options.run));
  const auto problems = outputs.write(out);
  if (!outputs.take_stdout()) {
    out << report::text(run.environment, results_of(run, true), {.colours = use_color(options.color, environment)});
  }
  if (run.summary.done < run.summary.points) {
    err << fmt::format("warpclock: run {} has {} of {} points; run --resume measures the others", run.summary.id,
                       run.summary.done, run.summary.points)
        << std::endl;
  }
  return written(problems, err);
}

int export_command(const ExportOptions& options, std::ostream& out, std::ostream& err,
                   const CliEnvironment& environment) {
  const auto database = open_database(options.db, store::Access::read, environment);
  const auto names = options.runs.empty() ? std::vector<std::string>{"last"} : options.runs;
  if (options.format == "google-benchmark" && names.size() > 1) {
    throw UsageError(
        "--format google-benchmark takes one run: compare.py reads each of the two it compares from a file");
  }
  Runs runs;
  for (const auto& name : names) runs.push_back(store::find_run(*database, name));
  const Outputs outputs({{"--output", options.output, [&] { return export_text(options.format, *database, runs); }}});
  return written(outputs.write(out), err);
}

int merge_command(const MergeOptions& options, std::ostream& out, const CliEnvironment& environment) {
  if (options.others.empty()) throw UsageError("merge: name a database whose runs are to be taken in");
  const auto database = open_database(options.db, store::Access::write, environment);
  for (const auto& other : options.others) {
    std::error_code error;
    if (std::filesystem::equivalent(other, database->file(), error)) {
      throw UsageError(fmt::format("merge: '{}' is the database that the runs go into; name another one", other));
    }
    const auto merged = store::merge(*database, other);
    out << fmt::format("{}: {} new runs, {} new attempts, {} new results\n", other, merged.runs, merged.attempts,
                       merged.results);
  }
  return ExitCode::ok;
}

int prune_command(const PruneOptions& options, std::ostream& out, const CliEnvironment& environment) {
  if (options.older_than.empty() == !options.keep) {
    throw UsageError("prune: say which runs to delete with one of --older-than 30d and --keep 20");
  }
  store::PruneRule rule{.older_than = {}, .keep = options.keep};
  if (!options.older_than.empty())
    rule.older_than = environment.started - std::chrono::seconds(read_age(options.older_than));
  const auto database =
      open_database(options.db, options.dry_run ? store::Access::read : store::Access::write, environment);
  const auto runs = store::select_for_pruning(*database, rule);
  if (!runs.empty()) out << runs_text(runs);
  std::int64_t results = 0;
  for (const auto& run : runs) results += run.done;
  const auto what =
      fmt::format("{} {} with {} measured points", runs.size(), runs.size() == 1 ? "run" : "runs", results);
  if (options.dry_run) {
    out << fmt::format("would delete {}\n", what);
    return ExitCode::ok;
  }
  const auto freed = runs.empty() ? 0 : store::prune(*database, runs);
  out << fmt::format("deleted {}; the file is {} smaller\n", what,
                     report::size(static_cast<Bytes>(std::max<std::int64_t>(freed, 0))));
  return ExitCode::ok;
}

}  // namespace warpclock::cli
