// What the device says about itself, its memory, and what a sample on it costs the real host.
#include <gmock/gmock.h>

#include <array>
#include <chrono>

#include "core/errors.hpp"
#include "script.hpp"

namespace warpclock::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(SimDevice, DescribesItselfCompletely) {
  const auto device = make_device();
  const auto& info = device->info();
  EXPECT_EQ(info.id, "sim");
  EXPECT_EQ(info.backend, "sim");
  EXPECT_EQ(info.name, "simulated GPU");
  EXPECT_FALSE(info.identity.empty());
  EXPECT_EQ(info.last_level_cache, 60 * mebi);
  EXPECT_EQ(info.memory_total, 80'000'000'000U);
  EXPECT_EQ(info.mark_step.count(), 32);
  EXPECT_FALSE(info.mark_timer.empty());
  EXPECT_FALSE(info.record_timer.empty());
  EXPECT_EQ(info.queue_limit, 1024U);
  EXPECT_EQ(info.nominal_clock_mhz, 1980);
  EXPECT_FALSE(info.computes);
  EXPECT_THAT(info.compute_types, ElementsAre("fp32", "tf32", "fp16", "bf16", "fp8"));
  for (const auto& ability : info.abilities) EXPECT_TRUE(ability.works && !ability.detail.empty()) << ability.name;
}

TEST(SimDevice, PeaksFollowFromTheScript) {
  const auto rows = peaks(SimConfig{});
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].resource, "memory");
  EXPECT_NEAR(rows[0].value, 4800, 1e-9);
  EXPECT_EQ(rows[0].unit, "GB/s");
  EXPECT_EQ(rows[1].resource, "fp32");
  EXPECT_NEAR(rows[1].value, 132 * 256 * 1.98e-3, 1e-9);  // 66.9 TFLOP/s
  EXPECT_EQ(rows[4].resource, "bf16");
  EXPECT_NEAR(rows[4].value, 132 * 4096 * 1.98e-3, 1e-9);
  EXPECT_EQ(rows[4].clock_mhz, 1980);
}

// Would catch a kernel that is faster than the peak it is compared with.
TEST(SimDevice, AComputeBoundKernelReachesItsPeakAndNoMore) {
  const auto device = make_device(quiet());
  for (const auto& row : peaks(device->config())) {
    if (row.resource == "memory") continue;
    SimKernel kernel;
    kernel.compute_type = row.resource;
    kernel.flops = 1e11;
    EXPECT_NEAR(1e11 / time_of(*device, kernel) * 1e-3, row.value, 1e-6 * row.value);
  }
}

TEST(SimDevice, MemoryIsCountedAndGivenBack) {
  const auto device = make_device();
  const auto total = device->memory().total;
  {
    const auto buffer = device->allocate(total - 100);
    EXPECT_EQ(buffer->size(), total - 100);
    EXPECT_EQ(device->memory().free, 100U);
    EXPECT_THAT([&] { static_cast<void>(device->allocate(101)); },
                ThrowsMessage<DeviceError>(AllOf(HasSubstr("101"), HasSubstr("100"))));
  }
  EXPECT_EQ(device->memory().free, total);
}

TEST(SimDevice, BuffersHaveTheirOwnAddressesAndMayOutliveTheDevice) {
  auto device = make_device();
  const auto a = device->allocate(1000);
  const auto b = device->allocate(1000);
  EXPECT_GE(static_cast<const std::byte*>(b->address()), static_cast<const std::byte*>(a->address()) + 1000);
  EXPECT_NE(operand(*a, Access::read).id, operand(*b, Access::read).id);
  device.reset();
}

TEST(SimDevice, TransfersBlockAndTakeTheTimeOfTheLink) {
  const auto device = make_device(quiet());
  const auto buffer = device->allocate(1'000'000);
  std::vector<std::byte> bytes(1'000'000);
  device->stream().launch(kernel_of(milliseconds(1)));
  device->stream().upload(*buffer, bytes);
  EXPECT_NEAR(device->host_now().count(), 3500 + 1e6 + 970 + 20'000, exact);  // 1 MB at 50 GB/s behind the kernel
  const auto before = device->host_now();
  device->stream().download(bytes, *buffer);
  EXPECT_NEAR((device->host_now() - before).count(), 2000 + 1500 + 20'000, exact);
  std::vector<std::byte> more(1'000'001);
  EXPECT_THROW(device->stream().upload(*buffer, more), UsageError);
}

TEST(SimDevice, IdleWantsASynchronisedStream) {
  const auto device = make_device(quiet());
  device->stream().launch_empty();
  EXPECT_THROW(device->idle(milliseconds(1)), DeviceError);
  device->stream().synchronize();
  const auto before = device->host_now();
  device->idle(milliseconds(1));
  EXPECT_EQ((device->host_now() - before).count(), 1e6);
}

TEST(SimDevice, CountsWhatHappened) {
  const auto device = make_device(quiet());
  const auto buffer = device->allocate(mebi);
  auto& stream = device->stream();
  stream.fill(*buffer, 0);
  stream.evict(Evict::clean, 120 * mebi);
  static_cast<void>(stream.probe_clock());
  static_cast<void>(held_span(*device, [&] { stream.launch(reading(*buffer)); }));
  stream.launch_empty();
  const auto& counters = device->counters();
  EXPECT_EQ(counters.fills, 1U);
  EXPECT_EQ(counters.evictions, 1U);
  EXPECT_EQ(counters.probes, 1U);
  EXPECT_EQ(counters.marks, 2U);
  EXPECT_EQ(counters.launches, 1U);
  EXPECT_EQ(counters.oracles, 1U);
  EXPECT_EQ(counters.holds, 1U);
  EXPECT_EQ(counters.synchronises, 1U);
  EXPECT_EQ(counters.watchdogs, 0U);
}

// Would catch a step whose cost grows with the samples taken so far: a million of them must stay affordable. Compares
// the last tenth of the samples with the first, generously, since the machine is shared.
TEST(SimDevice, ASampleDoesNotGetDearerWithTheirNumber) {
  auto config = quiet();
  config.noise.sigma = 0.01;
  const auto device = make_device(config);
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(device->allocate(32 * mebi));
  auto kernel = reading(*buffers[0]);
  kernel.bytes_written = 1000;
  const auto tenth = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 5000; ++i) {
      auto& buffer = *buffers[static_cast<std::size_t>(i % 4)];
      kernel.operands[0] = operand(buffer, Access::read);
      device->stream().fill(buffer, 0);
      device->stream().evict(Evict::clean, 120 * mebi);
      static_cast<void>(held_span(*device, [&] { device->stream().launch(kernel); }));
      device->stream().recycle();
    }
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 5000;
  };
  const double first = tenth();
  for (int i = 0; i < 8; ++i) static_cast<void>(tenth());
  const double last = tenth();
  RecordProperty("us_per_sample", std::to_string(last));
  EXPECT_LT(last, 5 * first);
}

}  // namespace
}  // namespace warpclock::sim
