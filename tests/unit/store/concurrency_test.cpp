// Several processes on one file, and processes that die in the middle of a write.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "core/errors.hpp"
#include "fixture.hpp"
#include "store/resume.hpp"

namespace warpclock::store {
namespace {

class Concurrency : public StoreTest {
 protected:
  /// A process that runs `body` and exits 0, or 1 where it throws.
  static pid_t child(const std::function<void()>& body) {
    const pid_t id = ::fork();
    if (id != 0) return id;
    try {
      body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  static int wait(pid_t id) {
    int status = 0;
    ::waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Concurrency, TwoWritersAndAReaderOfANewFile) {
  constexpr std::size_t points = 40;
  std::vector<pid_t> writers;
  for (unsigned seed : {1U, 2U}) {
    writers.push_back(child([&] {
      std::mt19937_64 random(seed);
      Database database(at("r.db"), Access::write);
      RunRecorder recorder(database, run_of(points));
      for (std::size_t i = 0; i < points; ++i) record(recorder, i, result_at(i, random));
    }));
  }
  const auto reader = child([&] {
    for (int i = 0; i < 200; ++i) {
      if (!std::filesystem::exists(at("r.db"))) continue;
      std::optional<Database> database;
      try {
        database.emplace(at("r.db"), Access::read);
      } catch (const DataError&) {
        continue;  // the file is there and its tables are not yet
      }
      for (const auto& run : list_runs(*database)) static_cast<void>(load_run(*database, run));
    }
  });
  for (const auto id : writers) EXPECT_EQ(wait(id), 0);
  EXPECT_EQ(wait(reader), 0);
  EXPECT_EQ(integrity(at("r.db")), "ok");
  Database database(at("r.db"), Access::read);
  ASSERT_EQ(list_runs(database).size(), 2U);
  for (const auto& run : list_runs(database)) {
    const auto stored = load_run(database, run);
    std::mt19937_64 one(1), two(2);
    ASSERT_EQ(stored.results.size(), points);
    const auto first = result_at(0, one);
    auto& random = same(stored.results[0].result, first) ? one : two;
    if (&random == &two) {
      EXPECT_TRUE(same(stored.results[0].result, result_at(0, two)));
    }
    for (std::size_t i = 1; i < points; ++i) {
      EXPECT_TRUE(same(stored.results[i].result, result_at(i, random))) << "a result of one run is in the other";
    }
  }
}

// Killed at any moment, also inside a transaction: what was acknowledged (told through the pipe) is there, whole, and
// the run can be gone on with until it is complete.
TEST_F(Concurrency, AKillLosesNothingThatWasAcknowledged) {
  constexpr std::size_t points = 60;
  const auto info = run_of(points);
  std::mt19937_64 moments(5);
  std::vector<bool> acknowledged(points);
  std::size_t kills = 0;
  for (bool complete = false; !complete; ++kills) {
    ASSERT_LT(kills, 200U) << "no progress";
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto writer = child([&] {
      Database database(at("r.db"), Access::write);
      std::optional<RunSummary> unfinished;
      try {
        unfinished = find_unfinished(database, info);
      } catch (const UsageError& error) {
        // Killed between its last point and its end, the one before has left nothing to do.
        if (std::string(error.what()).find("is complete") != std::string::npos) return;
      }
      RunRecorder recorder = unfinished ? RunRecorder(database, *unfinished, info.plan) : RunRecorder(database, info);
      std::vector<bool> has(points);
      if (unfinished) {
        for (const auto& entry : load_run(database, *unfinished).results) has[entry.place] = true;
      }
      for (std::size_t i = 0; i < points; ++i) {
        if (has[i]) continue;
        std::mt19937_64 random(i);
        record(recorder, i, result_at(i, random));
        const auto number = static_cast<std::uint32_t>(i);
        if (::write(ends[1], &number, sizeof number) != sizeof number) throw DataError("the pipe is broken");
      }
    });
    ::close(ends[1]);
    // After a few points, at any moment of the next ones; sometimes while it opens the file.
    const auto after = moments() % 6;
    std::size_t heard = 0;
    std::thread killer;
    const auto kill_soon = [&] {
      killer = std::thread([writer, moment = std::chrono::microseconds(moments() % 30'000)] {
        std::this_thread::sleep_for(moment);
        ::kill(writer, SIGKILL);
      });
    };
    if (after == 0) kill_soon();
    std::uint32_t number = 0;
    while (::read(ends[0], &number, sizeof number) == sizeof number) {
      acknowledged.at(number) = true;
      if (++heard == after) kill_soon();
    }
    ::close(ends[0]);
    if (killer.joinable()) killer.join();  // the process is not reaped yet: its id still means it
    complete = wait(writer) == 0;
    ASSERT_EQ(std::filesystem::exists(at("r.db")) ? integrity(at("r.db")) : "ok", "ok");
    if (kills % 4 != 0 && !complete) continue;
    Database database(at("r.db"), Access::write);
    const auto runs = list_runs(database);
    if (runs.empty()) continue;
    ASSERT_EQ(runs.size(), 1U) << "a killed run was started anew";
    std::vector<bool> stored(points);
    for (const auto& entry : load_run(database, runs[0]).results) {
      std::mt19937_64 random(entry.place);
      EXPECT_TRUE(same(entry.result, result_at(entry.place, random)));
      stored[entry.place] = true;
    }
    for (std::size_t i = 0; i < points; ++i) EXPECT_TRUE(stored[i] || !acknowledged[i]) << "point " << i << " is lost";
    if (complete) {
      EXPECT_EQ(runs[0].done, static_cast<std::int64_t>(points));
    }
  }
  EXPECT_GT(kills, 1U) << "no writer was killed";
}

}  // namespace
}  // namespace warpclock::store
