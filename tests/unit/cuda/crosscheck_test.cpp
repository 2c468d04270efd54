// profile and crosscheck as processes on a machine of stand-ins: the driver, a listener to NVTX, and an ncu that really
// runs the program it is given and prints the kernels that the driver saw between cuProfilerStart and Stop.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "child.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

namespace fs = std::filesystem;

struct Ran {
  int code = -1;
  std::string out, err;
};

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Runs the program, reads the log of the driver while it records, prints as ncu does. What it is to do wrong stands in
/// FAKE_NCU; the words it was called with are left in ncu.args.
constexpr const char* fake_ncu = R"py(#!/usr/bin/env python3
import json, os, signal, subprocess, sys
args, mood = sys.argv[1:], os.environ.get("FAKE_NCU", "")
if args == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880)")
    sys.exit(0)
with open("ncu.args", "a") as file: file.write(json.dumps(args) + "\n")
if mood == "permission":
    print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters")
    sys.exit(1)
if mood == "crash": os.kill(os.getpid(), signal.SIGSEGV)
program = args[next(i for i, word in enumerate(args) if os.path.basename(word) == "warpclock"):]
log = os.path.abspath("profile.log")
open(log, "w").close()
machine = os.environ.get("FAKE_GPU", "") + " profile_log=" + log + os.environ.get("FAKE_GPU_UNDER_NCU", "")
done = subprocess.run(program, env=dict(os.environ, FAKE_GPU=machine), capture_output=True, text=True)
print("==PROF== Connected to process 1")
print(done.stdout, end="")
print(done.stderr, end="", file=sys.stderr)
if done.returncode != 0:
    print(f"==ERROR== The application returned an error code ({done.returncode}).")
    sys.exit(done.returncode)
kernels = [line.split()[1] for line in open(log) if line.startswith("kernel ")]
if mood == "none" or not kernels:
    print("==WARNING== No kernels were profiled.")
    sys.exit(0)
print('"ID","Kernel Name","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum",'
      '"sm__cycles_elapsed.avg.per_second","sm__cycles_elapsed.max"')
print('"","","Mbyte","byte","us","Ghz","cycle"')
for number, name in enumerate(kernels):
    if mood == "garbage": print('"0","cut off')
    else: print(f'"{number}","{name}","8.00","0","{21.2 + number / 100:.2f}","1.98","{41976 + number:,}"')
)py";

class CrosscheckProgram : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    std::ofstream(folder_ / "bin/ncu") << fake_ncu;
    fs::permissions(folder_ / "bin/ncu", fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The program with the stand-in ncu first on PATH; stopped after 120 s.
  Ran warpclock(const std::string& words, Variables variables = {}, const std::string& machine = "") {
    variables.insert({"PATH", folder_.string() + "/bin:" + std::getenv("PATH")});
    std::string assignments;
    for (const auto& [name, value] : on_machine(machine, variables))
      assignments += fmt::format("{}='{}' ", name, value);
    const auto line = fmt::format(
        "cd '{}' && env -u CUDA_VISIBLE_DEVICES -u CUDA_HOME XDG_CACHE_HOME=cache {} "
        "NVTX_INJECTION64_PATH='{}/libfake_nvtx.so' timeout 120 '{}' {} >out 2>err",
        folder_.string(), assignments, WARPCLOCK_FAKES, WARPCLOCK_PROGRAM, words);
    const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe)
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder_ / "out"), read(folder_ / "err")};
  }
  Ran crosscheck(const std::string& words, const Variables& variables = {}, const std::string& machine = "") {
    return warpclock("crosscheck --device cuda:0 --ceilings off --max-time 200ms " + words, variables, machine);
  }
  /// What a profiler saw that records between cuProfilerStart and Stop alone.
  std::vector<std::string> profiled(const std::string& words) {
    const auto log = folder_ / "profile.log";
    const auto ran = warpclock("profile --device cuda:0 " + words, {}, "profile_log=" + log.string());
    EXPECT_EQ(ran.code, 0) << ran.err;
    printed_ = ran.out;
    return lines_of(read(log));
  }
  /// The words of each call of ncu.
  std::vector<std::vector<std::string>> calls_of_ncu() {
    std::vector<std::vector<std::string>> calls;
    for (const auto& line : lines_of(read(folder_ / "ncu.args"))) calls.push_back(Json::parse(line));
    return calls;
  }

  fs::path folder_;
  std::string printed_;
};

