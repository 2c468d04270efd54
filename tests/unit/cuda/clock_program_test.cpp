// A clock lock is undone by whatever end of the program (F37). The stand-in keeps the locks in a file, as a chip does.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

#include "child.hpp"

namespace warpclock::cuda {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Waits until `done`, at most so long that only a program that hangs gets there.
bool soon(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

class ClockProgram : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("clocks-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Starts `warpclock run WORDS` on a machine whose locks are in locks().
  pid_t start(const std::vector<std::string>& words, const std::string& script = "") {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    setpgid(0, 0);
    const auto locks = "clock_state=" + (folder_ / "locks").string();
    for (const auto& [name, value] : on_machine(script + " " + locks)) setenv(name.c_str(), value.c_str(), 1);
    setenv("XDG_STATE_HOME", folder_.c_str(), 1);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    signal(SIGINT, SIG_DFL);
    for (const auto& [file, name] : {std::pair{1, "out"}, std::pair{2, "err"}}) {
      dup2(open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), file);
    }
    std::vector<std::string> all{"warpclock", "run", "--ceilings", "off", "--no-lock"};
    if (std::ranges::find(words, "--device") == words.end()) all.insert(all.end(), {"--device", "cuda:0"});
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    for (auto& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(WARPCLOCK_PROGRAM, arguments.data());
    _exit(127);
  }
  /// Exit code, or 1000 + the signal that ended it.
  static int wait(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  int run(const std::vector<std::string>& words, const std::string& script = "") { return wait(start(words, script)); }

  /// Starts a run that would take minutes, and waits until it has locked the clock and measures.
  pid_t start_locked() {
    const auto child = start({"spin", "--axis", "ns=1000000..1099999", "--max-time", "200ms", "--lock-clocks", "1500"});
    EXPECT_TRUE(soon([&] { return read(folder_ / "err").find("[1/100000]") != std::string::npos; }))
        << read(folder_ / "err");
    EXPECT_EQ(locks(), "sm 1500\n");
    EXPECT_EQ(records(), 1U);
    return child;
  }

  void put_locks(const std::string& text) { std::ofstream(folder_ / "locks") << text; }
  [[nodiscard]] std::string locks() const { return read(folder_ / "locks"); }
  [[nodiscard]] std::string out() const { return read(folder_ / "out"); }
  [[nodiscard]] std::string err() const { return read(folder_ / "err"); }
  [[nodiscard]] fs::path record() const {
    for (const auto& entry : fs::directory_iterator(folder_ / "warpclock")) {
      if (entry.path().extension() == ".json") return entry.path();
    }
    return {};
  }
  [[nodiscard]] std::size_t records() const { return fs::exists(folder_ / "warpclock") && !record().empty() ? 1 : 0; }
  void expect_free_soon() {
    EXPECT_TRUE(soon([&] { return locks().empty() && records() == 0; })) << locks();
  }

  fs::path folder_;
};

const std::vector<std::string> quick{"spin", "--axis", "ns=20000", "--samples", "20", "-q", "--json", "-"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(ClockProgram, F37ANormalEndUndoesTheLockAndTheResultSaysThatThereWasOne) {
  ASSERT_EQ(run(with(quick, {"--lock-clocks", "1500", "--lock-memory-clock", "max"})), 0) << err();
  EXPECT_EQ(locks(), "");
  EXPECT_EQ(records(), 0U);
  const auto clock = Json::parse(out()).at("results").at(0).at("clock");
  EXPECT_EQ(clock.at("locked_mhz"), 1500);
  EXPECT_EQ(clock.at("locked_memory_mhz"), 3201);
  EXPECT_NEAR(clock.at("reference_mhz").get<double>(), 1500, 2);  // found anew after the lock
}

TEST_F(ClockProgram, F37AnErrorOnTheWayUndoesTheLock) {
  ASSERT_EQ(run({"add", "--axis", "n=1024", "--lock-clocks", "1500"}, "kernel.add_f32=700"), 4);
  EXPECT_EQ(locks(), "");
  EXPECT_EQ(records(), 0U);
}

TEST_F(ClockProgram, F37CtrlCUndoesTheLock) {
  const auto child = start_locked();
  kill(-child, SIGINT);  // as a terminal does: to the whole group, which must not reach the guard
  EXPECT_EQ(wait(child), 130);
  EXPECT_EQ(locks(), "");
  EXPECT_EQ(records(), 0U);
}

TEST_F(ClockProgram, F37CtrlCTwiceUndoesTheLock) {
  const auto child = start_locked();
  // Both are there when it goes on, so the second one is not lost: the program ends at once, without any clean-up.
  for (const int signal : {SIGSTOP, SIGINT, SIGTERM, SIGCONT}) kill(child, signal);
  EXPECT_EQ(wait(child), 130);
  EXPECT_EQ(out(), "");
  expect_free_soon();
}

TEST_F(ClockProgram, F37SigkillUndoesTheLock) {
  const auto child = start_locked();
  kill(-child, SIGKILL);
  EXPECT_EQ(wait(child), 1000 + SIGKILL);
  expect_free_soon();
}

TEST_F(ClockProgram, F37ACrashUndoesTheLock) {
  const auto child = start_locked();
  kill(child, SIGSEGV);
  EXPECT_NE(wait(child), 0);  // 1000 + SIGSEGV, or what a sanitizer makes of it
  expect_free_soon();
}

TEST_F(ClockProgram, F37WhereTheGuardIsEndedTooTheNextStartUndoesTheLock) {
  const auto child = start_locked();
  const auto guard = Json::parse(read(record())).at("guard").get<pid_t>();
  ASSERT_GT(guard, 1);
  kill(guard, SIGKILL);
  kill(child, SIGKILL);
  wait(child);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(locks(), "sm 1500\n");                                              // nobody is left to undo it
  ASSERT_EQ(run({"empty", "--samples", "20", "--device", "sim"}), 0) << err();  // any run, on any device
  EXPECT_EQ(locks(), "");
  EXPECT_EQ(records(), 0U);
  EXPECT_THAT(err(), AllOf(HasSubstr("undone: the lock of SM clock (1500 MHz)"), HasSubstr(std::to_string(child))));
}

TEST_F(ClockProgram, AnotherRunLeavesTheLockOfALivingOneAloneAndGetsNone) {
  const auto child = start_locked();
  EXPECT_EQ(run(with(quick, {"--lock-clocks", "1200"})), 0);
  EXPECT_THAT(out(), HasSubstr("its clocks are locked by process " + std::to_string(child)));
  EXPECT_EQ(locks(), "sm 1500\n");
  EXPECT_EQ(records(), 1U);
  kill(child, SIGINT);
  wait(child);
  expect_free_soon();
}

TEST_F(ClockProgram, ALockOfSomebodyElseIsNeverTouched) {
  put_locks("sm 1410\n");
  ASSERT_EQ(run(quick), 0) << err();
  EXPECT_EQ(locks(), "sm 1410\n");
  // Ours is refused: what is there must survive that, and the end of the run.
  ASSERT_EQ(run(with(quick, {"--lock-clocks", "1500"}), "nvmlDeviceSetGpuLockedClocks=4"), 0) << err();
  EXPECT_EQ(locks(), "sm 1410\n");
  // Of two domains only ours is undone.
  ASSERT_EQ(run(with(quick, {"--lock-memory-clock", "max"})), 0) << err();
  EXPECT_EQ(locks(), "sm 1410\n");
}

TEST_F(ClockProgram, ARecordOfAnotherBootIsDeletedAndNothingIsUndone) {
  const auto child = start_locked();
  auto text = Json::parse(read(record()));
  kill(text.at("guard").get<pid_t>(), SIGKILL);
  kill(child, SIGKILL);
  wait(child);
  text["boot"] = "00000000-0000-0000-0000-000000000000";
  std::ofstream(record()) << text.dump();
  ASSERT_EQ(run(quick), 0) << err();
  EXPECT_EQ(locks(), "sm 1500\n");  // set in this boot, so by somebody else
  EXPECT_EQ(records(), 0U);
}

TEST_F(ClockProgram, F37WithoutPermissionOneLineAndTheRunGoesOnLabelled) {
  for (const std::string why : {"nvmlDeviceSetGpuLockedClocks=4", "nvmlDeviceSetGpuLockedClocks=3"}) {
    ASSERT_EQ(run({"spin", "--axis", "ns=20000,30000", "--samples", "20", "--json", "-", "--lock-clocks", "base"}, why),
              0);
    const auto results = Json::parse(out()).at("results");
    ASSERT_EQ(results.size(), 2U);
    for (const auto& result : results) {
      EXPECT_TRUE(result.at("clock").at("locked_mhz").is_null());
      EXPECT_THAT(result.at("findings").dump(), HasSubstr("clock-not-locked")) << why;
    }
    EXPECT_THAT(err(), AllOf(HasSubstr("warning: the SM clock of cuda:0 is not locked to base: NVML"),
                             HasSubstr(why.ends_with('4') ? "root" : "measure without a lock")));
    EXPECT_EQ(locks(), "");
    EXPECT_EQ(records(), 0U);
  }
}

TEST_F(ClockProgram, WhereNothingCanBeWrittenDownNothingIsLocked) {
  std::ofstream(folder_ / "warpclock") << "no folder";
  ASSERT_EQ(run(with(quick, {"--lock-clocks", "1500"})), 0) << err();
  EXPECT_TRUE(Json::parse(out()).at("results").at(0).at("clock").at("locked_mhz").is_null());
  EXPECT_EQ(locks(), "");
}

TEST_F(ClockProgram, AClockThatTheChipLacksIsRefusedBeforeAnythingIsMeasured) {
  EXPECT_EQ(run(with(quick, {"--clocks", "1200,1501"})), 2);
  EXPECT_THAT(err(), HasSubstr("1500 and 1515"));
  EXPECT_EQ(out(), "");
}

TEST_F(ClockProgram, ClocksAreSweptAndUndone) {
  ASSERT_EQ(run({"cycles", "--axis", "cycles=100000", "--samples", "20", "--clocks", "1200,1500,1980"}), 0) << err();
  EXPECT_EQ(locks(), "");
  EXPECT_THAT(out(), AllOf(HasSubstr("latency over clock"), HasSubstr("SM clock locked to 1200 MHz"),
                           HasSubstr("of the time at 1980 MHz scales with the clock")));
}

// F37: the driver has taken the lock and the chip runs below it.
TEST_F(ClockProgram, F37AClockBelowTheLockIsReported) {
  ASSERT_EQ(run(with(quick, {"--lock-clocks", "1500"}), "clock_mhz=1400"), 0) << err();
  EXPECT_THAT(out(), HasSubstr("clock-below-lock"));
  ASSERT_EQ(run(with(quick, {"--lock-clocks", "1500"}), "clock_mhz=1485"), 0) << err();
  EXPECT_THAT(out(), Not(HasSubstr("clock-below-lock")));
}

// F41: hot cards. Temperature, power and throttle reasons stand beside every block of samples.
TEST_F(ClockProgram, F41TheStateOfTheChipIsKeptForEachBlock) {
  ASSERT_EQ(run(quick, "throttle=32 nvml.temperature=88@3+"), 0) << err();
  const auto blocks = Json::parse(out()).at("results").at(0).at("telemetry");
  ASSERT_GE(blocks.size(), 2U);
  for (const auto& block : blocks) {
    EXPECT_EQ(block.at("state").at("power_watts"), 100);
    EXPECT_EQ(block.at("state").at("throttle_reasons"), Json::array({"temperature"}));
  }
  EXPECT_EQ(blocks.front().at("state").at("temperature_celsius"), 35);  // opening the device took the first reading
  EXPECT_EQ(blocks.back().at("state").at("temperature_celsius"), 88);
}

}  // namespace
}  // namespace warpclock::cuda
