#include "store/schema.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"

namespace warpclock::store {
namespace {

// Ids are never used again (AUTOINCREMENT): a number that someone wrote down does not come to mean another run.
// Times are nanoseconds since 1970, UTC.
constexpr auto version_1 = R"sql(
CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,       -- the same in every database that the run is merged into
  started_utc TEXT NOT NULL,       -- ISO 8601
  command TEXT NOT NULL,           -- JSON array of words
  process TEXT NOT NULL,           -- who measures, or measured last: host, process id, its start time
  device_id TEXT NOT NULL,         -- "cuda:0"
  device_name TEXT NOT NULL,
  points INTEGER NOT NULL,         -- items of the plan
  plan_hash TEXT NOT NULL,         -- of their labels, sorted
  identity TEXT NOT NULL,          -- JSON object: what must be the same where the run is resumed
  environment TEXT NOT NULL        -- JSON object, as in the JSON result
);
CREATE TABLE item (
  run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  place INTEGER NOT NULL,          -- from 0, in the order in which a reader looks for them
  label TEXT NOT NULL,             -- "gemm M=2 N=64, sustained, 1500 MHz": the key within the run
  benchmark TEXT NOT NULL,
  point TEXT NOT NULL,             -- JSON object
  regime TEXT NOT NULL,
  locked_clock_mhz REAL,
  PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  place INTEGER NOT NULL,          -- of the item
  intended_ns INTEGER NOT NULL,    -- committed before anything of the point runs
  started_ns INTEGER,
  ended_ns INTEGER,                -- NULL: the process ended before the point did
  outcome TEXT,                    -- status of the result, or "lost" where there is none
  error TEXT
);
CREATE INDEX attempt_of_run ON attempt(run, place, outcome);
CREATE TABLE result (
  attempt INTEGER PRIMARY KEY REFERENCES attempt(id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  headline_ns REAL,                -- median, and its interval
  low_ns REAL,
  high_ns REAL,
  sample_count INTEGER NOT NULL,
  checksum INTEGER NOT NULL,       -- FNV-1a, 64 bits, over the document and the columns of the samples
  layout TEXT NOT NULL,            -- schema_version of the document
  document TEXT NOT NULL           -- one entry of `results` of the JSON result, without its samples
);
CREATE TABLE samples (             -- one array a column, little-endian; NULL: absent in all samples
  attempt INTEGER PRIMARY KEY REFERENCES result(attempt) ON DELETE CASCADE,
  format INTEGER NOT NULL,         -- of the columns: 1
  pass BLOB,                       -- 1 byte: 0 traced, 1 untraced
  kernel_ns BLOB,                  -- 8 bytes, IEEE double, NaN: absent; so are the other times and the clock
  busy_ns BLOB,
  call_ns BLOB,
  host_ns BLOB,
  at_ns BLOB,
  clock_mhz BLOB,
  copy BLOB,                       -- 4 bytes, unsigned
  marks BLOB                       -- 2 bytes, a bit a mark in the order of the JSON schema
);
)sql";

[[noreturn]] void refuse(const Connection& connection, const std::string& why) {
  throw DataError(fmt::format("'{}' {}", connection.file(), why));
}

bool empty(Connection& connection) { return connection.integer("SELECT count(*) FROM sqlite_schema") == 0; }

}  // namespace

const std::vector<std::string>& migration_steps() {
  static const std::vector<std::string> steps{version_1};
  return steps;
}

void migrate(Connection& connection, std::span<const std::string> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  const auto version = [&] { return connection.integer("PRAGMA user_version"); };
  const auto is_ours = [&] { return connection.integer("PRAGMA application_id") == application_id; };
  bool ours = is_ours();
  if (!ours && !empty(connection)) {
    ours = is_ours();  // another process may have made the tables between the two looks
    if (!ours) refuse(connection, "is a database of another program; give another file");
  }
  const auto found = version();
  if (found > newest) {
    refuse(connection, fmt::format("was written by a newer warpclock (its tables have version {}, this program knows "
                                   "{}); use that one, or another file",
                                   found, newest));
  }
  if (ours && found == newest) return;
  if (connection.read_only()) {
    if (!ours) refuse(connection, "holds no results");
    refuse(connection,
           fmt::format("has tables of version {} and is read-only; make it writable once, or copy it", found));
  }
  Transaction transaction(connection);
  // Another process may have done it while this one waited.
  for (auto at = version(); at < newest; ++at) connection.execute(steps[static_cast<std::size_t>(at)]);
  connection.execute(fmt::format("PRAGMA application_id = {}", application_id));
  connection.execute(fmt::format("PRAGMA user_version = {}", newest));
  transaction.commit();
}

}  // namespace warpclock::store
