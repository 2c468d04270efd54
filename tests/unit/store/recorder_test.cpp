// What is written while a run goes on must be there for others at once, and come back as it was.
#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::store {
namespace {

using ::testing::HasSubstr;

class Recorder : public StoreTest {
 protected:
  StoredRun load(const std::string& name = "last") {
    Database reader(at("r.db"), Access::read);
    return load_run(reader, find_run(reader, name));
  }
  std::int64_t count(const std::string& where) {
    Database reader(at("r.db"), Access::read);
    return reader.connection().integer("SELECT count(*) FROM attempt WHERE " + where);
  }
};

TEST_F(Recorder, EveryResultComesBackAsItWasWithEnvironmentAndSamples) {
  auto info = run_of(40);
  info.environment = random_environment(random_);
  Database database(at("r.db"), Access::write);
  RunRecorder recorder(database, info);
  std::vector<Result> results;
  for (std::size_t i = 0; i < 40; ++i) record(recorder, i, results.emplace_back(result_at(i, random_)));
  const auto stored = load();
  EXPECT_TRUE(same(stored.environment, info.environment));
  ASSERT_EQ(stored.results.size(), results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(stored.results[i].place, i);
    EXPECT_TRUE(same(stored.results[i].result, results[i])) << i;
  }
  EXPECT_EQ(recorder.safe(), 40U);
}

// A kill between two of these steps must leave the state that names the step.
TEST_F(Recorder, IntentStartAndOutcomeAreVisibleToOthersAtOnce) {
  Database database(at("r.db"), Access::write);
  RunRecorder recorder(database, run_of(2));
  const auto attempt = recorder.intend(1);
  EXPECT_EQ(count("place = 1 AND started_ns IS NULL AND outcome IS NULL"), 1);
  recorder.started(attempt);
  EXPECT_EQ(count("place = 1 AND started_ns >= intended_ns AND outcome IS NULL"), 1);
  EXPECT_EQ(load().results.size(), 0U);
  recorder.finished(attempt, result_at(1, random_));
  EXPECT_EQ(count("place = 1 AND outcome = 'ok' AND ended_ns >= started_ns"), 1);
  EXPECT_EQ(load().summary.done, 1);
}

TEST_F(Recorder, AfterAStartTheNextCommitIsFlushedAgain) {
  Database database(at("r.db"), Access::write);
  RunRecorder recorder(database, run_of(1));
  recorder.started(recorder.intend(0));
  EXPECT_EQ(database.connection().integer("PRAGMA synchronous"), 2);  // FULL
}

TEST_F(Recorder, OfSeveralAttemptsTheLastThatEndedStandsForThePoint) {
  Database database(at("r.db"), Access::write);
  RunRecorder recorder(database, run_of(3));
  const auto cut = result_at(0, random_, Status::interrupted);
  const auto good = result_at(0, random_, Status::wrong);
  const auto cut_again = result_at(0, random_, Status::interrupted);
  record(recorder, 0, cut);
  record(recorder, 0, good);
  record(recorder, 0, cut_again);
  record(recorder, 1, cut);
  recorder.lost(recorder.intend(2), "the worker was killed by signal 9");
  const auto stored = load();
  ASSERT_EQ(stored.results.size(), 2U);
  EXPECT_TRUE(same(stored.results[0].result, good));
  EXPECT_EQ(stored.results[1].result.status, Status::interrupted);
  EXPECT_EQ(stored.summary.done, 1);
  EXPECT_EQ(stored.summary.bad, 1);
  EXPECT_EQ(count("outcome = 'lost' AND error LIKE '%signal 9'"), 1);
  EXPECT_EQ(count("1"), 5);  // none is ever deleted
}

TEST_F(Recorder, ResultsKeepTheOrderOfMeasuring) {
  Database database(at("r.db"), Access::write);
  RunRecorder recorder(database, run_of(3));
  for (const std::size_t place : {2U, 0U, 1U}) record(recorder, place, result_at(place, random_));
  const auto stored = load();
  std::vector<std::size_t> places;
  for (const auto& entry : stored.results) places.push_back(entry.place);
  EXPECT_EQ(places, (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(stored.plan, (std::vector<std::string>{"b n=0", "b n=1", "b n=2"}));
}

TEST_F(Recorder, AnotherRecorderGoesOnInAnotherOrderOfThePlan) {
  Database database(at("r.db"), Access::write);
  const auto info = run_of(3);
  {
    RunRecorder first(database, info);
    record(first, 0, result_at(0, random_));
  }
  auto plan = info.plan;
  std::ranges::reverse(plan);
  RunRecorder second(database, find_run(database, "last"), plan);
  record(second, 0, result_at(2, random_));  // the first of the reversed plan
  const auto stored = load();
  ASSERT_EQ(stored.results.size(), 2U);
  EXPECT_EQ(stored.results[1].place, 2U);
  EXPECT_EQ(stored.summary.done, 2);
}

TEST_F(Recorder, HostileTextIsStoredAndTheFileStaysReadable) {
  auto info = run_of(1);
  info.command = {"run", "\xFF\xFE'; DROP TABLE run; --"};
  Database database(at("r.db"), Access::write);
  RunRecorder recorder(database, info);
  auto result = result_at(0, random_, Status::failed);
  result.error = "'); DELETE FROM attempt; \xFF";
  record(recorder, 0, result);
  EXPECT_EQ(load().results.at(0).result.error, "'); DELETE FROM attempt; \xEF\xBF\xBD");
  EXPECT_EQ(list_runs(database).at(0).command.at(1), "\xEF\xBF\xBD\xEF\xBF\xBD'; DROP TABLE run; --");
}

TEST_F(Recorder, RunsAreFoundByNumberUuidAndAsTheLast) {
  Database database(at("r.db"), Access::write);
  std::vector<std::string> uuids;
  for (int i = 0; i < 12; ++i) uuids.push_back(RunRecorder(database, run_of(1)).uuid());
  EXPECT_EQ(find_run(database, "3").uuid, uuids[2]);
  EXPECT_EQ(find_run(database, "last").id, 12);
  EXPECT_EQ(find_run(database, uuids[4]).id, 5);
  EXPECT_EQ(find_run(database, uuids[4].substr(0, 13)).id, 5);
  const auto why = [&](const std::string& name) -> std::string {
    try {
      static_cast<void>(find_run(database, name));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(why("40"), HasSubstr("near: 10, 11, 12"));
  EXPECT_THAT(why("0"), HasSubstr("near: 1, 2, 3"));
  EXPECT_THAT(why("12x"), HasSubstr("there is no run '12x'"));
  EXPECT_THAT(why(uuids[4].substr(0, 3)), HasSubstr("there is no run"));
  EXPECT_THAT(why("' OR 1=1 --"), HasSubstr("there is no run"));
}

}  // namespace
}  // namespace warpclock::store
