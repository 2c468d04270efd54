// What the user sees: the program as a process on a machine of stand-ins.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "child.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Runs the program with a cache of its own; it is stopped after 60 s.
Ran warpclock(const Variables& variables, const std::string& words) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::string assignments;
  for (const auto& [name, value] : variables) assignments += fmt::format("{}='{}' ", name, value);
  const std::string line = fmt::format(
      "cd '{}' && env -u CUDA_VISIBLE_DEVICES -u CUDA_LAUNCH_BLOCKING XDG_CACHE_HOME=cache {} timeout 60 '{}' {} >out "
      "2>err",
      folder.string(), assignments, WARPCLOCK_PROGRAM, words);
  const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe)
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder / "out"), read(folder / "err")};
  std::filesystem::remove_all(folder);
  return ran;
}

/// What `warpclock devices` says of one device.
Json device(const Variables& variables, const std::string& id) {
  const Ran ran = warpclock(variables, "devices --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json document = Json::parse(ran.out);
  for (const auto& entry : document.at("devices")) {
    if (entry.at("id") == id) return entry;
  }
  ADD_FAILURE() << "no " << id << " in " << ran.out;
  return {};
}

std::string reason(const Json& device, const std::string& name) {
  for (const auto& ability : device.at("abilities")) {
    if (ability.at("name") == name && !ability.at("works").get<bool>()) return ability.at("detail").get<std::string>();
  }
  return "";
}

/// A lock that another warpclock holds on the device of this identity.
class Locked {
 public:
  explicit Locked(const std::string& identity)
      : file_(::open((std::filesystem::temp_directory_path() / ("warpclock-" + identity + ".lock")).c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    EXPECT_EQ(::flock(file_, LOCK_EX | LOCK_NB), 0);
  }
  ~Locked() { ::close(file_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int file_;
};

constexpr const char* quick = " --device cuda:0 --ceilings off --max-time 300ms";

// Two that measure on one GPU read each other's contention as kernel time.
TEST(CudaProgram, TheSecondOneOnAGpuIsRefusedUnlessItAsksToShare) {
  const auto identity = device(on_machine(""), "cuda:0").at("identity").get<std::string>();
  const Locked held(identity);
  const Ran refused = warpclock(on_machine(""), std::string("run empty -q") + quick);
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cuda:0 is being measured by"), HasSubstr("--no-lock")));
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(warpclock(on_machine(""), std::string("run empty -q --no-lock") + quick).code, 0);
}

TEST(CudaProgram, DevicesSaysWhyThereIsNoGpuAndStillListsTheOthers) {
  EXPECT_THAT(device(on_machine("", {{"WARPCLOCK_LIBCUDA", "/nowhere/libcuda.so.1"}}), "cuda").at("reason"),
              HasSubstr("/nowhere/libcuda.so.1"));
  EXPECT_THAT(device(on_machine("driver=11040"), "cuda").at("reason"), HasSubstr("supports CUDA 11.4"));
  EXPECT_THAT(device(on_machine("gpus=0"), "cuda").at("reason"), HasSubstr("no GPU is visible"));
  EXPECT_TRUE(device(on_machine("gpus=0"), "cpu").at("works").get<bool>());
}

TEST(CudaProgram, DevicesListsEachGpuWithItsFactsAndWhatDoesNotWork) {
  const auto whole = device(on_machine("gpus=2 processes=4242"), "cuda:1");
  EXPECT_EQ(whole.at("identity"), "GPU-11111111-1111-1111-1111-111111111111");
  EXPECT_EQ(whole.at("details").at("PCI bus"), "0000:3C:00.0");
  EXPECT_EQ(whole.at("details").at("other processes on it"), "pid 4242");
  for (const char* name : {"hold", "tracing", "telemetry", "evict"}) EXPECT_EQ(reason(whole, name), "") << name;
  const auto broken = device(on_machine("cuptiSubscribe=39 nvmlInit_v2=4 ignore_waits=1"), "cuda:0");
  EXPECT_THAT(reason(broken, "tracing"), HasSubstr("another tool"));
  EXPECT_THAT(reason(broken, "telemetry"), HasSubstr("may not open"));
  EXPECT_THAT(reason(broken, "hold"), HasSubstr("does not wait"));
}

TEST(CudaProgram, SliceHasNoPeaksOfTheWholeChip) {  // F93: else SOL would be off by a factor of 7
  EXPECT_FALSE(device(on_machine(""), "cuda:0").at("peaks").empty());
  EXPECT_TRUE(device(on_machine("mig=1 sms=16"), "cuda:0").at("peaks").empty());
  EXPECT_TRUE(device(on_machine("mig=1 sms=16 name=NVIDIA_H200_MIG_1g.18gb"), "cuda:0").at("peaks").empty());
}

TEST(CudaProgram, NamedGpuThatIsNotThereIsAnErrorAndNothingElseIsMeasured) {
  const Ran named = warpclock(on_machine("gpus=0"), std::string("run spin -q") + quick);
  EXPECT_EQ(named.code, 4);
  EXPECT_THAT(named.err, HasSubstr("no GPU is visible"));
  EXPECT_EQ(named.out, "");
}

TEST(CudaProgram, RunMeasuresASpinAsLongAsItIs) {
  const Ran ran = warpclock(on_machine(""), std::string("run spin --axis ns=20000 -q --json -") + quick);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = Json::parse(ran.out).at("results").at(0);
  EXPECT_EQ(result.at("status"), "ok");
  EXPECT_NEAR(result.at("kernel_time").at("value_ns").get<double>(), 20'000, 32) << ran.out;
}

TEST(CudaProgram, RunWithoutTracingStillHasACallTimeAndSaysWhatIsMissing) {
  const Ran ran =
      warpclock(on_machine("cuptiSubscribe=39"), std::string("run spin --axis ns=20000 -q --json -") + quick);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = Json::parse(ran.out).at("results").at(0);
  EXPECT_TRUE(result.at("kernel_time").is_null());
  EXPECT_GT(result.at("call_time").at("value_ns").get<double>(), 20'000);
}

TEST(CudaProgram, RunWithoutAHoldStillMeasures) {  // F92
  const Ran ran = warpclock(on_machine("blocking=1", {{"CUDA_LAUNCH_BLOCKING", "1"}}),
                            std::string("run spin --axis ns=20000 -q --json -") + quick);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NEAR(Json::parse(ran.out).at("results").at(0).at("kernel_time").at("value_ns").get<double>(), 20'000, 32);
}

TEST(CudaProgram, KernelThatTakesTheContextAlongEndsTheRunWithItsName) {
  const Ran ran = warpclock(on_machine("kernel.add_f32=700"), std::string("run add --axis n=1024") + quick);
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("add"), HasSubstr("cuda:0 unusable"), HasSubstr("(700)")));
}

TEST(CudaProgram, OutputThatTheKernelNeverWroteIsNoResult) {  // the stand-in computes nothing
  const Ran ran = warpclock(on_machine(""), std::string("run add --axis n=1024 -q --json -") + quick);
  EXPECT_EQ(ran.code, 5) << ran.err;
}

constexpr const char* small_gemm = "run gemm --axis M=16 --axis N=32 --axis K=32 --verify off -q --json -";

TEST(CudaProgram, MatmulIsMeasuredThroughCublasLt) {
  const Ran ran = warpclock(on_machine("duration.matmul=20000"), std::string(small_gemm) + quick);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = Json::parse(ran.out).at("results").at(0);
  EXPECT_NEAR(result.at("kernel_time").at("value_ns").get<double>(), 20'000, 32);
  EXPECT_EQ(result.at("kernels").at(0).at("name"), "matmul");
}

// Each refusal of cuBLASLt costs the row, and says which call it was and what to do.
TEST(CudaProgram, WhatCublasLtRefusesCostsItsRowOnly) {
  for (const std::string call :
       {"cublasLtCreate=1", "cublasLtMatmulDescCreate=13", "cublasLtMatmulAlgoGetHeuristic=13"}) {
    const Ran ran = warpclock(on_machine(call), std::string(small_gemm) + quick);
    EXPECT_EQ(ran.code, 4) << call;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("skipped"), HasSubstr(call.substr(0, call.find('='))))) << call;
  }
  const Ran none = warpclock(on_machine("cublasLtMatmulAlgoGetHeuristic=15"), std::string(small_gemm) + quick);
  EXPECT_THAT(none.err, HasSubstr("has no algorithm for M=16 N=32 K=32 dtype=bf16"));
}

TEST(CudaProgram, WithoutCublasLtGemmIsRefusedWithTheReason) {
  const Ran ran = warpclock(on_machine("", {{"WARPCLOCK_LIBCUBLASLT", "/nowhere/libcublasLt.so"}}),
                            std::string(small_gemm) + quick);
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere/libcublasLt.so"));
}

TEST(CudaProgram, BrokenStampsAreCountedAndEnterNoEstimate) {  // F110
  const Ran ran = warpclock(on_machine("record.warpclock_spin=zero@/7"),
                            std::string("run spin --axis ns=20000 -q --json -") + quick);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = Json::parse(ran.out).at("results").at(0);
  EXPECT_NEAR(result.at("kernel_time").at("value_ns").get<double>(), 20'000, 32);
  EXPECT_GT(result.at("rejected_stamps").get<int>(), 0);
}

}  // namespace
}  // namespace warpclock::cuda
