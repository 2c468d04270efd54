#include "suite/user_kernel.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "backends/cuda/backend.hpp"
#include "core/errors.hpp"
#include "suite/point_check.hpp"
#include "suite/user_launcher.hpp"
#include "verify/compare.hpp"
#include "verify/sizes.hpp"

namespace warpclock {

#ifndef WARPCLOCK_WITH_CUDA
UserLauncher cuda_user_launcher(UserKernel, std::string) {
  return [](Device&, const Point&) -> Launcher { throw DeviceError(cuda::missing_at_build_time()); };
}
#endif

namespace {

class UserWorkload final : public Workload {
 public:
  UserWorkload(Device& device, const UserKernel& kernel, const Point& point, Launcher launcher,
               const WorkloadOptions& options)
      : device_(device), work_(kernel.work(point)), launcher_(std::move(launcher)) {
    // A kernel without buffers (all its work in registers) has nothing to copy, to poison or to check.
    if (auto specs = kernel.operands(point); !specs.empty()) operands_.emplace(device, std::move(specs), options);
  }

  [[nodiscard]] std::uint32_t copies() const override { return operands_ ? operands_->copies() : 1; }
  [[nodiscard]] Bytes footprint() const override { return operands_ ? operands_->footprint() : 0; }
  [[nodiscard]] Work work() const override { return work_; }
  void prepare(std::uint32_t copy) override {
    if (operands_) operands_->prepare(device_.stream(), copy);
  }
  void call(std::uint32_t copy) override {
    launcher_(device_.stream(), operands_ ? operands_->of(copy) : std::span<const Operand>{});
  }
  [[nodiscard]] Check check(std::uint32_t copy) override {
    return operands_ ? operands_->check(copy, {}) : unchecked("the kernel has no buffers");
  }

 private:
  Device& device_;
  std::optional<OperandSet> operands_;
  Work work_;
  Launcher launcher_;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  if (file) content << file.rdbuf();
  if (!file || content.fail() || content.str().empty()) {
    throw DataError(fmt::format("{}: the file cannot be read or is empty; check its name and permissions", path));
  }
  return content.str();
}

std::vector<AxisSpec> axes_of(const UserKernel& kernel) {
  std::vector<AxisSpec> axes;
  for (const auto& name : kernel.axes) axes.push_back(number_axis(name, "", "of " + kernel.word, {}, 0));
  return axes;
}

Bytes footprint(const UserKernel& kernel, const Point& point) {
  try {
    return device_bytes(kernel.operands(point));
  } catch (const UsageError&) {
    return saturated;  // a count that cannot be worked out; make says why
  }
}

}  // namespace

Benchmark user_kernel(const UserKernelWords& words) {
  const auto kernel = parse_user_kernel(words);
  const auto launcher = cuda_user_launcher(kernel, read_file(kernel.path));
  Benchmark benchmark;
  benchmark.name = kernel.word;
  benchmark.summary = "kernel " + kernel.name + " of " + kernel.path;
  benchmark.backends = {"cuda"};
  benchmark.axes = [kernel](const std::string&) { return axes_of(kernel); };
  benchmark.footprint = [kernel](const Point& point) { return footprint(kernel, point); };
  benchmark.make = [kernel, launcher](Device& device, const Point& point,
                                      const WorkloadOptions& options) -> std::unique_ptr<Workload> {
    check_point(kernel.word, axes_of(kernel), point);
    return std::make_unique<UserWorkload>(device, kernel, point, launcher(device, point), options);
  };
  return benchmark;
}

}  // namespace warpclock
