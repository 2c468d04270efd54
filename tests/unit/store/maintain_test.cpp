// Taking in and deleting are the two ways in which a whole night's results could be doubled or lost.
#include "store/maintain.hpp"

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::store {
namespace {

using ::testing::HasSubstr;

class Maintain : public StoreTest {
 protected:
  /// A run with `points` results in the database `name`; its uuid.
  std::string make(const std::string& name, std::size_t points, const std::string& started = "2026-11-29T12:00:00Z") {
    Database database(at(name), Access::write);
    auto info = run_of(points);
    info.environment.started_utc = started;
    RunRecorder recorder(database, info);
    for (std::size_t i = 0; i < points; ++i) record(recorder, i, result_at(i, random_));
    return recorder.uuid();
  }
  StoredRun load(const std::string& name, const std::string& run) {
    Database database(at(name), Access::read);
    return load_run(database, find_run(database, run));
  }
  void expect_same(const StoredRun& a, const StoredRun& b) {
    EXPECT_EQ(a.summary.uuid, b.summary.uuid);
    EXPECT_EQ(a.plan, b.plan);
    EXPECT_TRUE(same(a.environment, b.environment));
    ASSERT_EQ(a.results.size(), b.results.size());
    for (std::size_t i = 0; i < a.results.size(); ++i) EXPECT_TRUE(same(a.results[i].result, b.results[i].result)) << i;
  }
};

TEST_F(Maintain, MergingTakesEveryRunOnceHoweverOftenItIsDone) {
  make("ours.db", 2);
  const auto first = make("theirs.db", 3);
  const auto second = make("theirs.db", 4);
  Database ours(at("ours.db"), Access::write);
  const auto merged = merge(ours, at("theirs.db"));
  EXPECT_EQ(merged.runs, 2U);
  EXPECT_EQ(merged.attempts, 7U);
  EXPECT_EQ(merged.results, 7U);
  const auto again = merge(ours, at("theirs.db"));
  EXPECT_EQ(again.runs + again.attempts + again.results, 0U);
  EXPECT_EQ(list_runs(ours).size(), 3U);
  for (const auto& uuid : {first, second}) expect_same(load("ours.db", uuid), load("theirs.db", uuid));
  EXPECT_EQ(integrity(at("ours.db")), "ok");
}

// A run that was merged while it went on: the rest comes with the next merge, under the same run.
TEST_F(Maintain, ARunThatWentOnIsCompletedByTheNextMerge) {
  Database theirs(at("theirs.db"), Access::write);
  RunRecorder recorder(theirs, run_of(3));
  record(recorder, 0, result_at(0, random_));
  const auto open = recorder.intend(1);
  Database ours(at("ours.db"), Access::write);
  EXPECT_EQ(merge(ours, at("theirs.db")).results, 1U);
  recorder.finished(open, result_at(1, random_));
  record(recorder, 2, result_at(2, random_));
  const auto merged = merge(ours, at("theirs.db"));
  EXPECT_EQ(merged.runs, 0U);
  EXPECT_EQ(merged.attempts, 1U);
  EXPECT_EQ(merged.results, 2U);
  expect_same(load("ours.db", recorder.uuid()), load("theirs.db", recorder.uuid()));
}

TEST_F(Maintain, MergingSomethingElseTakesNothing) {
  make("ours.db", 1);
  Connection(at("other.db"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).execute("CREATE TABLE run (id INTEGER)");
  Database ours(at("ours.db"), Access::write);
  EXPECT_THAT(message_of([&] { merge(ours, at("other.db")); }), HasSubstr("another program"));
  EXPECT_THAT(message_of([&] { merge(ours, at("missing.db")); }), HasSubstr("there is no file"));
  EXPECT_FALSE(std::filesystem::exists(at("missing.db")));
  EXPECT_EQ(list_runs(ours).size(), 1U);
}

TEST_F(Maintain, PruningByNumberKeepsTheLastAndNumbersAreNotUsedAgain) {
  for (int i = 0; i < 5; ++i) make("r.db", 2);
  Database database(at("r.db"), Access::write);
  const auto chosen = select_for_pruning(database, {.older_than = {}, .keep = 2});
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen.back().id, 3);
  EXPECT_GT(prune(database, chosen), 0);
  EXPECT_EQ(database.connection().integer("SELECT count(*) FROM attempt"), 4);
  EXPECT_EQ(database.connection().integer("SELECT count(*) FROM samples"),
            database.connection().integer("SELECT count(*) FROM result WHERE sample_count > 0"));
  EXPECT_EQ(database.connection().integer("SELECT count(*) FROM item"), 4);
  EXPECT_EQ(prune(database, select_for_pruning(database, {.older_than = {}, .keep = 0})) > 0, true);
  make("r.db", 1);
  EXPECT_EQ(list_runs(database).at(0).id, 6);
  EXPECT_EQ(integrity(at("r.db")), "ok");
}

TEST_F(Maintain, PruningByAgeTakesThoseBeforeTheMomentAlone) {
  make("r.db", 1, "2026-01-31T23:59:59Z");
  make("r.db", 1, "2026-02-01T00:00:00Z");
  Database database(at("r.db"), Access::write);
  const auto february = std::chrono::sys_days{std::chrono::year{2026} / 2 / 1};
  const auto chosen = select_for_pruning(database, {.older_than = february, .keep = {}});
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].started_utc, "2026-01-31T23:59:59Z");
}

}  // namespace
}  // namespace warpclock::store
