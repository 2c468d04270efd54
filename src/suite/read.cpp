// read: sums of chunks, so that nearly all traffic is reading and none of it can be left out.
#include <algorithm>
#include <numeric>
#include <vector>

#include "suite/kernels.hpp"
#include "suite/point_check.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t mi = 1 << 20;

std::vector<AxisSpec> axes(const std::string& backend) {
  const auto sizes = backend == "cpu" ? std::vector<std::int64_t>{1024, mi, 4 * mi}
                                      : std::vector<std::int64_t>{1024, mi, 8 * mi, 16 * mi, 128 * mi};
  return {number_axis("n", "elements", "elements of fp32", sizes)};
}

KernelPlan plan(const Point& point) {
  const auto n = static_cast<std::uint64_t>(point.integer("n"));
  const auto chunks = n / read_chunk + (n % read_chunk != 0 ? 1 : 0);
  KernelPlan plan;
  plan.steps = n;
  plan.operands = {{"x", DType::fp32, n, Role::input}, {"sums", DType::fp32, chunks, Role::output}};
  plan.work = {static_cast<double>(n), 4 * static_cast<double>(n), 4 * static_cast<double>(chunks), "fp32"};
  const auto sums = [n](const OperandSet& set, std::uint32_t copy, std::uint64_t first, std::span<double> want) {
    std::vector<double> x(read_chunk);
    for (std::size_t i = 0; i < want.size(); ++i) {
      const auto begin = (first + i) * read_chunk;
      const auto part = std::span(x).first(std::min(read_chunk, n - begin));
      set.initial(0, copy, begin, part);
      want[i] = std::accumulate(part.begin(), part.end(), 0.0);
    }
  };
  plan.references = {{1, 1e-5, sums, 0}};
  return plan;
}

}  // namespace

KernelFamily read_family() { return {"read", "reads n elements and sums them by chunks of 4096", axes, plan}; }

}  // namespace warpclock
