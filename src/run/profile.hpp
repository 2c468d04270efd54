// A point run once for a profiler: set up and warmed as for a measurement, then called between marks. Nothing is timed.
#pragma once

#include <cstdint>

#include "device/benchmark.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

struct ProfileRequest {
  std::uint32_t warmup = 5;  // unmarked calls before the first marked one: loading, compiling, workspaces
  std::uint32_t calls = 1;   // marked calls
  bool flush = false;        // evict before each of them; most profilers clear the caches themselves
};

/// Makes the unmarked calls, then `calls` marked ones. Between the marks of a call is that call and nothing else:
/// operands are prepared, caches evicted and the stream synchronised outside of them. No call is held.
///   label   of the ranges: "warpclock:gemm M=2 N=64"
///   throws  UsageError, DeviceError, KernelError as set_up() (runner.hpp) and the call do; the marks are closed then
void profile_point(Device& device, const Benchmark& benchmark, const Point& point, const Protocol& protocol,
                   const ProfileRequest& request, const std::string& label);

}  // namespace warpclock
