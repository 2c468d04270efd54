// What is kept of a run, what comes back of it, and how a run that ended early is gone on with.
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Results : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    environment_.database = at("default.db");
    environment_.program = at("program");
    put(environment_.program, "the program");
    auto& spin = *std::ranges::find(environment_.suite, "spin", &Benchmark::name);
    spin.make = [this, make = spin.make](Device& device, const Point& point, const WorkloadOptions& options) {
      measured_.push_back(to_string(point));
      if (measured_.size() == stop_at_) stopped_ = true;
      return make(device, point, options);
    };
    environment_.interrupted = [this] { return stopped_; };
  }
  static std::vector<std::string> spin(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"spin", "--axis", "ns=1000,2000,3000,4000"});
    return quick(std::move(more));
  }
  /// A run that Ctrl-C ends in its third point.
  void interrupt_one(const std::vector<std::string>& more = {}) {
    measured_.clear();
    stop_at_ = 3;
    EXPECT_EQ(run(spin(more)).code, 130);
    stop_at_ = 0;
    stopped_ = false;
    measured_.clear();
  }

  std::vector<std::string> measured_;
  std::size_t stop_at_ = 0;
  bool stopped_ = false;
};

TEST_F(Results, ARunIsKeptListedAndShownAsItWasPrinted) {
  const auto ran = run(spin());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("kept as run 1 in " + at("default.db")));
  const auto listed = run({"runs"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("sim (simulated GPU)"), HasSubstr("4/4"),
                                HasSubstr("run spin --axis ns=1000,2000,3000,4000")));
  const auto shown = run({"show"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(shown.out, ran.out);
  EXPECT_EQ(run({"show", "1"}).out, ran.out);
}

// A shuffled run prints its table in reading order, and its JSON in the order of measuring; so must the one that is
// kept.
TEST_F(Results, AShuffledRunComesBackInBothOrders) {
  const auto ran = run(spin({"--order", "random", "--seed", "3", "--json", at("r.json")}));
  EXPECT_EQ(run({"show", "last"}).out, ran.out);
  EXPECT_EQ(run({"show", "--json", "-"}).out, read(at("r.json")));
  EXPECT_EQ(run({"export", "--format", "json"}).out, read(at("r.json")));
}

TEST_F(Results, ExportsOfSeveralRunsSayWhichRunARowIsFrom) {
  EXPECT_EQ(run(spin()).code, 0);
  EXPECT_EQ(run(quick({"empty"})).code, 0);
  const auto csv = run({"export", "1", "2", "--format", "csv"});
  EXPECT_THAT(csv.out, StartsWith("run,benchmark,"));
  EXPECT_THAT(csv.out, HasSubstr("\n1,spin,4000"));
  EXPECT_THAT(csv.out, HasSubstr("\n2,empty,"));
  const auto documents = json::parse(run({"export", "2", "1"}).out);
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[0].at("results")[0].at("benchmark"), "empty");
  EXPECT_EQ(run({"export", "1", "--format", "md", "-o", at("r.md")}).out, "");
  EXPECT_THAT(read(at("r.md")), HasSubstr("## spin"));
}

// compare.py pairs entries by name and tests the repetitions of the two files against each other.
TEST_F(Results, GoogleBenchmarksFormatHasEachSampleAsARepetition) {
  EXPECT_EQ(run(spin()).code, 0);
  const auto file = json::parse(run({"export", "--format", "google-benchmark"}).out);
  EXPECT_EQ(file.at("context").at("device"), "simulated GPU");
  const auto& rows = file.at("benchmarks");
  ASSERT_EQ(rows.size(), 4U * 24);  // 20 samples of kernel time, 4 aggregates
  EXPECT_EQ(rows[0].at("name"), "spin/ns:1000/host_delay:0");
  EXPECT_EQ(rows[0].at("run_type"), "iteration");
  EXPECT_EQ(rows[19].at("repetition_index"), 19);
  EXPECT_EQ(rows[21].at("name"), "spin/ns:1000/host_delay:0_median");
  EXPECT_EQ(rows[21].at("real_time"), 1000);
  EXPECT_EQ(rows[21].at("time_unit"), "ns");
  EXPECT_THAT(run({"export", "1", "1", "--format", "google-benchmark"}).err, HasSubstr("takes one run"));
}

