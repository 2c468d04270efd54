// A benchmark: a named family of workloads over axes. The built-in suite and users' kernels are the same thing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/axis.hpp"
#include "core/data.hpp"
#include "device/device.hpp"
#include "device/workload.hpp"

namespace warpclock {

/// What the protocol asks of a workload when it is set up.
struct WorkloadOptions {
  std::uint32_t copies = 0;  // of the operands; 0: as many as take together more than `rotation_footprint`, at least 1
  Bytes rotation_footprint = 0;
  Data data = Data::normal;
  std::uint64_t seed = 1;
};

/// Takes a workload that is set up; whatever its set-up made lives until this returns.
using UseWorkload = std::function<void(Workload&)>;

struct Benchmark {
  std::string name;
  std::string summary;                // one line
  std::vector<std::string> backends;  // on which it runs: "cpu", "sim", "cuda"
  /// Axes in order; the defaults may depend on the backend (a CPU gets smaller problems).
  std::function<std::vector<AxisSpec>(const std::string& backend)> axes;
  /// Bytes of device memory that one copy of the operands takes, references included. Overflow saturates.
  std::function<Bytes(const Point&)> footprint;
  /// throws UsageError for a point that makes no sense, DeviceError where it does not fit
  std::function<std::unique_ptr<Workload>(Device&, const Point&, const WorkloadOptions&)> make;
  /// Instead of `make`, for a benchmark that is a function with locals: sets up, calls `use` once, and tears down.
  std::function<void(Device&, const Point&, const WorkloadOptions&, const UseWorkload& use)> around = {};
  /// Points that are not worth measuring are left out of a plan; unset: all are.
  std::function<bool(const Point&)> wanted = {};

  /// Sets up one point and hands it to `use`. Throws what `use` throws and, before it, what `make` throws.
  void with(Device& device, const Point& point, const WorkloadOptions& options, const UseWorkload& use) const {
    if (around) return around(device, point, options, use);
    use(*make(device, point, options));
  }
};

}  // namespace warpclock