/// Warm-up calls, evictions and the preparing of operands are the profiler's noise: between the marks is the call
/// alone.
TEST_F(CrosscheckProgram, ProfileMarksExactlyOneCallAPoint) {
  EXPECT_THAT(profiled("add --axis n=1024,2048 --flush"),
              ElementsAre("start", "push warpclock:add n=1024", "kernel add_f32", "pop", "stop", "start",
                          "push warpclock:add n=2048", "kernel add_f32", "pop", "stop"));
  EXPECT_THAT(lines_of(printed_),
              ElementsAre(HasSubstr("add n=1024: 5 warm-up calls, 1 call after an eviction each marked "
                                    "by cuProfilerStart/Stop, NVTX range 'warpclock:add n=1024'"),
                          HasSubstr("add n=2048")));
}

TEST_F(CrosscheckProgram, ProfileMarksEachOfSeveralCallsByItself) {
  const auto log = profiled("add --axis n=1024 --calls 3 --warmup 0");
  EXPECT_EQ(std::ranges::count(log, "start"), 3);
  EXPECT_EQ(std::ranges::count(log, "kernel add_f32"), 3);
}

TEST_F(CrosscheckProgram, AKernelThatFailsWhileItIsProfiledClosesItsMarks) {
  const auto log = folder_ / "profile.log";
  const auto ran = warpclock("profile add --axis n=1024 --device cuda:0 --warmup 0", {},
                             "kernel.add_f32=700 profile_log=" + log.string());
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("add n=1024"), HasSubstr("ILLEGAL_ADDRESS")));
  EXPECT_THAT(lines_of(read(log)),
              ElementsAre("start", "push warpclock:add n=1024", "kernel add_f32", "pop", "stop"));
}

TEST_F(CrosscheckProgram, BothSidesStandSideBySide) {
  const auto ran = crosscheck("spin --axis ns=20000 --json c.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("2025.3.1.0"), HasSubstr("20.00"), HasSubstr("21.22"), HasSubstr("+1.22"),
                             HasSubstr("warpclock_spin")));
  const auto document = Json::parse(read(folder_ / "c.json"));
  const auto point = document.at("points").at(0);
  EXPECT_NEAR(point.at("ours").at("time_ns").at("value").get<double>(), 20'000, 32);
  EXPECT_EQ(point.at("ncu").at("call_times_ns").size(), 5U);
  EXPECT_NEAR(point.at("ncu").at("time_ns").at("value").get<double>(), 21'220, 1e-6);  // the third of five
  EXPECT_NEAR(point.at("time_difference_ns").get<double>(), 1'220, 32);
  EXPECT_EQ(point.at("verdicts").at("time"), "agree");
}

TEST_F(CrosscheckProgram, NcuIsGivenTheSamePointsAndTheDefaultsOfTheArticle) {
  ASSERT_EQ(crosscheck("add --axis n=1024,4096 --verify off --data ones --seed 7 --repeat 3 --warmup 2").code, 0);
  const auto calls = calls_of_ncu();
  ASSERT_EQ(calls.size(), 2U);
  const auto joined = fmt::format("{}", fmt::join(calls[1], " "));
  EXPECT_THAT(joined, AllOf(HasSubstr("--profile-from-start off"), HasSubstr("--clock-control none"),
                            HasSubstr("--cache-control all"), HasSubstr("--page raw"), HasSubstr("--csv")));
  EXPECT_THAT(joined, AllOf(HasSubstr("warpclock profile add --device cuda:0 --no-lock --warmup 2 --calls 3"),
                            HasSubstr("--axis n=4096"), HasSubstr("--data ones"), HasSubstr("--seed 7")));
}

TEST_F(CrosscheckProgram, WordsForNcuTakeTheDefaultsPlaceAndChangeWhatIsComparable) {
  const auto ran = crosscheck("spin --axis ns=20000 --ncu-args '--clock-control base' --json -");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(calls_of_ncu().at(0), AllOf(Contains("base"), Not(Contains("none"))));
  const auto point = Json::parse(ran.out).at("points").at(0);
  EXPECT_EQ(point.at("verdicts").at("time"), "not-comparable");
  EXPECT_EQ(point.at("caveats").at(0).at("id"), "clock-control");
}

/// Field case F112: ours warm and ncu with caches cleared are two different measurements.
TEST_F(CrosscheckProgram, WarmAgainstClearedCachesIsRefusedAsAPair) {
  const auto ran = crosscheck("spin --axis ns=20000 --cache warm");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("cache-state: ours is warm"), HasSubstr("--cache-control none")));
}

