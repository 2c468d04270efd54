// Tables of the results database, and the steps from one version of them to the next. docs/results.md describes them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/sqlite.hpp"

namespace warpclock::store {

/// In the header of the file (PRAGMA application_id), so that it is told from other programs' databases: "WCLK".
inline constexpr std::int64_t application_id = 0x57434C4B;

/// Step i takes a database from version i to i + 1. A step that has been released is never changed; a change of the
/// tables is a new step at the end.
[[nodiscard]] const std::vector<std::string>& migration_steps();

/// Brings the tables to the newest version, all in one transaction; an empty file gets all of them.
///   throws DataError for a database of another program, of a newer version, or an older one that cannot be written
void migrate(Connection& connection, std::span<const std::string> steps = migration_steps());

}  // namespace warpclock::store
