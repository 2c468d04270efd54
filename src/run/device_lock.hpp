// One warpclock on one GPU at a time: two that measure side by side read each other's contention.
#pragma once

#include <string>

#include "device/device.hpp"

namespace warpclock {

/// Holds an advisory lock on the device for its lifetime; the system lifts it when the process ends, however it ends.
class [[nodiscard]] DeviceLock {
 public:
  /// Locks `folder`/warpclock-<identity>.lock, made if it is missing and left there. The lock is shared by all users.
  ///   throws  DeviceError naming the process that holds it. A folder that cannot be written is no error: then nothing
  ///           is locked (problem() says so)
  DeviceLock(const DeviceInfo& info, const std::string& folder);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  /// Why nothing is locked; empty where the lock is held.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  int file_ = -1;
  std::string problem_;
};

/// Where locks lie: the system's folder for temporary files, so that all users of the machine share them.
[[nodiscard]] std::string lock_folder();

}  // namespace warpclock
