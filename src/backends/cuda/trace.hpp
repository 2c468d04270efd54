// Activity tracing by CUPTI.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/activity.hpp"
#include "backends/cuda/context.hpp"

namespace warpclock::cuda {

struct Cupti;  // the table of CUPTI's functions (cupti.hpp)

/// The process's one CUPTI session. CUPTI knows a single subscriber and callbacks without user data, so there is one
/// of these a process (shared()), and one trace at a time: devices side by side belong into processes of their own.
class Tracer {
 public:
  /// kernel_release_file  by which WSL 2 is recognised, where other advice holds
  explicit Tracer(std::unique_ptr<Cupti> cupti, std::string kernel_release_file = "/proc/sys/kernel/osrelease");
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// The tracer of this process, made on first use.
  ///   throws  DeviceError: no CUPTI, or one that does not fit the driver
  [[nodiscard]] static std::shared_ptr<Tracer> shared(const Driver& driver);

  /// "/usr/local/cuda/lib64/libcupti.so.13 (toolkit, version 130001)"
  [[nodiscard]] std::string library() const;

  /// Subscribes and switches the records of kernels, copies and fills on.
  ///   throws  DeviceError: another tool holds CUPTI, or the driver does not permit it
  void start();
  /// Takes the log of `context`'s device since start(), switches records off and unsubscribes, so that another tool
  /// may follow.  pre: all work has finished
  ///   lost  number of records that CUPTI had no room for
  [[nodiscard]] std::vector<Activity> stop(const Context& context, std::size_t& lost);
  /// CUPTI's number of a stream, as it stands in the records.
  [[nodiscard]] std::uint32_t stream_number(const Context& context, CUstream stream) const;

 private:
  void check(int result, const char* call) const;
  void switch_off();

  std::unique_ptr<Cupti> cupti_;
  std::string kernel_release_file_;
  bool running_ = false;
};

}  // namespace warpclock::cuda
