// The CPU as a device: a worker thread is its in-order stream, and the steady clock stamps its marks and records.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace warpclock::cpu {

/// The in-order stream of the CPU device; its commands run on one worker thread, one after the other.
class CpuStream : public Stream {
 public:
  /// Enqueues `task` as a kernel called `name`. What it throws is caught on the worker and thrown as a KernelError by
  /// the next synchronize() (or whatever synchronises); the tasks behind it still run.
  virtual void launch(std::string name, std::function<void()> task) = 0;
};

class CpuDevice : public Device {
 public:
  [[nodiscard]] CpuStream& stream() override = 0;
};

/// The CPU of this machine, with its worker running. OpenBLAS is told to use one thread, the worker's, unless the
/// environment variable OPENBLAS_NUM_THREADS says otherwise.
///   throws  DeviceError if no thread can be started
[[nodiscard]] std::unique_ptr<CpuDevice> make_device();

}  // namespace warpclock::cpu
