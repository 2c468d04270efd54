// rmsnorm and softmax: each row of a matrix by itself.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "suite/kernels.hpp"
#include "suite/point_check.hpp"
#include "verify/sizes.hpp"

namespace warpclock {
namespace {

std::vector<AxisSpec> axes(const std::string& backend) {
  const bool cpu = backend == "cpu";
  const auto rows = cpu ? std::vector<std::int64_t>{1, 256} : std::vector<std::int64_t>{1, 256, 4096};
  return {number_axis("rows", "", "rows of x and y", rows),
          number_axis("cols", "", "columns of x and y", {cpu ? 1024 : 4096})};
}

struct Shape {
  std::uint64_t rows;
  std::uint64_t cols;
  [[nodiscard]] std::uint64_t count() const { return saturating_mul(rows, cols); }
  [[nodiscard]] double elements() const { return static_cast<double>(rows) * static_cast<double>(cols); }
};

Shape shape_of(const Point& point) {
  return {static_cast<std::uint64_t>(point.integer("rows")), static_cast<std::uint64_t>(point.integer("cols"))};
}

// Reference values of a kernel that turns a row of x into a row of y: all rows that `want` touches, cut to it.
using RowFunction = std::function<void(const OperandSet&, std::uint32_t copy, std::span<double> row)>;

auto by_rows(std::uint64_t cols, RowFunction transform) {
  return [cols, transform = std::move(transform)](const OperandSet& set, std::uint32_t copy, std::uint64_t first,
                                                  std::span<double> want) {
    std::vector<double> row(cols);
    for (std::uint64_t done = 0; done < want.size();) {
      const auto index = first + done;
      const auto column = index % cols;
      const auto count = std::min(cols - column, want.size() - done);
      set.initial(0, copy, index - column, row);
      transform(set, copy, row);
      std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(column), count,
                  want.begin() + static_cast<std::ptrdiff_t>(done));
      done += count;
    }
  };
}

void rmsnorm_row(const OperandSet& set, std::uint32_t copy, std::span<double> row) {
  std::vector<double> w(row.size());
  set.initial(1, copy, 0, w);
  const double squares = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  const double factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + static_cast<double>(rmsnorm_epsilon));
  for (std::size_t i = 0; i < row.size(); ++i) row[i] *= factor * w[i];
}

void softmax_row(const OperandSet&, std::uint32_t, std::span<double> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  for (auto& value : row) value = std::exp(value - largest);
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (auto& value : row) value /= sum;
}

KernelPlan plan_rmsnorm(const Point& point) {
  const auto shape = shape_of(point);
  const double n = shape.elements();
  KernelPlan plan;
  plan.steps = shape.count();
  plan.operands = {{"x", DType::fp32, shape.count(), Role::input},
                   {"w", DType::fp32, shape.cols, Role::input},
                   {"y", DType::fp32, shape.count(), Role::output}};
  // A square, a sum and two products an element.
  plan.work = {4 * n, 4 * (n + static_cast<double>(shape.cols)), 4 * n, "fp32"};
  plan.references = {{2, 1e-5, by_rows(shape.cols, rmsnorm_row), 0}};
  return plan;
}

KernelPlan plan_softmax(const Point& point) {
  const auto shape = shape_of(point);
  const double n = shape.elements();
  KernelPlan plan;
  plan.steps = shape.count();
  plan.operands = {{"x", DType::fp32, shape.count(), Role::input}, {"y", DType::fp32, shape.count(), Role::output}};
  // A maximum, a difference, an exponential, a sum and a product an element.
  plan.work = {5 * n, 4 * n, 4 * n, "fp32"};
  plan.references = {{1, 1e-5, by_rows(shape.cols, softmax_row), 0}};
  return plan;
}

}  // namespace

KernelFamily rmsnorm_family() {
  return {"rmsnorm", "each row over its root mean square, times a weight", axes, plan_rmsnorm};
}

KernelFamily softmax_family() { return {"softmax", "softmax of each row", axes, plan_softmax}; }

}  // namespace warpclock
