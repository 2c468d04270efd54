// For programs that use the CUDA runtime: its errors, its element types, and work on streams of one's own.
// Needs cuda_runtime.h; <warpclock/warpclock.hpp> includes it where nvcc compiles.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <warpclock/element.hpp>
#include <warpclock/launch.hpp>

namespace warpclock {

/// throws std::runtime_error naming the error and what it means, unless `status` is cudaSuccess
inline void check(cudaError_t status, const char* what = "CUDA runtime") {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

namespace detail {

/// A launch that was refused (too many threads, no code for this GPU) says so here and nowhere else.
inline void check_launch(const Launch& launch) {
  if (launch.stream() != nullptr) check(cudaGetLastError(), "the launch was refused");
}

}  // namespace detail

/// Work of a call on another stream than launch.stream(). fork() lets that stream wait for everything before the call,
/// join() lets launch.stream() wait for it, so that holds and time stamps cover it. Make it in the set-up: the pair of
/// events costs a few microseconds a call and nothing of the kernels' own times.
class SideStream {
 public:
  /// A stream of its own, or the one given, which must outlive this.
  SideStream() : owned_(true) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    make_events();
  }
  explicit SideStream(cudaStream_t stream) : stream_(stream) { make_events(); }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
    (void)cudaEventDestroy(forked_);
    (void)cudaEventDestroy(joined_);
    if (owned_) (void)cudaStreamDestroy(stream_);
  }

  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  void fork(const Launch& launch) const {
    check(cudaEventRecord(forked_, launch.stream()), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream_, forked_, 0), "cudaStreamWaitEvent");
  }
  void join(const Launch& launch) const {
    check(cudaEventRecord(joined_, stream_), "cudaEventRecord");
    check(cudaStreamWaitEvent(launch.stream(), joined_, 0), "cudaStreamWaitEvent");
  }

 private:
  void make_events() {
    check(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming), "cudaEventCreate");
  }

  cudaStream_t stream_ = nullptr;
  bool owned_ = false;
  cudaEvent_t forked_ = nullptr;
  cudaEvent_t joined_ = nullptr;
};

}  // namespace warpclock

#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
template <>
struct warpclock::ElementOf<__half> {
  static constexpr Element value = Element::fp16;
};
#endif
#if __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
template <>
struct warpclock::ElementOf<__nv_bfloat16> {
  static constexpr Element value = Element::bf16;
};
#endif
#if __has_include(<cuda_fp8.h>)
#include <cuda_fp8.h>
template <>
struct warpclock::ElementOf<__nv_fp8_e4m3> {
  static constexpr Element value = Element::fp8;
};
#endif
