// add, copy, fill, scale: one value in, one value out.
#include <algorithm>
#include <vector>

#include "suite/kernels.hpp"
#include "suite/point_check.hpp"
#include "verify/sizes.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t mi = 1 << 20;

std::vector<AxisSpec> axes(const std::string& backend) {
  const auto sizes = backend == "cpu" ? std::vector<std::int64_t>{1024, mi, 4 * mi}
                                      : std::vector<std::int64_t>{1024, mi, 16 * mi, 128 * mi};
  return {number_axis("n", "elements", "elements of fp32", sizes)};
}

std::uint64_t size_of_point(const Point& point) { return static_cast<std::uint64_t>(point.integer("n")); }

Work work(std::uint64_t n, double flops, double reads, double writes) {
  const auto count = static_cast<double>(n);
  return {flops * count, 4 * reads * count, 4 * writes * count, flops > 0 ? "fp32" : ""};
}

KernelPlan plan_add(const Point& point) {
  const auto n = size_of_point(point);
  KernelPlan plan;
  plan.steps = n;
  plan.operands = {
      {"x", DType::fp32, n, Role::input}, {"y", DType::fp32, n, Role::input}, {"z", DType::fp32, n, Role::output}};
  plan.work = work(n, 1, 2, 1);
  const auto sum = [](const OperandSet& set, std::uint32_t copy, std::uint64_t first, std::span<double> want) {
    std::vector<double> y(want.size());
    set.initial(0, copy, first, want);
    set.initial(1, copy, first, y);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += y[i];
  };
  plan.references = {{2, 1e-6, sum, 0}};
  return plan;
}

KernelPlan plan_copy(const Point& point) {
  const auto n = size_of_point(point);
  KernelPlan plan;
  plan.steps = n;
  plan.operands = {{"x", DType::fp32, n, Role::input}, {"y", DType::fp32, n, Role::output}};
  plan.work = work(n, 0, 1, 1);
  const auto same = [](const OperandSet& set, std::uint32_t copy, std::uint64_t first, std::span<double> want) {
    set.initial(0, copy, first, want);
  };
  plan.references = {{1, 0, same, 0}};
  return plan;
}

KernelPlan plan_fill(const Point& point) {
  const auto n = size_of_point(point);
  KernelPlan plan;
  plan.steps = n;
  plan.operands = {{"y", DType::fp32, n, Role::output}};
  plan.work = work(n, 0, 0, 1);
  const auto constant = [](const OperandSet&, std::uint32_t, std::uint64_t, std::span<double> want) {
    std::fill(want.begin(), want.end(), static_cast<double>(fill_value));
  };
  plan.references = {{0, 0, constant, 0}};
  return plan;
}

KernelPlan plan_scale(const Point& point) {
  const auto n = size_of_point(point);
  KernelPlan plan;
  plan.steps = n;
  plan.operands = {{"x", DType::fp32, n, Role::inout}};
  plan.work = work(n, 1, 1, 1);
  const auto doubled = [](const OperandSet& set, std::uint32_t copy, std::uint64_t first, std::span<double> want) {
    set.initial(0, copy, first, want);
    for (auto& value : want) value *= 2;
  };
  plan.references = {{0, 0, doubled, 0}};
  return plan;
}

}  // namespace

KernelFamily add_family() { return {"add", "z = x + y over n elements", axes, plan_add}; }
KernelFamily copy_family() { return {"copy", "y = x over n elements", axes, plan_copy}; }
KernelFamily fill_family() { return {"fill", "writes a constant to n elements", axes, plan_fill}; }
KernelFamily scale_family() { return {"scale", "x = 2 x in place over n elements", axes, plan_scale}; }

}  // namespace warpclock
