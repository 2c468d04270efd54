// Operand sets on a device: copies, restoring, poison, memory.
#include "verify/operands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "backends/cpu/device.hpp"
#include "core/errors.hpp"

namespace warpclock {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Operands : public testing::Test {
 protected:
  static float* floats(const Operand& operand) { return static_cast<float*>(operand.address); }

  std::unique_ptr<cpu::CpuDevice> device = cpu::make_device();
  Stream& stream = device->stream();
  WorkloadOptions options;
};

TEST_F(Operands, InputsOnTheDeviceAreTheOnesTheReferenceReads) {
  for (const auto type : {DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::fp8, DType::int32, DType::int8}) {
    OperandSet set(*device, {{"x", type, 1001, Role::input}}, options);
    std::vector<double> want(1001), got(1001);
    set.initial(0, 0, 0, want);
    const auto& x = set.of(0)[0];
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.address) % 4096, 0U);
    decode(type, {static_cast<const std::byte*>(x.address), x.bytes()}, got);
    EXPECT_EQ(got, want) << name_of(type);
  }
}

TEST_F(Operands, CopiesAreDistinctMemoryWithDistinctData) {
  options.copies = 3;
  OperandSet set(*device, {{"x", DType::fp32, 100, Role::input}}, options);
  ASSERT_EQ(set.copies(), 3U);
  EXPECT_NE(set.of(0)[0].address, set.of(1)[0].address);
  EXPECT_NE(std::vector<float>(floats(set.of(0)[0]), floats(set.of(0)[0]) + 100),
            std::vector<float>(floats(set.of(1)[0]), floats(set.of(1)[0]) + 100));
}

// One copy too few and the rotation finds its operands still in the cache.
TEST_F(Operands, CopiesTakeTogetherMoreThanTheRotationFootprint) {
  const std::vector<OperandSpec> specs{{"x", DType::fp32, 256, Role::input}};  // 1024 bytes
  options.rotation_footprint = 10 * 1024;
  EXPECT_EQ(OperandSet(*device, specs, options).copies(), 11U);
  options.rotation_footprint = 10 * 1024 - 1;
  EXPECT_EQ(OperandSet(*device, specs, options).copies(), 10U);
  options.rotation_footprint = 100;
  EXPECT_EQ(OperandSet(*device, specs, options).copies(), 1U);
  options.rotation_footprint = 0;
  EXPECT_EQ(OperandSet(*device, specs, options).copies(), 1U);
  options.rotation_footprint = Bytes{1} << 40;
  EXPECT_THROW(OperandSet(*device, specs, options), UsageError);
}

TEST_F(Operands, FootprintIsTheOperandsAloneAndDeviceBytesEverything) {
  const std::vector<OperandSpec> specs{{"x", DType::bf16, 1000, Role::input}, {"y", DType::fp32, 500, Role::inout}};
  EXPECT_EQ(operand_bytes(specs), 4000U);
  EXPECT_EQ(device_bytes(specs), (2000 + 8192) + 2 * (2000 + 8192));
  EXPECT_EQ(OperandSet(*device, specs, options).footprint(), 4000U);
  const std::vector<OperandSpec> huge{{"x", DType::fp64, std::uint64_t{1} << 62, Role::input}};
  EXPECT_EQ(device_bytes(huge), UINT64_MAX);
}

TEST_F(Operands, PrepareRestoresInoutAndPoisonsOutputs) {
  OperandSet set(*device, {{"x", DType::fp32, 10, Role::inout}, {"y", DType::fp32, 10, Role::output}}, options);
  const auto operands = set.of(0);
  const std::vector<float> pristine(floats(operands[0]), floats(operands[0]) + 10);
  for (int i = 0; i < 10; ++i) floats(operands[0])[i] = floats(operands[1])[i] = 1;
  set.prepare(stream, 0);
  stream.synchronize();
  EXPECT_EQ(std::vector<float>(floats(operands[0]), floats(operands[0]) + 10), pristine);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(std::isnan(floats(operands[1])[i])) << i;
}

TEST_F(Operands, WhatDoesNotFitIsRefusedBeforeAnythingIsAllocated) {
  const std::vector<OperandSpec> specs{{"x", DType::fp32, device->memory().total / 4, Role::input}};
  try {
    OperandSet(*device, specs, options);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(std::to_string(device_bytes(specs)) + " bytes needed"), HasSubstr("bytes free")));
  }
  options.copies = 4096;
  EXPECT_THROW(OperandSet(*device, {{"x", DType::fp32, device->memory().total / 4096, Role::input}}, options),
               DeviceError);
  EXPECT_THROW(OperandSet(*device, {{"x", DType::fp32, 0, Role::input}}, WorkloadOptions{}), UsageError);
  EXPECT_THROW(OperandSet(*device, {}, WorkloadOptions{}), UsageError);
}

}  // namespace
}  // namespace warpclock
