// What surrounds a user's code on a device: its context made current, its stream, and how a call is enqueued.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/device.hpp"

struct CUstream_st;

namespace warpclock {

class CallContext {
 public:
  /// Makes the context of a GPU current until the destructor; nothing on the CPU.
  ///   throws  UsageError for a device on which callables cannot run
  explicit CallContext(Device& device);
  ~CallContext();
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  /// The stream's handle; null on the CPU.
  [[nodiscard]] CUstream_st* stream() const { return stream_; }

 private:
  struct Current;
  std::unique_ptr<Current> current_;
  CUstream_st* stream_ = nullptr;
};

/// Calls `task` now where it enqueues by itself (CUDA, its context current), or enqueues it as a kernel called `name`
/// on the CPU.
void enqueue(Device& device, const std::string& name, std::function<void()> task);

}  // namespace warpclock
