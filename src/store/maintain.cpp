#include "store/maintain.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/errors.hpp"

namespace warpclock::store {
namespace {

/// Another database under the name `other` as long as it lives.
class Attached {
 public:
  [[nodiscard]] Attached(Connection& connection, const std::string& file) : connection_(connection) {
    connection_.prepare("ATTACH DATABASE ? AS other").run(file);
  }
  ~Attached() {
    try {
      connection_.execute("DETACH DATABASE other");
    } catch (const DataError&) {
      // It goes with the connection.
    }
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  Connection& connection_;
};

// Attempts of a run are known by place and time of their intent. `pairs` has those of both databases.
constexpr auto merge_attempts = R"sql(
CREATE TEMP TABLE run_pair AS
  SELECT o.id AS theirs, m.id AS ours FROM other.run o JOIN main.run m ON m.uuid = o.uuid;
INSERT INTO main.attempt (run, place, intended_ns)
  SELECT p.ours, a.place, a.intended_ns FROM other.attempt a JOIN temp.run_pair p ON p.theirs = a.run
  WHERE NOT EXISTS (SELECT 1 FROM main.attempt b
                    WHERE b.run = p.ours AND b.place = a.place AND b.intended_ns = a.intended_ns)
  ORDER BY a.id;
CREATE TEMP TABLE attempt_pair AS
  SELECT a.id AS theirs, b.id AS ours FROM other.attempt a JOIN temp.run_pair p ON p.theirs = a.run
  JOIN main.attempt b ON b.run = p.ours AND b.place = a.place AND b.intended_ns = a.intended_ns
  WHERE b.outcome IS NULL;
UPDATE main.attempt SET (started_ns, ended_ns, outcome, error) =
  (SELECT a.started_ns, a.ended_ns, a.outcome, a.error FROM other.attempt a JOIN temp.attempt_pair p ON p.theirs = a.id
   WHERE p.ours = main.attempt.id)
  WHERE id IN (SELECT ours FROM temp.attempt_pair);
INSERT INTO main.result
  SELECT p.ours, r.status, r.headline_ns, r.low_ns, r.high_ns, r.sample_count, r.checksum, r.layout, r.document
  FROM other.result r JOIN temp.attempt_pair p ON p.theirs = r.attempt
  WHERE p.ours NOT IN (SELECT attempt FROM main.result);
INSERT INTO main.samples
  SELECT p.ours, s.format, s.pass, s.kernel_ns, s.busy_ns, s.call_ns, s.host_ns, s.at_ns, s.clock_mhz, s.copy, s.marks
  FROM other.samples s JOIN temp.attempt_pair p ON p.theirs = s.attempt
  WHERE p.ours NOT IN (SELECT attempt FROM main.samples);
DROP TABLE temp.attempt_pair;
DROP TABLE temp.run_pair;
)sql";

constexpr auto merge_runs = R"sql(
INSERT INTO main.run (uuid, started_utc, command, process, device_id, device_name, points, plan_hash, identity,
                      environment)
  SELECT uuid, started_utc, command, process, device_id, device_name, points, plan_hash, identity, environment
  FROM other.run o WHERE o.uuid NOT IN (SELECT uuid FROM main.run) ORDER BY o.id;
INSERT INTO main.item
  SELECT m.id, i.place, i.label, i.benchmark, i.point, i.regime, i.locked_clock_mhz
  FROM other.item i JOIN other.run o ON o.id = i.run JOIN main.run m ON m.uuid = o.uuid
  WHERE NOT EXISTS (SELECT 1 FROM main.item k WHERE k.run = m.id);
)sql";

Merged count(Connection& connection) {
  const auto rows = [&](const std::string& table) {
    return static_cast<std::size_t>(connection.integer("SELECT count(*) FROM main." + table));
  };
  return {rows("run"), rows("attempt"), rows("result")};
}

std::int64_t size_of(Connection& connection) {
  return connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size");
}

}  // namespace

Merged merge(Database& database, const std::string& other) {
  // Opened on its own first: only a sound database of this version can be attached.
  { const Database check(other, Access::read); }
  auto& connection = database.connection();
  const Attached attached(connection, other);
  Transaction transaction(connection);
  const auto before = count(connection);
  connection.execute(merge_runs);
  connection.execute(merge_attempts);
  const auto after = count(connection);
  transaction.commit();
  return {after.runs - before.runs, after.attempts - before.attempts, after.results - before.results};
}

std::vector<RunSummary> select_for_pruning(Database& database, const PruneRule& rule) {
  auto runs = list_runs(database);
  if (rule.keep) runs.resize(runs.size() - std::min(*rule.keep, runs.size()));
  if (rule.older_than) {
    // ISO 8601 in UTC sorts as time does.
    const auto limit =
        fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(*rule.older_than)));
    std::erase_if(runs, [&](const RunSummary& run) { return run.started_utc >= limit; });
  }
  return runs;
}

std::int64_t prune(Database& database, const std::vector<RunSummary>& runs) {
  auto& connection = database.connection();
  const auto before = size_of(connection);
  {
    Transaction transaction(connection);
    auto remove = connection.prepare("DELETE FROM run WHERE id = ?");
    for (const auto& run : runs) remove.run(run.id);
    transaction.commit();
  }
  connection.execute("VACUUM");
  // The log holds the whole new file now.
  connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  return before - size_of(connection);
}

}  // namespace warpclock::store
