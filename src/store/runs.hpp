// What the database holds, read back: the list of runs, and one run with its results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "store/database.hpp"

namespace warpclock::store {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// One point of a plan, in one regime and at one clock.
struct Item {
  std::string label;  // tells it from every other item of the plan
  std::string benchmark;
  Point point;
  std::string regime;
  std::optional<double> locked_clock_mhz;
};

/// What is known of a run before it starts.
struct RunInfo {
  std::vector<std::string> command;  // its words
  Environment environment;
  Pairs identity;          // what must be the same where the run is resumed: program, device, driver, settings
  std::vector<Item> plan;  // in the order in which a reader looks for them, whatever order they are measured in
};

/// One line of the list of runs.
struct RunSummary {
  std::int64_t id = 0;  // in this database; never used again
  std::string uuid;     // in all of them
  std::string started_utc;
  std::string device_id;
  std::string device_name;
  std::vector<std::string> command;
  std::int64_t points = 0;  // of the plan
  std::int64_t done = 0;    // with a result that a resumed run would keep
  std::int64_t bad = 0;     // of these, wrong or failed
};

/// All runs, the oldest first.
[[nodiscard]] std::vector<RunSummary> list_runs(Database& database);

/// The run that `name` means: its id, the first 4 or more characters of its uuid, or "last".
///   throws UsageError with near ones where there is none or more than one
[[nodiscard]] RunSummary find_run(Database& database, const std::string& name);

struct StoredResult {
  std::size_t place = 0;  // of its item in the plan
  Result result;
};

struct StoredRun {
  RunSummary summary;
  Environment environment;
  std::vector<std::string> plan;      // labels
  std::vector<StoredResult> results;  // one an item at most, in the order in which they were measured: of several
                                      // attempts the last that ended, one that was interrupted only for want of another
};

/// throws DataError for a result that is damaged: its checksum is not that of its content
[[nodiscard]] StoredRun load_run(Database& database, const RunSummary& run);

/// True where a resumed run keeps the result: everything but interrupted points.
[[nodiscard]] bool keeps(Status status);

/// Hash of the set of labels, whatever their order.
[[nodiscard]] std::string plan_hash(const std::vector<Item>& plan);

/// Hash over a result's document and its columns of samples, as the column `checksum` holds it.
[[nodiscard]] std::int64_t checksum(std::string_view document, std::span<const std::span<const std::byte>> columns);

}  // namespace warpclock::store
