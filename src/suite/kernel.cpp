// From a kernel family and the launchers of the backends to a benchmark.
#include "suite/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.hpp"
#include "device/abilities.hpp"
#include "suite/launchers.hpp"
#include "suite/point_check.hpp"
#include "verify/sizes.hpp"

namespace warpclock {
namespace {

class KernelWorkload final : public Workload {
 public:
  KernelWorkload(Device& device, KernelPlan plan, Launcher launcher, const WorkloadOptions& options)
      : device_(device),
        operands_(device, std::move(plan.operands), options),
        work_(std::move(plan.work)),
        references_(std::move(plan.references)),
        launcher_(std::move(launcher)) {}

  [[nodiscard]] std::uint32_t copies() const override { return operands_.copies(); }
  [[nodiscard]] Bytes footprint() const override { return operands_.footprint(); }
  [[nodiscard]] Work work() const override { return work_; }
  void prepare(std::uint32_t copy) override { operands_.prepare(device_.stream(), copy); }
  void call(std::uint32_t copy) override { launcher_(device_.stream(), operands_.of(copy)); }
  [[nodiscard]] Check check(std::uint32_t copy) override { return operands_.check(copy, references_); }

 private:
  Device& device_;
  OperandSet operands_;
  Work work_;
  std::vector<Reference> references_;
  Launcher launcher_;
};

const LauncherRow* find_row(const LauncherTable& table, const std::string& kernel) {
  const auto row =
      std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& r) { return r.kernel == kernel; });
  return row == table.rows.end() ? nullptr : &*row;
}

const LauncherRow& require_row(const std::string& kernel, const std::string& backend) {
  std::string others;
  for (const auto& table : launcher_tables()) {
    const auto* row = find_row(table, kernel);
    if (row != nullptr && table.backend == backend) return *row;
    if (row != nullptr) others += (others.empty() ? "" : ", ") + table.backend;
  }
  throw UsageError(fmt::format("{} has no kernel for the backend '{}'; it runs on {}", kernel, backend, others));
}

void require_dtype(const std::string& kernel, const DeviceInfo& info, const Point& point) {
  const auto has_dtype = [](const auto& value) { return value.first == "dtype"; };
  if (std::none_of(point.values.begin(), point.values.end(), has_dtype)) return;
  const auto& dtype = point.text("dtype");
  const auto& types = info.compute_types;
  if (std::find(types.begin(), types.end(), dtype) != types.end()) return;
  const auto* why = ability(info, dtype);
  throw UsageError(fmt::format("{}: {} cannot do dtype={}{}; it has {}", kernel, info.id, dtype,
                               why == nullptr ? "" : " (" + why->detail + ")",
                               types.empty() ? "none" : fmt::format("{}", fmt::join(types, ", "))));
}

std::unique_ptr<Workload> make_workload(const KernelFamily& family, Device& device, const Point& point,
                                        const WorkloadOptions& options) {
  const auto& info = device.info();
  const auto& row = require_row(family.name, info.backend);
  check_point(family.name, family.axes(info.backend), point);
  require_dtype(family.name, info, point);
  auto plan = family.plan(point);
  if (plan.steps == saturated || device_bytes(plan.operands) == saturated) {
    throw UsageError(fmt::format("{}: {} is too large to count; choose smaller sizes", family.name, to_string(point)));
  }
  // Before the launcher loads anything: a point that does not fit costs nothing.
  const auto needed = device_bytes(plan.operands);
  if (const auto free = device.memory().free; needed > free) {
    throw DeviceError(fmt::format("{} {}: out of memory on {}: {} bytes needed, {} bytes free; choose smaller sizes",
                                  family.name, to_string(point), info.id, needed, free));
  }
  auto launcher = row.make(device, point, plan);
  return std::make_unique<KernelWorkload>(device, std::move(plan), std::move(launcher), options);
}

}  // namespace

Benchmark benchmark_of(const KernelFamily& family) {
  Benchmark benchmark;
  benchmark.name = family.name;
  benchmark.summary = family.summary;
  for (const auto& table : launcher_tables()) {
    if (find_row(table, family.name) != nullptr) benchmark.backends.push_back(table.backend);
  }
  benchmark.axes = family.axes;
  benchmark.footprint = [plan = family.plan](const Point& point) { return device_bytes(plan(point).operands); };
  benchmark.make = [family](Device& device, const Point& point, const WorkloadOptions& options) {
    return make_workload(family, device, point, options);
  };
  return benchmark;
}

}  // namespace warpclock
