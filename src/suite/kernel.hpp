// A kernel of the suite: what it works on and what it must compute, written down once for all backends, and how each
// backend launches it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "device/benchmark.hpp"
#include "verify/operands.hpp"

namespace warpclock {

/// One point of a kernel, before it is set up on a device.
struct KernelPlan {
  std::vector<OperandSpec> operands;
  Work work;
  std::vector<Reference> references;
  std::uint64_t steps = 0;  // element operations (M N K for gemm), saturated: a point that saturates is refused
};

struct KernelFamily {
  std::string name;
  std::string summary;
  std::function<std::vector<AxisSpec>(const std::string& backend)> axes;
  /// Never fails for sizes: counts saturate, and setting the point up refuses them.
  std::function<KernelPlan(const Point&)> plan;
};

/// Enqueues the kernel on the operands of one copy.
using Launcher = std::function<void(Stream&, std::span<const Operand>)>;

/// How one kernel is launched on one backend. `make` may load, compile and allocate; what it makes only enqueues.
///   throws  UsageError for a point that this backend cannot do
struct LauncherRow {
  std::string kernel;  // KernelFamily::name
  std::function<Launcher(Device&, const Point&, const KernelPlan&)> make;
};

struct LauncherTable {
  std::string backend;  // DeviceInfo::backend
  std::vector<LauncherRow> rows;
};

/// The benchmark of `family`, on all backends whose tables have a row for it.
[[nodiscard]] Benchmark benchmark_of(const KernelFamily& family);

}  // namespace warpclock
