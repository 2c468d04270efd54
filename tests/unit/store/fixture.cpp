#include "fixture.hpp"

#include "core/errors.hpp"

namespace warpclock::store {

void StoreTest::SetUp() {
  std::string name = (std::filesystem::temp_directory_path() / "warpclock-database-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  folder_ = name;
}

void StoreTest::TearDown() { std::filesystem::remove_all(folder_); }

std::string StoreTest::message_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

RunInfo run_of(std::size_t points) {
  RunInfo out;
  out.command = {"run", "b", "--axis", "n=1,2"};
  out.environment.device = {{"id", "sim"}, {"name", "a chip"}, {"identity", "GPU-1"}};
  out.environment.settings = {{"cache", "cold"}};
  out.environment.started_utc = "2026-11-29T12:00:00Z";
  out.identity = {{"program", "0123"}, {"device identity", "GPU-1"}, {"driver", "580.95.05"}, {"cache", "cold"}};
  for (std::size_t i = 0; i < points; ++i) {
    const Point point{{{"n", static_cast<std::int64_t>(i)}}};
    out.plan.push_back({.label = "b", .benchmark = "b", .point = point, .regime = "burst", .locked_clock_mhz = {}});
    out.plan.back().label.append(" ").append(to_string(point));
  }
  return out;
}

Result result_at(std::size_t place, std::mt19937_64& random, Status status) {
  auto out = random_result(random);
  out.benchmark = std::string("b");  // assigned as a literal, gcc 12 warns about its own library
  out.point = {{{"n", static_cast<std::int64_t>(place)}}};
  out.status = status;
  return out;
}

void record(RunRecorder& recorder, std::size_t place, const Result& result) {
  const auto attempt = recorder.intend(place);
  recorder.started(attempt);
  recorder.finished(attempt, result);
}

std::string integrity(const std::string& file) {
  Connection connection(file, SQLITE_OPEN_READWRITE);
  const auto keys = connection.integer("SELECT count(*) FROM pragma_foreign_key_check");
  auto out = connection.text("PRAGMA integrity_check");
  if (keys != 0) out += ", dangling references";
  return out;
}

}  // namespace warpclock::store
