// The CPU device's description, memory and host clock.
#include "backends/cpu/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "core/errors.hpp"

namespace warpclock::cpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(CpuDevice, DescribesItselfCompletely) {
  const auto device = make_device();
  const auto& info = device->info();
  EXPECT_EQ(info.id, "cpu");
  EXPECT_EQ(info.backend, "cpu");
  EXPECT_FALSE(info.name.empty());
  EXPECT_THAT(info.identity, HasSubstr(info.name));
  EXPECT_FALSE(info.last_level_cache_source.empty());
  EXPECT_TRUE(info.computes);
  EXPECT_EQ(info.mark_timer, "steady clock");
  EXPECT_FALSE(info.record_timer.empty());
  EXPECT_GT(info.mark_step.count(), 0);
  EXPECT_LT(info.mark_step, microseconds(1)) << "this clock is too coarse to stamp kernels";
  EXPECT_THAT(info.compute_types, testing::ElementsAre("fp32"));
  std::set<std::string> names;
  for (const auto& ability : info.abilities) {
    EXPECT_FALSE(ability.detail.empty()) << ability.name << " says neither how nor why not";
    EXPECT_TRUE(names.insert(ability.name).second) << ability.name << " is listed twice";
  }
  for (const auto& [key, value] : info.details) EXPECT_FALSE(value.empty()) << key;
}

TEST(CpuDevice, MemoryIsPageAlignedZeroedAndWritable) {
  const auto device = make_device();
  const auto buffer = device->allocate(100'001);
  EXPECT_EQ(buffer->size(), 100'001U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->address()) % 4096, 0U);
  auto* bytes = static_cast<unsigned char*>(buffer->address());
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[100'000], 0);
  bytes[100'000] = 1;
}

// An overcommitting system would grant it and kill the process later.
TEST(CpuDevice, RefusesMoreMemoryThanIsFreeAndNamesBoth) {
  const auto device = make_device();
  const auto state = device->memory();
  EXPECT_GT(state.free, 0U);
  EXPECT_LE(state.free, state.total);
  for (const Bytes bytes : {state.total + 1, std::numeric_limits<Bytes>::max()}) {
    try {
      (void)device->allocate(bytes);
      FAIL() << bytes;
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(std::to_string(bytes) + " bytes needed"), HasSubstr("bytes free")));
    }
  }
  EXPECT_THROW((void)device->allocate(0), UsageError);
}

TEST(CpuDevice, AnEvictionThatDoesNotFitIsRefusedAndTheStreamGoesOn) {
  const auto device = make_device();
  EXPECT_THROW(device->stream().evict(Evict::clean, device->memory().total + 1), DeviceError);
  device->stream().evict(Evict::clean, 1 << 20);
  device->stream().synchronize();
}

TEST(CpuDevice, AHostWaitIsNeverShort) {
  const auto device = make_device();
  for (const auto duration : {microseconds(0), microseconds(5), microseconds(150), milliseconds(3)}) {
    const auto start = device->host_now();
    device->host_wait(duration);
    EXPECT_GE(device->host_now() - start, duration);
  }
}

}  // namespace
}  // namespace warpclock::cpu
