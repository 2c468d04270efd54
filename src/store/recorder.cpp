#include "store/recorder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <unordered_map>

#include "codec/result_json.hpp"
#include "core/errors.hpp"
#include "core/utf8.hpp"
#include "store/sample_columns.hpp"

namespace warpclock::store {
namespace {

/// RFC 9562, version 4. From the system's randomness: two runs anywhere must not share it.
std::string new_uuid() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{random(), random(), random(), random()};
  words[1] = (words[1] & 0xFFFF0FFFU) | 0x4000U;
  words[2] = (words[2] & 0x3FFFFFFFU) | 0x80000000U;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16U, words[1] & 0xFFFFU,
                     words[2] >> 16U, words[2] & 0xFFFFU, words[3]);
}

/// Ticks since boot at which process `id` started; empty where there is no such process.
///   source  proc(5), /proc/pid/stat, field 22; the second one may hold blanks and brackets
std::string start_of(const std::string& id) {
  std::ifstream in("/proc/" + id + "/stat");
  std::string line;
  std::getline(in, line);
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  return field;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string process_text(const std::string& id) { return host_name() + " " + id + " " + start_of(id); }

std::string value_of(const Pairs& pairs, const std::string& name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return value;
  }
  return "";
}

codec::Json object_of(const Pairs& pairs) {
  codec::Json out = codec::Json::object();
  for (const auto& [key, value] : pairs) out[key] = value;
  return out;
}

std::string print(const codec::Json& json) { return json.dump(-1, ' ', false, codec::Json::error_handler_t::replace); }

std::string print(const std::vector<std::string>& words) {
  codec::Json out = codec::Json::array();
  for (const auto& word : words) out.push_back(word);
  return print(out);
}

std::optional<std::string> valid_text(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(valid_utf8(text));
}

constexpr auto insert_result =
    "INSERT INTO result (attempt, status, headline_ns, low_ns, high_ns, sample_count, checksum, layout, document) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr auto insert_samples =
    "INSERT INTO samples (attempt, format, pass, kernel_ns, busy_ns, call_ns, host_ns, at_ns, clock_mhz, copy, marks) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

}  // namespace

std::string this_process() { return process_text(std::to_string(::getpid())); }

bool still_runs(const std::string& process) {
  std::istringstream words(process);
  std::string host, id, start;
  words >> host >> id >> start;
  return !start.empty() && process_text(id) == process;
}

RunRecorder::RunRecorder(Database& database, Clock now)
    : database_(database),
      now_(std::move(now)),
      intend_(database.connection().prepare("INSERT INTO attempt (run, place, intended_ns) VALUES (?, ?, ?)")),
      start_(database.connection().prepare("UPDATE attempt SET started_ns = ? WHERE id = ?")),
      end_(database.connection().prepare("UPDATE attempt SET ended_ns = ?, outcome = ?, error = ? WHERE id = ?")),
      result_(database.connection().prepare(insert_result)),
      samples_(database.connection().prepare(insert_samples)) {}

RunRecorder::RunRecorder(Database& database, const RunInfo& info, Clock now) : RunRecorder(database, std::move(now)) {
  uuid_ = new_uuid();
  for (std::size_t i = 0; i < info.plan.size(); ++i) places_.push_back(static_cast<std::int64_t>(i));
  guarded([&] { insert_run(info); });
}

RunRecorder::RunRecorder(Database& database, const RunSummary& run, const std::vector<Item>& plan, Clock now)
    : RunRecorder(database, std::move(now)) {
  run_ = run.id;
  uuid_ = run.uuid;
  std::unordered_map<std::string, std::int64_t> stored;
  auto items = database.connection().prepare("SELECT label, place FROM item WHERE run = ?");
  for (items.with(run_); items.step();) stored.emplace(items.text(0), items.integer(1));
  for (const auto& item : plan) places_.push_back(stored.at(item.label));
  guarded([&] {
    Transaction transaction(database_.connection());
    database_.connection().prepare("UPDATE run SET process = ? WHERE id = ?").run(this_process(), run_);
    transaction.commit();
  });
}

