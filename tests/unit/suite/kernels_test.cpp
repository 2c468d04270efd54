// Every kernel of the suite on the CPU: right outputs at even and odd sizes, for every kind of data.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backends/cpu/device.hpp"
#include "suite/registry.hpp"

namespace warpclock {
namespace {

Point point_of(std::vector<std::pair<std::string, AxisValue>> values) { return {std::move(values)}; }

Point n_of(std::int64_t n) { return point_of({{"n", n}}); }

Point matrix(std::int64_t rows, std::int64_t cols) { return point_of({{"rows", rows}, {"cols", cols}}); }

Point gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return point_of({{"M", m}, {"N", n}, {"K", k}, {"dtype", std::string("fp32")}});
}

struct Case {
  std::string benchmark;
  Point point;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* name : {"add", "copy", "read", "fill", "scale"}) {
    // One, around a vector and a chunk, and beyond one turn of the input tile.
    for (const std::int64_t n : {1, 7, 16, 17, 1000, 4095, 4096, 4097, 1'500'001}) all.push_back({name, n_of(n)});
  }
  for (const char* name : {"rmsnorm", "softmax"}) {
    for (const auto& point : {matrix(1, 1), matrix(1, 1024), matrix(7, 33), matrix(100, 1), matrix(3, 400'000)}) {
      all.push_back({name, point});
    }
  }
  for (const auto& point :
       {gemm(1, 1, 1), gemm(1, 1024, 1024), gemm(3, 5, 7), gemm(129, 65, 33), gemm(200, 300, 2560)}) {
    all.push_back({"gemm", point});
  }
  return all;
}

class SuiteKernel : public testing::TestWithParam<Case> {};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.benchmark;
  for (const auto& [axis, value] : info.param.point.values) name += fmt::format("_{}{}", axis, to_string(value));
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cpu, SuiteKernel, testing::ValuesIn(cases()), case_name);

// Twice: a kernel whose second call works on what the first one left (in-place without restoring) is wrong then.
TEST_P(SuiteKernel, IsRightOnEveryCallAndEveryCopy) {
  const auto device = cpu::make_device();
  WorkloadOptions options;
  options.copies = 2;
  const auto workload = find_benchmark(GetParam().benchmark).make(*device, GetParam().point, options);
  ASSERT_EQ(workload->copies(), 2U);
  for (const std::uint32_t copy : {0U, 1U, 0U}) {
    workload->prepare(copy);
    workload->call(copy);
    const auto check = workload->check(copy);
    EXPECT_EQ(check.state, Check::State::passed) << check.detail;
    EXPECT_LE(check.max_error, check.tolerance);
  }
}

TEST_P(SuiteKernel, IsCaughtWhenItDoesNotRun) {
  const auto device = cpu::make_device();
  const auto workload = find_benchmark(GetParam().benchmark).make(*device, GetParam().point, {});
  workload->prepare(0);
  workload->call(0);
  ASSERT_EQ(workload->check(0).state, Check::State::passed);
  workload->prepare(0);
  EXPECT_EQ(workload->check(0).state, Check::State::failed);
}

// The declared traffic is what the floor of the time comes from: every operand once, no more.
TEST_P(SuiteKernel, DeclaresAtLeastOnePassOverItsOperands) {
  const auto device = cpu::make_device();
  const auto workload = find_benchmark(GetParam().benchmark).make(*device, GetParam().point, {});
  const double traffic = workload->work().bytes();
  const double passes = GetParam().benchmark == "scale" ? 2 : 1;  // in place: read and written
  EXPECT_EQ(traffic, passes * static_cast<double>(workload->footprint()));
}

TEST(SuiteKernels, AreRightForEveryKindOfData) {
  const auto device = cpu::make_device();
  for (const auto data : {Data::normal, Data::uniform, Data::ints, Data::ones, Data::zeros}) {
    for (const auto& [name, point] : std::vector<Case>{{"gemm", gemm(33, 65, 129)},
                                                       {"add", n_of(1001)},
                                                       {"read", n_of(10'001)},
                                                       {"scale", n_of(1001)},
                                                       {"rmsnorm", matrix(5, 100)},
                                                       {"softmax", matrix(5, 100)}}) {
      WorkloadOptions options;
      options.data = data;
      options.seed = 77;
      const auto workload = find_benchmark(name).make(*device, point, options);
      workload->prepare(0);
      workload->call(0);
      const auto check = workload->check(0);
      EXPECT_EQ(check.state, Check::State::passed)
          << name << " data " << static_cast<int>(data) << ": " << check.detail;
    }
  }
}

// Without the restoring of its input a second call doubles twice; with it, a call without prepare shows that it
// happened.
TEST(SuiteKernels, ScaleChangesItsInputAndPrepareRestoresIt) {
  const auto device = cpu::make_device();
  const auto workload = find_benchmark("scale").make(*device, n_of(1000), {});
  workload->prepare(0);
  workload->call(0);
  EXPECT_EQ(workload->check(0).state, Check::State::passed);
  workload->call(0);
  EXPECT_EQ(workload->check(0).state, Check::State::failed);
  workload->prepare(0);
  workload->call(0);
  EXPECT_EQ(workload->check(0).state, Check::State::passed);
}

// A record for each call, under the kernel's name: the headline depends on it.
TEST(SuiteKernels, LeaveOneRecordACallUnderTheirName) {
  const auto device = cpu::make_device();
  for (const auto& [name, point] :
       std::vector<Case>{{"gemm", gemm(4, 4, 4)}, {"add", n_of(10)}, {"rmsnorm", matrix(2, 8)}}) {
    const auto workload = find_benchmark(name).make(*device, point, {});
    device->stream().start_trace();
    workload->prepare(0);
    device->stream().open_window(0);
    workload->call(0);
    device->stream().close_window();
    const auto records = device->stream().stop_trace();
    ASSERT_EQ(records.size(), 1U) << name;
    EXPECT_EQ(records[0].name, name);
  }
}

// The compiler must not have removed the work: more elements take longer. A generous ratio, the best of several calls.
TEST(SuiteKernels, TimeGrowsWithTheWork) {
  const auto device = cpu::make_device();
  auto& stream = device->stream();
  const auto best = [&](const std::string& name, std::int64_t n) {
    const auto workload = find_benchmark(name).make(*device, n_of(n), {});
    Nanoseconds shortest = seconds(1000);
    for (int i = 0; i < 15; ++i) {
      const auto a = stream.mark();
      workload->call(0);
      const auto b = stream.mark();
      stream.synchronize();
      shortest = std::min(shortest, stream.elapsed(a, b));
      stream.recycle();
    }
    return shortest;
  };
  for (const char* name : {"add", "copy", "read", "fill", "scale"}) {
    bool grows = false;  // in one of several attempts: another program may take the core in the others
    for (int i = 0; i < 10 && !grows; ++i) grows = best(name, 1 << 20) > 4 * best(name, 1 << 16);
    EXPECT_TRUE(grows) << name << " takes hardly longer for sixteen times the work";
  }
}

}  // namespace
}  // namespace warpclock
