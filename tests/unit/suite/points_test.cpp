// Points of the suite: declared axes, refusals and their reasons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "backends/cpu/device.hpp"
#include "backends/sim/device.hpp"
#include "core/errors.hpp"
#include "suite/registry.hpp"

namespace warpclock {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t huge = std::int64_t{1} << 40;

Point gemm(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& dtype) {
  return {{{"M", m}, {"N", n}, {"K", k}, {"dtype", dtype}}};
}

template <typename ErrorType>
std::string refusal(Device& device, const std::string& name, const Point& point) {
  try {
    (void)find_benchmark(name).make(device, point, {});
  } catch (const ErrorType& error) {
    return error.what();
  }
  ADD_FAILURE() << name << " " << to_string(point) << " was accepted";
  return "";
}

// First default of every axis.
Point default_point(const Benchmark& benchmark, const std::string& backend) {
  Point point;
  for (const auto& axis : benchmark.axes(backend)) point.values.emplace_back(axis.name, axis.defaults.front());
  return point;
}

TEST(Suite, EveryRowIsCompleteAndItsDefaultsAreAllowed) {
  std::set<std::string> names;
  for (const auto& row : suite()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_THAT(row.backends, testing::IsSupersetOf({"cpu", "sim"})) << row.name;
    for (const std::string backend : {"cpu", "sim", "cuda"}) {
      for (const auto& axis : row.axes(backend)) {
        EXPECT_FALSE(axis.defaults.empty()) << row.name << " " << axis.name;
        EXPECT_FALSE(axis.help.empty()) << row.name << " " << axis.name;
        for (const auto& value : axis.defaults) {
          if (axis.is_text()) {
            EXPECT_THAT(axis.choices, testing::Contains(std::get<std::string>(value)));
          } else {
            EXPECT_GE(std::get<std::int64_t>(value), axis.min) << row.name << " " << axis.name;
            EXPECT_LE(std::get<std::int64_t>(value), axis.max) << row.name << " " << axis.name;
          }
        }
      }
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"gemm", "add", "copy", "read", "fill", "scale", "rmsnorm", "softmax", "empty",
                                          "spin", "cycles", "chain"}));
}

TEST(Suite, EveryRowCanBeSetUpAndCalledWithItsDefaults) {
  const auto cpu = cpu::make_device();
  const auto sim = sim::make_device();
  for (Device* device : std::initializer_list<Device*>{cpu.get(), sim.get()}) {
    for (const auto& row : suite()) {
      const auto workload = row.make(*device, default_point(row, device->info().backend), {});
      workload->prepare(0);
      workload->call(0);
      EXPECT_NO_THROW(device->stream().synchronize()) << row.name;
      EXPECT_NE(workload->check(0).state, Check::State::failed) << row.name;
    }
  }
}

TEST(Suite, AnUnknownBenchmarkIsRefusedWithTheNamesOfAll) {
  try {
    (void)find_benchmark("gem");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'gem'"), HasSubstr("gemm"), HasSubstr("chain")));
  }
}

TEST(Suite, SizesThatMakeNoSenseAreRefused) {
  const auto device = cpu::make_device();
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
    EXPECT_THAT(refusal<UsageError>(*device, "gemm", gemm(bad, 8, 8, "fp32")), HasSubstr("M="));
    EXPECT_THAT(refusal<UsageError>(*device, "add", {{{"n", bad}}}), HasSubstr("n="));
    EXPECT_THAT(refusal<UsageError>(*device, "softmax", {{{"rows", bad}, {"cols", std::int64_t{8}}}}),
                HasSubstr("rows="));
    EXPECT_THAT(refusal<UsageError>(*device, "cycles", {{{"cycles", bad}}}), HasSubstr("cycles="));
  }
  EXPECT_THAT(refusal<UsageError>(*device, "gemm", gemm(1, 1, 1, "fp12")), AllOf(HasSubstr("fp12"), HasSubstr("bf16")));
  EXPECT_THAT(refusal<UsageError>(*device, "add", {}), HasSubstr("axes"));
  EXPECT_THAT(refusal<UsageError>(*device, "add", {{{"m", std::int64_t{1}}}}), HasSubstr("axes"));
  EXPECT_THAT(refusal<UsageError>(*device, "add", {{{"n", std::string("many")}}}), HasSubstr("many"));
}

// A product that wraps around would be a tiny, valid size.
TEST(Suite, ProductsThatOverflowAreRefusedAndTheirFootprintSaturates) {
  const auto device = sim::make_device();
  const auto square = gemm(huge, huge, 1, "bf16");
  EXPECT_EQ(find_benchmark("gemm").footprint(square), UINT64_MAX);
  EXPECT_THAT(refusal<UsageError>(*device, "gemm", square), HasSubstr("too large"));
  EXPECT_THAT(refusal<UsageError>(*device, "gemm", gemm(1 << 22, 1 << 22, 1 << 22, "bf16")), HasSubstr("too large"));
  const Point wide{{{"rows", huge}, {"cols", huge}}};
  EXPECT_EQ(find_benchmark("rmsnorm").footprint(wide), UINT64_MAX);
  EXPECT_THAT(refusal<UsageError>(*device, "rmsnorm", wide), HasSubstr("too large"));
}

TEST(Suite, MemoryThatIsNotThereIsRefusedWithNeededAndFree) {
  const auto cpu = cpu::make_device();
  const auto sim = sim::make_device();
  for (Device* device : std::initializer_list<Device*>{cpu.get(), sim.get()}) {
    const Point point{{{"n", huge}}};
    const auto message = refusal<DeviceError>(*device, "add", point);
    EXPECT_THAT(message, AllOf(HasSubstr(std::to_string(find_benchmark("add").footprint(point)) + " bytes needed"),
                               HasSubstr("bytes free")));
  }
}

TEST(Suite, ADtypeThatTheDeviceLacksIsRefusedWithWhatItHas) {
  const auto device = cpu::make_device();
  EXPECT_THAT(refusal<UsageError>(*device, "gemm", gemm(8, 8, 8, "bf16")),
              AllOf(HasSubstr("dtype=bf16"), HasSubstr("it has fp32")));
}

TEST(Suite, FootprintCountsEveryOperandInItsType) {
  constexpr Bytes guards = 3 * 8192;
  EXPECT_EQ(find_benchmark("gemm").footprint(gemm(2, 3, 5, "bf16")), (2 * 5 + 3 * 5 + 2 * 3) * 2 + guards);
  EXPECT_EQ(find_benchmark("gemm").footprint(gemm(2, 3, 5, "tf32")), (2 * 5 + 3 * 5 + 2 * 3) * 4 + guards);
  EXPECT_EQ(find_benchmark("gemm").footprint(gemm(2, 3, 5, "fp8")), (2 * 5 + 3 * 5) * 1 + 2 * 3 * 2 + guards);
}

}  // namespace
}  // namespace warpclock