TEST_F(Results, AnUnknownRunIsOneLineWithNearOnes) {
  EXPECT_EQ(run(spin()).code, 0);
  for (const auto& words : {std::vector<std::string>{"show", "7"}, {"export", "7"}}) {
    const auto ran = run(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(lines(ran.err), 1) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("there is no run '7' in '" + at("default.db") + "'; near: 1"));
  }
}

// ---- databases that cannot be used ----

TEST_F(Results, AnUnusableDefaultDatabaseIsAWarningAndTheRunGoesOn) {
  environment_.database = "/proc/warpclock/results.db";
  const auto ran = run(spin());
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(measured_.size(), 4U);
  EXPECT_THAT(ran.err,
              HasSubstr("warning: results are not kept: cannot make the folder of '/proc/warpclock/results.db'"));
  EXPECT_THAT(run(spin({"-q"})).err, IsEmpty());
}

TEST_F(Results, AnUnusableNamedDatabaseIsAnErrorBeforeAnythingIsMeasured) {
  put(at("notes.txt"), std::string(3000, 'x'));
  for (const auto& file : {std::string("/proc/r.db"), at("notes.txt"), folder_.string()}) {
    const auto ran = run(spin({"--db", file}));
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_EQ(lines(ran.err), 1) << ran.err;
    EXPECT_THAT(ran.err, StartsWith("warpclock: --db: "));
    EXPECT_THAT(measured_, IsEmpty());
  }
}

TEST_F(Results, NoneKeepsNothing) {
  const auto ran = run(spin({"--db", "none"}));
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, Not(HasSubstr("kept")));
  EXPECT_FALSE(std::filesystem::exists(at("default.db")));
  EXPECT_EQ(run({"runs"}).code, 2);
}

