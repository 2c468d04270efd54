// What is done to a whole database: taking in the runs of another one, and deleting old runs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "store/runs.hpp"

namespace warpclock::store {

struct Merged {
  std::size_t runs = 0;      // that were not there
  std::size_t attempts = 0;  // of these, and of runs that were there already
  std::size_t results = 0;
};

/// Takes in every run of `other` that `database` lacks, known by its uuid, and every attempt that a known run lacks;
/// doing it again does nothing. `other` stays as it is, but for its tables, which are brought to this version.
///   throws DataError; then nothing of `other` has been taken in
Merged merge(Database& database, const std::string& other);

/// Which runs to delete: those started before a moment, or all but the last few.
struct PruneRule {
  std::optional<std::chrono::system_clock::time_point> older_than;
  std::optional<std::size_t> keep;
};

/// The runs that `rule` means, the oldest first.
[[nodiscard]] std::vector<RunSummary> select_for_pruning(Database& database, const PruneRule& rule);

/// Deletes them with everything that belongs to them, and gives the space back to the file system.
///   return  bytes by which the file has become smaller
std::int64_t prune(Database& database, const std::vector<RunSummary>& runs);

}  // namespace warpclock::store
