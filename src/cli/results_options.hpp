// Options of the commands that work on the results database.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpclock::cli {

struct RunsOptions {
  std::string db;  // empty: the default one
  bool json = false;
};

struct ShowOptions {
  std::string run = "last";
  std::string db;
  std::map<std::string, std::string> files;  // by format: a path, or "-" for stdout
  std::string color = "auto";
};

struct ExportOptions {
  std::vector<std::string> runs;  // empty: the last one
  std::string db;
  std::string format = "json";
  std::string output = "-";
};

struct MergeOptions {
  std::vector<std::string> others;
  std::string db;
};

struct PruneOptions {
  std::string db;
  std::string older_than;  // "30d"; empty: not given
  std::optional<std::uint64_t> keep;
  bool dry_run = false;
};

struct ResultsOptions {
  RunsOptions runs;
  ShowOptions show;
  ExportOptions exported;
  MergeOptions merge;
  PruneOptions prune;
};

/// runs, show, export, merge and prune, writing what they parse into `options`.
void add_results_commands(CLI::App& app, ResultsOptions& options);

/// "36h", "30d" or "8w" in seconds.  throws UsageError
[[nodiscard]] std::int64_t read_age(const std::string& text);

}  // namespace warpclock::cli