TEST_F(Results, ADryRunKeepsNothing) {
  EXPECT_EQ(run(spin({"--dry-run"})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(at("default.db")));
}

/// A limit on the size of files stands for a full disk.
TEST_F(Results, AFullDiskStopsTheRunPrintsWhatItHasAndSaysWhatIsSafe) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{200'000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto ran = run(quick({"spin", "--axis", "ns=1000..1099"}));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(ran.code, 4);
  EXPECT_LT(measured_.size(), 100U);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("cannot "), HasSubstr("safe as run 1"), HasSubstr("--resume")));
  EXPECT_THAT(ran.out, HasSubstr("1001"));
  // There is room again: the rest is measured, and nothing twice but the point that was not kept.
  const auto first = measured_.size();
  const auto resumed = run(quick({"spin", "--axis", "ns=1000..1099", "--resume"}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_LE(measured_.size(), 101U);
  EXPECT_GE(measured_.size(), 100U);
  EXPECT_GT(first, 2U);
}

// ---- resume ----

TEST_F(Results, AResumedRunMeasuresOnlyWhatIsLeftAndShowsAll) {
  const auto whole = run(spin({"--db", "none", "-q"}));
  interrupt_one();
  const auto shown = run({"show"});
  EXPECT_THAT(shown.err, HasSubstr("run 1 has 2 of 4 points"));
  const auto resumed = run(spin({"--resume", "--json", at("r.json")}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(measured_, ::testing::ElementsAre("ns=3000 host_delay=0", "ns=4000 host_delay=0"));
  EXPECT_EQ(json::parse(read(at("r.json"))).at("results").size(), 4U);
  EXPECT_EQ(lines(resumed.out), lines(whole.out));
  for (const auto* row : {"1000", "2000", "3000", "4000"}) EXPECT_THAT(resumed.out, HasSubstr(row));
  EXPECT_THAT(run({"runs"}).out, HasSubstr("4/4"));
  EXPECT_EQ(run({"show"}).out, resumed.out);
}

TEST_F(Results, AShuffledRunIsResumedInItsOwnOrder) {
  interrupt_one({"--order", "random"});
  const auto resumed = run(spin({"--resume", "--order", "random"}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(measured_.size(), 2U);
  EXPECT_EQ(run({"show"}).out, resumed.out);
  const auto table = resumed.out;
  EXPECT_LT(table.find("  1000 "), table.find("  2000 "));
  EXPECT_LT(table.find("  3000 "), table.find("  4000 "));
}

TEST_F(Results, ADifferenceIsNamedAndNothingIsMeasured) {
  interrupt_one();
  const auto refused = [&](const std::vector<std::string>& more, const std::string& wanted) {
    const auto ran = run(spin(more));
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(lines(ran.err), 1) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(wanted));
    EXPECT_THAT(measured_, IsEmpty());
  };
  refused({"--resume", "--cache", "warm"}, "run 1 cannot be continued: cache was cold and is warm");
  refused({"--resume", "--seed", "2"}, "seed was 1 and is 2");
  refused({"--resume", "--peak", "memory=100"}, "--peak memory was not there and is 100");
  put(environment_.program, "another program");
  refused({"--resume"}, "program was ");
  put(environment_.program, "the program");
  backend("sim").open = [](const std::string&) {
    sim::SimConfig config;
    config.name = "another chip";
    return sim::make_device(config);
  };
  refused({"--resume"}, "device name was simulated GPU and is another chip");
}

TEST_F(Results, WithNothingToResumeItSaysSo) {
  EXPECT_THAT(run(spin({"--resume"})).err, HasSubstr("no run in '" + at("default.db") + "' has this plan"));
  EXPECT_EQ(run(spin()).code, 0);
  measured_.clear();
  const auto ran = run(spin({"--resume"}));
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("run 1, the last with this plan, is complete"));
  EXPECT_THAT(run(spin({"--resume", "--db", "none"})).err, HasSubstr("no database to resume from"));
  EXPECT_THAT(measured_, IsEmpty());
}

// ---- merge and prune ----

TEST_F(Results, RunsOfAnotherDatabaseAreTakenInOnce) {
  EXPECT_EQ(run(spin({"--db", at("other.db")})).code, 0);
  EXPECT_THAT(run({"merge", at("other.db")}).out, HasSubstr("1 new runs, 4 new attempts, 4 new results"));
  EXPECT_THAT(run({"merge", at("other.db")}).out, HasSubstr("0 new runs, 0 new attempts, 0 new results"));
  EXPECT_EQ(run({"show"}).out, run({"show", "--db", at("other.db")}).out);
  EXPECT_THAT(run({"merge", at("default.db")}).err, HasSubstr("is the database that the runs go into"));
  EXPECT_EQ(run({"merge"}).code, 2);
}

TEST_F(Results, PruningSaysWhatItDeletesAndADryRunDeletesNothing) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(spin()).code, 0);
  const auto dry = run({"prune", "--keep", "1", "--dry-run"});
  EXPECT_THAT(dry.out, HasSubstr("would delete 2 runs with 8 measured points"));
  EXPECT_EQ(json::parse(run({"runs", "--json"}).out).at("runs").size(), 3U);
  EXPECT_THAT(run({"prune", "--older-than", "30d"}).out, HasSubstr("deleted 0 runs"));
  EXPECT_THAT(run({"prune", "--keep", "1"}).out, HasSubstr("deleted 2 runs with 8 measured points"));
  const auto left = json::parse(run({"runs", "--json"}).out).at("runs");
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].at("id"), 3);
  environment_.started += std::chrono::hours(49);
  EXPECT_THAT(run({"prune", "--older-than", "2d"}).out, HasSubstr("deleted 1 run with 4 measured points"));
}

TEST_F(Results, PruneAsksForOneRuleAndAnAgeThatItUnderstands) {
  EXPECT_EQ(run(spin()).code, 0);
  for (const auto& words : std::vector<std::vector<std::string>>{{"prune"},
                                                                 {"prune", "--keep", "1", "--older-than", "1d"},
                                                                 {"prune", "--older-than", "30"},
                                                                 {"prune", "--older-than", "d"},
                                                                 {"prune", "--older-than", "99999999999999999999d"},
                                                                 {"prune", "--keep", "-1"}}) {
    const auto ran = run(words);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_EQ(lines(ran.err), 1) << ran.err;
  }
  EXPECT_THAT(run({"runs"}).out, HasSubstr("4/4"));
}

}  // namespace
}  // namespace warpclock::cli
