// gemm: the matmul of a linear layer, y = A B^T.
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "suite/kernels.hpp"
#include "suite/point_check.hpp"
#include "verify/sizes.hpp"

namespace warpclock {
namespace {

// How a compute type is stored, and how far from the exact result it may end up, relative to the scale of y, beside
// what the summation adds: rounding of the products (tf32 keeps 10 bits) and of the result.
struct GemmType {
  const char* name;
  DType in;
  DType out;
  double tolerance;
};

constexpr std::array<GemmType, 5> gemm_types{{
    {"fp32", DType::fp32, DType::fp32, 1e-6},
    {"tf32", DType::fp32, DType::fp32, 1e-2},
    {"fp16", DType::fp16, DType::fp16, 4e-3},
    {"bf16", DType::bf16, DType::bf16, 2e-2},
    {"fp8", DType::fp8, DType::bf16, 4e-2},  // tensor cores sum fp8 products with fewer bits than fp32
}};

const GemmType& gemm_type(const std::string& name) {
  for (const auto& type : gemm_types) {
    if (type.name == name) return type;
  }
  return gemm_types.front();  // make refuses the point by its choices before it gets here
}

// The article's layer for GPUs; a core of a CPU gets a smaller one.
std::vector<AxisSpec> axes(const std::string& backend) {
  const bool cpu = backend == "cpu";
  const std::vector<std::int64_t> m =
      cpu ? std::vector<std::int64_t>{1, 16, 256} : std::vector<std::int64_t>{1, 2, 16, 256, 1024, 2048, 4096};
  std::vector<std::string> types;
  for (const auto& type : gemm_types) types.emplace_back(type.name);
  return {
      number_axis("M", "", "rows of A and y", m),
      number_axis("N", "", "rows of B, columns of y", {cpu ? 1024 : 19456}),
      number_axis("K", "", "columns of A and B", {cpu ? 1024 : 2560}),
      text_axis("dtype", "compute type", std::move(types), cpu ? "fp32" : "bf16"),
  };
}

// Element i of y in double precision.
double dot(const OperandSet& set, std::uint32_t copy, std::uint64_t row, std::uint64_t column, std::uint64_t k) {
  std::vector<double> a(k);
  std::vector<double> b(k);
  set.initial(0, copy, row * k, a);
  set.initial(1, copy, column * k, b);
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Reference reference(std::uint64_t n, std::uint64_t k, const GemmType& type) {
  Reference y;
  y.operand = 2;
  // Sums in fp32: the error grows like a random walk over K steps of 2^-24; eight standard deviations.
  y.tolerance = type.tolerance + 8 * 0x1p-24 * std::sqrt(static_cast<double>(k));
  y.values = [n, k](const OperandSet& set, std::uint32_t copy, std::uint64_t first, std::span<double> want) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      want[i] = dot(set, copy, (first + i) / n, (first + i) % n, k);
    }
  };
  y.sampled = 4096;  // an output of which 1 % is wrong passes with a chance below 1e-17
  return y;
}

KernelPlan plan(const Point& point) {
  const auto size = [&](const char* axis) { return static_cast<std::uint64_t>(point.integer(axis)); };
  const auto m = size("M"), n = size("N"), k = size("K");
  const auto& type = gemm_type(point.text("dtype"));
  KernelPlan plan;
  plan.steps = saturating_mul(saturating_mul(m, n), k);
  plan.operands = {{"A", type.in, saturating_mul(m, k), Role::input},
                   {"B", type.in, saturating_mul(n, k), Role::input},
                   {"y", type.out, saturating_mul(m, n), Role::output}};
  const auto md = static_cast<double>(m), nd = static_cast<double>(n), kd = static_cast<double>(k);
  plan.work.flops = 2 * md * nd * kd;
  plan.work.bytes_read = (md + nd) * kd * static_cast<double>(size_of(type.in));
  plan.work.bytes_written = md * nd * static_cast<double>(size_of(type.out));
  plan.work.compute_type = type.name;
  plan.references = {reference(n, k, type)};
  return plan;
}

}  // namespace

KernelFamily gemm_family() { return {"gemm", "matmul of a linear layer: y[M,N] = A[M,K] B[N,K]^T", axes, plan}; }

}  // namespace warpclock
