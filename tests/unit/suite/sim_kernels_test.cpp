// The suite on the simulated device: times follow from the declared work.
#include <gtest/gtest.h>

#include <string>

#include "backends/sim/device.hpp"
#include "suite/registry.hpp"

namespace warpclock {
namespace {

Point n_of(std::int64_t n) { return {{{"n", n}}}; }

Point gemm(std::int64_t m, const std::string& dtype) {
  return {{{"M", m}, {"N", std::int64_t{19456}}, {"K", std::int64_t{2560}}, {"dtype", dtype}}};
}

class SimKernels : public testing::Test {
 protected:
  Nanoseconds time(const std::string& name, const Point& point, bool cold = true) {
    const auto workload = find_benchmark(name).make(*device, point, {});
    auto& stream = device->stream();
    workload->prepare(0);
    workload->call(0);
    if (cold) stream.evict(Evict::clean, 2 * device->info().last_level_cache);
    workload->call(0);
    stream.synchronize();
    return device->stream().last_kernel_time();
  }

  std::unique_ptr<sim::SimDevice> device = sim::make_device();
};

// Guard bands counted as traffic, or an operand left out, would show here.
TEST_F(SimKernels, AColdReadTakesItsBytesOverTheBandwidth) {
  constexpr std::int64_t n = 1 << 26;
  const double sums = static_cast<double>(n) / 4096;
  const double bytes = 4 * (static_cast<double>(n) + sums);
  EXPECT_NEAR(time("read", n_of(n)).count(), bytes / device->config().memory_bandwidth * 1e9, 1);
}

TEST_F(SimKernels, AWarmCallIsFasterThanAColdOne) {
  EXPECT_LT(time("add", n_of(1 << 20), false), 0.8 * time("add", n_of(1 << 20), true));
}

TEST_F(SimKernels, ALargeGemmIsBoundByComputeAndItsTypeDecides) {
  const auto bf16 = time("gemm", gemm(4096, "bf16"));
  device = sim::make_device();
  const auto fp8 = time("gemm", gemm(4096, "fp8"));
  const double flops = 2.0 * 4096 * 19456 * 2560;
  EXPECT_GE(bf16.count(), flops / (4096.0 * 132 * 1980e6) * 1e9 * 0.999);
  EXPECT_NEAR(bf16 / fp8, 2, 0.05);
}

TEST_F(SimKernels, ASmallGemmIsBoundByItsWeights) {
  const double weights = 19456.0 * 2560 * 2;
  EXPECT_NEAR(time("gemm", gemm(1, "bf16")).count(), weights / device->config().memory_bandwidth * 1e9, 200);
}

// Power follows from the work: only a gemm that keeps the arithmetic units busy may pull the clock down.
TEST_F(SimKernels, ALargeGemmBackToBackHeatsTheChipAndACopyDoesNot) {
  const auto clock_after = [](const std::string& name, const Point& point) {
    const auto sim = sim::make_device();
    const auto workload = find_benchmark(name).make(*sim, point, {});
    for (int i = 0; i < 400; ++i) workload->call(0);
    sim->stream().synchronize();
    return sim->true_clock_mhz();
  };
  EXPECT_LT(clock_after("gemm", gemm(4096, "bf16")), 1600);
  EXPECT_EQ(clock_after("copy", n_of(1 << 27)), 1980);
}

TEST_F(SimKernels, CannotBeCheckedAndSaysWhy) {
  const auto workload = find_benchmark("add").make(*device, n_of(100), {});
  const auto check = workload->check(0);
  EXPECT_EQ(check.state, Check::State::unchecked);
  EXPECT_EQ(check.detail, "sim computes no outputs");
}

}  // namespace
}  // namespace warpclock
