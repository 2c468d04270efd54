// A file that is not what it should be is one clear line, and stays as it was.
#include <fstream>
#include <iterator>

#include "core/errors.hpp"
#include "fixture.hpp"
#include "store/schema.hpp"

namespace warpclock::store {
namespace {

using ::testing::HasSubstr;

class Open : public StoreTest {
 protected:
  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string why(const std::string& name, Access access) {
    return message_of([&] { const Database database(at(name), access); });
  }
  /// Both ways of opening it say `wanted`, and leave the file as it was.
  void expect_refused(const std::string& name, const std::string& wanted) {
    const auto before = read(at(name));
    for (const auto access : {Access::write, Access::read}) EXPECT_THAT(why(name, access), HasSubstr(wanted));
    EXPECT_EQ(read(at(name)), before);
  }
};

TEST_F(Open, ANewFileAndItsFoldersAreMadeForWritingOnly) {
  EXPECT_THAT(why("a/b/r.db", Access::read), HasSubstr("there is no file"));
  EXPECT_FALSE(std::filesystem::exists(at("a")));
  Database database(at("a/b/r.db"), Access::write);
  EXPECT_EQ(list_runs(database).size(), 0U);
  EXPECT_EQ(database.connection().integer("PRAGMA user_version"), 1);
  EXPECT_EQ(database.connection().integer("PRAGMA synchronous"), 2);
  EXPECT_EQ(database.journal(), database.connection().text("PRAGMA journal_mode"));
}

TEST_F(Open, TextIsNoDatabase) {
  std::ofstream(at("notes.txt")) << std::string(5000, 'x');
  expect_refused("notes.txt", "is no SQLite database");
}

TEST_F(Open, AnotherProgramsDatabaseIsLeftAlone) {
  Connection(at("other.db"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).execute("CREATE TABLE bookmarks (url TEXT)");
  expect_refused("other.db", "is a database of another program");
}

TEST_F(Open, ANewerVersionIsRefusedAndTold) {
  { const Database database(at("r.db"), Access::write); }
  Connection(at("r.db"), SQLITE_OPEN_READWRITE).execute("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)");
  expect_refused("r.db", "was written by a newer warpclock (its tables have version 99");
}

TEST_F(Open, AFolderAndAnEmptyNameAreRefused) {
  EXPECT_THAT(message_of([&] { const Database database(folder_.string(), Access::write); }), HasSubstr("is a folder"));
  EXPECT_THAT(message_of([&] { const Database database("", Access::write); }),
              HasSubstr("name of the database is empty"));
  std::ofstream(at("file")) << "x";
  EXPECT_THAT(why("file/r.db", Access::write), HasSubstr("cannot make the folder"));
}

// Permission bits do not bind root; a file system that takes no new files from anyone does.
TEST_F(Open, APlaceThatCannotBeWrittenIsRefused) {
  EXPECT_THAT(message_of([&] { const Database database("/proc/warpclock.db", Access::write); }),
              HasSubstr("cannot open"));
}

TEST_F(Open, AReadOnlyFileIsReadAndNotWritten) {
  {
    Database database(at("r.db"), Access::write);
    RunRecorder recorder(database, run_of(1));
    record(recorder, 0, result_at(0, random_));
  }
  // What SQLite is told where the permission bits bind: opened for reading alone.
  Connection connection("file:" + at("r.db") + "?mode=ro", SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI);
  EXPECT_TRUE(connection.read_only());
  migrate(connection);  // nothing to do
  EXPECT_THAT(message_of([&] { connection.execute("DELETE FROM run"); }), HasSubstr("it is read-only"));
}

// ---- migrations ----

const std::vector<std::string> two_steps{migration_steps().front(),
                                         "ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT '-'"};

TEST_F(Open, AnOlderVersionIsMigratedAndKeepsItsRuns) {
  {
    Database database(at("r.db"), Access::write);
    RunRecorder recorder(database, run_of(2));
    record(recorder, 0, result_at(0, random_));
  }
  Connection connection(at("r.db"), SQLITE_OPEN_READWRITE);
  migrate(connection, two_steps);
  EXPECT_EQ(connection.integer("PRAGMA user_version"), 2);
  EXPECT_EQ(connection.text("SELECT note FROM run"), "-");
  EXPECT_EQ(connection.integer("SELECT count(*) FROM result"), 1);
  EXPECT_THAT(why("r.db", Access::write), HasSubstr("newer warpclock"));
}

TEST_F(Open, AMigrationThatFailsHalfWayLeavesTheOldVersion) {
  { const Database database(at("r.db"), Access::write); }
  Connection connection(at("r.db"), SQLITE_OPEN_READWRITE);
  auto steps = two_steps;
  steps.emplace_back("ALTER TABLE run ADD COLUMN other TEXT; SELECT nonsense");
  EXPECT_NE(message_of([&] { migrate(connection, steps); }), "");
  EXPECT_EQ(connection.integer("PRAGMA user_version"), 1);
  EXPECT_EQ(connection.integer("SELECT count(*) FROM pragma_table_info('run') WHERE name IN ('note', 'other')"), 0);
  EXPECT_EQ(why("r.db", Access::write), "");
}

// A file as the first released version wrote it. It must stay readable for ever; it is never made anew.
TEST_F(Open, AFileOfTheFirstVersionIsStillRead) {
  const auto script = read(std::string(WARPCLOCK_SOURCE_DIR) + "/tests/data/results_v1.sql");
  ASSERT_FALSE(script.empty());
  Connection(at("old.db"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).execute(script);
  Database database(at("old.db"), Access::write);
  const auto runs = list_runs(database);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].points, 3);
  EXPECT_EQ(runs[0].done, 3);
  EXPECT_EQ(runs[1].done, 1);
  const auto run = load_run(database, runs[0]);
  ASSERT_EQ(run.results.size(), 3U);
  EXPECT_EQ(run.results[0].result.benchmark, "spin");
  EXPECT_EQ(run.results[0].result.kernel_time_ns->median.value, 1000);
  EXPECT_EQ(run.results[0].result.samples.size(), 12U);
  EXPECT_EQ(run.results[0].result.samples[0].kernel->count(), 1000);
}

}  // namespace
}  // namespace warpclock::store
