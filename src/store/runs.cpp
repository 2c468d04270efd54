#include "store/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "codec/result_json.hpp"
#include "core/errors.hpp"
#include "store/hash.hpp"
#include "store/sample_columns.hpp"

namespace warpclock::store {
namespace {

constexpr auto summaries = R"sql(
SELECT r.id, r.uuid, r.started_utc, r.device_id, r.device_name, r.command, r.points,
       (SELECT count(DISTINCT place) FROM attempt WHERE run = r.id AND outcome IN ('ok', 'wrong', 'failed', 'skipped')),
       (SELECT count(DISTINCT place) FROM attempt WHERE run = r.id AND outcome IN ('wrong', 'failed'))
FROM run r )sql";

RunSummary summary_of(const Statement& row, const std::string& file) {
  RunSummary out{.id = row.integer(0),
                 .uuid = row.text(1),
                 .started_utc = row.text(2),
                 .device_id = row.text(3),
                 .device_name = row.text(4),
                 .points = row.integer(6),
                 .done = row.integer(7),
                 .bad = row.integer(8)};
  const auto words = codec::parse(row.text(5), fmt::format("'{}': the command of run {}", file, out.id));
  for (const auto& word : words) {
    if (word.is_string()) out.command.push_back(word.get<std::string>());
  }
  return out;
}

std::vector<RunSummary> query(Database& database, const std::string& rest, const std::string& parameter = "") {
  auto statement = database.connection().prepare(summaries + rest);
  parameter.empty() ? statement.with() : statement.with(parameter);
  std::vector<RunSummary> out;
  while (statement.step()) out.push_back(summary_of(statement, database.file()));
  return out;
}

std::optional<std::int64_t> read_id(const std::string& name) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return id;
}

/// "12, 14 and 15": the ids that are nearest to `id`, or the last ones.
std::string near_ids(Database& database, std::optional<std::int64_t> id) {
  constexpr int shown = 3;
  auto statement = database.connection().prepare("SELECT id FROM run ORDER BY abs(id - ?), id DESC LIMIT ?");
  const auto around = id ? *id : database.connection().integer("SELECT max(id) FROM run");
  statement.with(around, std::int64_t{shown});
  std::vector<std::int64_t> ids;
  while (statement.step()) ids.push_back(statement.integer(0));
  std::ranges::sort(ids);
  return fmt::format("{}", fmt::join(ids, ", "));
}

/// For each item the attempt whose result stands for it: the last one that a resumed run keeps, else the last.
std::vector<std::int64_t> chosen_attempts(Database& database, std::int64_t run) {
  struct Best {
    std::int64_t attempt = 0;
    bool kept = false;
  };
  std::map<std::int64_t, Best> best;
  auto statement = database.connection().prepare(
      "SELECT a.id, a.place, r.status <> 'interrupted' FROM attempt a JOIN result r ON r.attempt = a.id "
      "WHERE a.run = ? ORDER BY a.ended_ns, a.id");
  statement.with(run);
  while (statement.step()) {
    auto& entry = best[statement.integer(1)];
    const bool kept = statement.integer(2) != 0;
    if (entry.attempt == 0 || kept || !entry.kept) entry = {statement.integer(0), kept};
  }
  std::vector<std::int64_t> out;
  for (const auto& [place, entry] : best) out.push_back(entry.attempt);
  std::ranges::sort(out);  // ids grow in the order of measuring
  return out;
}

/// Columns of a row: place, document, checksum, sample_count, format, then those of the samples.
StoredResult result_of(const Statement& row) {
  constexpr int first_column = 5;
  SampleViews columns;
  for (std::size_t i = 0; i < columns.size(); ++i) columns.at(i) = row.blob(first_column + static_cast<int>(i));
  const auto document = row.text(1);
  if (checksum(document, columns) != row.integer(2)) throw DataError("its checksum is not that of its content");
  if (!row.null(4) && row.integer(4) != sample_format) {
    throw DataError(fmt::format("its samples have format {}, this program knows {}", row.integer(4), sample_format));
  }
  StoredResult out{static_cast<std::size_t>(row.integer(0)), codec::result_from_json(codec::parse(document, "it"))};
  out.result.samples = unpack(columns, static_cast<std::size_t>(row.integer(3)));
  return out;
}