void RunRecorder::insert_run(const RunInfo& info) {
  auto& connection = database_.connection();
  Transaction transaction(connection);
  connection
      .prepare(
          "INSERT INTO run (uuid, started_utc, command, process, device_id, device_name, points, plan_hash, "
          "identity, environment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(uuid_, info.environment.started_utc, print(info.command), this_process(),
           value_of(info.environment.device, "id"), value_of(info.environment.device, "name"),
           static_cast<std::int64_t>(info.plan.size()), plan_hash(info.plan), print(object_of(info.identity)),
           print(codec::to_json(info.environment)));
  run_ = connection.last_id();
  auto insert = connection.prepare(
      "INSERT INTO item (run, place, label, benchmark, point, regime, locked_clock_mhz) VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < info.plan.size(); ++i) {
    const auto& item = info.plan[i];
    insert.run(run_, places_[i], item.label, item.benchmark, print(codec::to_json(item.point)), item.regime,
               item.locked_clock_mhz);
  }
  transaction.commit();
}

AttemptId RunRecorder::intend(std::size_t place) {
  std::int64_t id = 0;
  guarded([&] {
    Transaction transaction(database_.connection());
    intend_.run(run_, places_.at(place), now_ns());
    id = database_.connection().last_id();
    transaction.commit();
  });
  return AttemptId{id};
}

void RunRecorder::started(AttemptId attempt) {
  guarded([&] {
    // Nothing is lost that matters if the power fails now: the intent is there, and it has no outcome.
    database_.connection().execute("PRAGMA synchronous = NORMAL");
    Transaction transaction(database_.connection());
    start_.run(now_ns(), static_cast<std::int64_t>(attempt));
    transaction.commit();
    database_.connection().execute("PRAGMA synchronous = FULL");
  });
}

void RunRecorder::finished(AttemptId attempt, const Result& result) {
  const auto id = static_cast<std::int64_t>(attempt);
  const auto document = print(codec::to_json(result));
  const auto columns = pack(result.samples);
  SampleViews views;
  for (std::size_t i = 0; i < columns.size(); ++i) views.at(i) = columns.at(i);
  const auto* summary = result.headline_summary();
  const auto figure = [&](double Estimate::*field) {
    return summary == nullptr ? std::nullopt : std::optional(summary->median.*field);
  };
  guarded([&] {
    Transaction transaction(database_.connection());
    const auto status = to_string(result.status);
    end_.run(now_ns(), status, valid_text(result.error), id);
    result_.run(id, status, figure(&Estimate::value), figure(&Estimate::low), figure(&Estimate::high),
                static_cast<std::int64_t>(result.samples.size()), checksum(document, views), codec::schema_version,
                document);
    if (!result.samples.empty()) insert_samples_of(id, views);
    transaction.commit();
  });
  ++safe_;
}

void RunRecorder::insert_samples_of(std::int64_t attempt, std::span<const std::span<const std::byte>> columns) {
  samples_.reset();
  samples_.bind(1, attempt);
  samples_.bind(2, std::int64_t{sample_format});
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int index = static_cast<int>(i) + 3;
    columns[i].empty() ? samples_.bind(index, std::nullopt) : samples_.bind(index, columns[i]);
  }
  samples_.step();
  samples_.reset();
}

void RunRecorder::lost(AttemptId attempt, const std::string& why) {
  guarded([&] {
    Transaction transaction(database_.connection());
    end_.run(now_ns(), "lost", valid_text(why), static_cast<std::int64_t>(attempt));
    transaction.commit();
  });
}

template <class Write>
void RunRecorder::guarded(Write write) {
  try {
    write();
  } catch (const DataError& error) {
    if (run_ == 0) throw;
    throw DataError(
        fmt::format("{}; {} {} of this session {} safe as run {}; make room, or give another --db, and go on "
                    "with --resume",
                    error.what(), safe_, safe_ == 1 ? "point" : "points", safe_ == 1 ? "is" : "are", run_));
  }
}

std::int64_t RunRecorder::now_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now_().time_since_epoch()).count();
}

}  // namespace warpclock::store
