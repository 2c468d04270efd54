// Each scenario is a process of its own: the driver is loaded once a process, and a context that is lost stays lost.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <string>

namespace warpclock::cuda {

using Variables = std::map<std::string, std::string>;

/// The stand-ins in the places of driver, CUPTI, NVML and cuBLASLt, and what the machine is like (see
/// fakes/machine.hpp).
inline Variables on_machine(const std::string& script, Variables others = {}) {
  constexpr const char* folder = WARPCLOCK_FAKES;
  others.insert({{"WARPCLOCK_LIBCUDA", fmt::format("{}/libfake_cuda.so", folder)},
                 {"WARPCLOCK_LIBCUPTI", fmt::format("{}/libfake_cupti.so", folder)},
                 {"WARPCLOCK_LIBNVPERF", fmt::format("{}/libfake_gpu.so", folder)},  // is opened, never called
                 {"WARPCLOCK_LIBCUBLASLT", fmt::format("{}/libfake_cublaslt.so", folder)},
                 {"WARPCLOCK_LIBNVML", fmt::format("{}/libfake_nvml.so", folder)},
                 {"FAKE_GPU", script}});
  return others;
}

/// Failed expectations of the running test so far.
inline int failures() {
  const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
  int count = 0;
  for (int i = 0; i < result.total_part_count(); ++i) count += result.GetTestPartResult(i).failed() ? 1 : 0;
  return count;
}

/// Runs `body` in a child process with these environment variables; what it expects in vain fails the test.
inline void in_child(const Variables& variables, const std::function<void()>& body) {
  std::fflush(nullptr);
  const int before = failures();  // of other children, which this one inherits
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    for (const char* name : {"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_SCALE_LAUNCH_QUEUES"})
      unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    try {
      body();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "exception: " << error.what();
    }
    std::exit(failures() > before ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "the child process " << (WIFEXITED(status) ? "failed, see above" : "crashed");
}

}  // namespace warpclock::cuda
