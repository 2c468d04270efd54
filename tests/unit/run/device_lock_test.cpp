#include "run/device_lock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/errors.hpp"

namespace warpclock {
namespace {

class DeviceLockTest : public ::testing::Test {
 protected:
  DeviceLockTest() { std::filesystem::create_directories(folder_); }
  ~DeviceLockTest() override { std::filesystem::remove_all(folder_); }

  static DeviceInfo gpu(const std::string& identity) { return {.id = "cuda:0", .identity = identity}; }
  std::string folder_ = std::filesystem::temp_directory_path().string() + "/lock-test-" + std::to_string(::getpid());
};

// Two processes on one GPU read each other's contention as kernel time.
TEST_F(DeviceLockTest, TheSecondOneIsToldWhoMeasures) {
  const DeviceLock first(gpu("GPU-1"), folder_);
  EXPECT_EQ(first.problem(), "");
  try {
    const DeviceLock second(gpu("GPU-1"), folder_);
    FAIL() << "locked twice";
  } catch (const DeviceError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("process " + std::to_string(::getpid())), std::string::npos) << message;
    EXPECT_NE(message.find("--no-lock"), std::string::npos) << message;
  }
}

TEST_F(DeviceLockTest, AnotherDeviceIsNotLocked) {
  const DeviceLock first(gpu("GPU-1"), folder_);
  EXPECT_NO_THROW(DeviceLock(gpu("GPU-2"), folder_));
}

// A lock that outlives its holder would stop everybody after a crash.
TEST_F(DeviceLockTest, ItEndsWithItsHolder) {
  { const DeviceLock first(gpu("GPU-1"), folder_); }
  EXPECT_NO_THROW(DeviceLock(gpu("GPU-1"), folder_));
}

TEST_F(DeviceLockTest, AFolderThatCannotBeWrittenIsNoReasonNotToMeasure) {
  const DeviceLock lock(gpu("GPU-1"), "/proc/no-such-folder");
  EXPECT_NE(lock.problem().find("/proc/no-such-folder"), std::string::npos);
}

}  // namespace
}  // namespace warpclock