/// A call's bytes by ncu are the proof that it was cold: 8 MB for a kernel that is declared to read 8 MiB.
TEST_F(CrosscheckProgram, BytesFromDramStandAgainstTheDeclaredOnes) {
  const auto ran = crosscheck("add --axis n=1Mi --verify off --json -");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto point = Json::parse(ran.out).at("points").at(0);
  EXPECT_EQ(point.at("declared").at("bytes_read"), 8 << 20);
  EXPECT_NEAR(point.at("dram_read_over_declared").get<double>(), 8e6 / (8 << 20), 1e-9);
  EXPECT_EQ(point.at("verdicts").at("dram"), "differ");  // 95 %
}

struct Mood {
  const char* name;
  std::string line;
  std::size_t calls;  // of ncu, for two points
};

/// Each failure of ncu is one clear line; what we have measured is printed all the same.
TEST_F(CrosscheckProgram, WhateverNcuDoesOursIsPrinted) {
  for (const auto& [mood, line, calls] :
       {Mood{"permission", "NVreg_RestrictProfilingToAdminUsers=0", 1}, Mood{"crash", "signal 11", 2},
        Mood{"none", "saw no kernel", 2}, Mood{"garbage", "cannot be read", 2}}) {
    fs::remove(folder_ / "ncu.args");
    const auto ran = crosscheck("spin --axis ns=20000,30000 -q", {{"FAKE_NCU", mood}});
    EXPECT_EQ(ran.code, 4) << mood;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("20.00"), HasSubstr("30.0"))) << mood;
    EXPECT_EQ(calls_of_ncu().size(), calls) << mood;
    const auto err = lines_of(ran.err);
    EXPECT_EQ(err.size(), calls) << ran.err;
    EXPECT_THAT(err, Each(AllOf(StartsWith("warpclock: "), HasSubstr(line)))) << mood;
  }
}

TEST_F(CrosscheckProgram, AKernelThatFailsUnderNcuAloneIsSaidWithItsOwnWords) {
  const auto ran = crosscheck("spin --axis ns=20000", {{"FAKE_GPU_UNDER_NCU", " kernel.warpclock_spin=700@4"}});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, HasSubstr("20.00"));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("exit code 5"), HasSubstr("spin ns=20000")));
}

TEST_F(CrosscheckProgram, WithoutNcuOursIsPrintedAndOneLineSaysWhy) {
  fs::remove(folder_ / "bin/ncu");
  const auto ran = crosscheck("spin --axis ns=20000 -q", {{"PATH", "/usr/bin:/bin"}});
  if (fs::exists("/usr/local/cuda/bin/ncu") || fs::exists("/opt/nvidia/nsight-compute"))
    GTEST_SKIP() << "a real ncu is here";
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("20.00"), HasSubstr("ncu: not run")));
  EXPECT_EQ(ran.err,
            "warpclock: there is no ncu on PATH nor in a CUDA toolkit: install Nsight Compute, or name it with "
            "--ncu PATH\n");
}

TEST_F(CrosscheckProgram, ANamedNcuThatIsNotThereIsSaidBeforeAnythingIsMeasured) {
  const auto ran = crosscheck("spin --axis ns=20000 --ncu /nowhere/ncu");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("--ncu: /nowhere/ncu is no executable file"));
}

TEST_F(CrosscheckProgram, ADryRunPrintsTheCallsOfNcu) {
  const auto ran = crosscheck("spin --axis ns=20000 --dry-run");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("1 point"), HasSubstr("bin/ncu --csv"), HasSubstr("profile spin --device cuda:0")));
  EXPECT_FALSE(fs::exists(folder_ / "ncu.args"));
}

}  // namespace
}  // namespace warpclock::cuda