std::string columns_of_samples() {
  std::string out;
  for (const auto name : sample_columns) out += fmt::format(", s.{}", name);
  return out;
}

}  // namespace

std::vector<RunSummary> list_runs(Database& database) { return query(database, "ORDER BY r.id"); }

RunSummary find_run(Database& database, const std::string& name) {
  constexpr std::size_t shortest_uuid = 4;
  const auto id = read_id(name);
  auto found = name == "last" ? query(database, "ORDER BY r.id DESC LIMIT 1")
               : id           ? query(database, "WHERE r.id = CAST(? AS INTEGER)", name)
                              : std::vector<RunSummary>();
  if (found.empty() && name.size() >= shortest_uuid && name != "last") {
    found = query(database, "WHERE substr(r.uuid, 1, length(?1)) = lower(?1)", name);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    throw UsageError(fmt::format("'{}' begins the name of {} runs; give more of it", name, found.size()));
  }
  if (database.connection().integer("SELECT count(*) FROM run") == 0) {
    throw UsageError(fmt::format("there is no run '{}': '{}' holds none", name, database.file()));
  }
  throw UsageError(fmt::format("there is no run '{}' in '{}'; near: {}; 'warpclock runs' lists them all", name,
                               database.file(), near_ids(database, id)));
}

StoredRun load_run(Database& database, const RunSummary& run) {
  auto& connection = database.connection();
  // One state of the file for all that follows, while others go on writing.
  const Snapshot snapshot(connection);

  StoredRun out{.summary = run};
  auto environment = connection.prepare("SELECT environment FROM run WHERE id = ?");
  if (!environment.with(run.id).step()) throw DataError(fmt::format("run {} has been deleted", run.id));
  const auto where = fmt::format("'{}': run {}", database.file(), run.id);
  out.environment = codec::environment_from_json(codec::parse(environment.text(0), where));

  auto items = connection.prepare("SELECT label FROM item WHERE run = ? ORDER BY place");
  for (items.with(run.id); items.step();) out.plan.push_back(items.text(0));

  auto rows =
      connection.prepare("SELECT a.place, r.document, r.checksum, r.sample_count, s.format" + columns_of_samples() +
                         " FROM attempt a JOIN result r ON r.attempt = a.id LEFT JOIN samples s ON s.attempt = "
                         "a.id WHERE a.id = ?");
  for (const auto attempt : chosen_attempts(database, run.id)) {
    if (!rows.with(attempt).step()) continue;
    try {
      out.results.push_back(result_of(rows));
    } catch (const DataError& error) {
      throw DataError(
          fmt::format("'{0}': result {1} of run {2} is damaged: {3}; see what else is with: sqlite3 '{0}' "
                      "'PRAGMA integrity_check'",
                      database.file(), attempt, run.id, error.what()));
    }
  }
  return out;
}

bool keeps(Status status) { return status != Status::interrupted; }

std::string plan_hash(const std::vector<Item>& plan) {
  std::vector<std::string_view> labels;
  for (const auto& item : plan) labels.emplace_back(item.label);
  std::ranges::sort(labels);
  Hash hash;
  for (const auto label : labels) {
    hash.add(label);
    hash.add(std::string_view("\n"));
  }
  return hash.text();
}

std::int64_t checksum(std::string_view document, std::span<const std::span<const std::byte>> columns) {
  Hash hash;
  hash.add(document);
  for (const auto column : columns) hash.add(column);
  return std::bit_cast<std::int64_t>(hash.value());
}

}  // namespace warpclock::store
