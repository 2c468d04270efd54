// How the CPU launches the kernels of the suite.
#include <utility>

#include "backends/cpu/device.hpp"
#include "suite/cpu_kernels.hpp"
#include "suite/launchers.hpp"

namespace warpclock {
namespace {

const float* in(const Operand& operand) { return static_cast<const float*>(operand.address); }
float* out(const Operand& operand) { return static_cast<float*>(operand.address); }

// A row whose task is `run(operands)`, on the worker. The operands stay where they are as long as their workload lives.
template <typename Run>
LauncherRow row(const std::string& kernel, Run run) {
  return {kernel, [kernel, run](Device&, const Point&, const KernelPlan&) -> Launcher {
            return [kernel, run](Stream& stream, std::span<const Operand> operands) {
              static_cast<cpu::CpuStream&>(stream).launch(kernel, [run, operands] { run(operands); });
            };
          }};
}

// The same for kernels on rows: the width of a row is the length of a weight, or comes from the point.
template <typename Run>
LauncherRow matrix_row(const std::string& kernel, Run run) {
  return {kernel, [kernel, run](Device&, const Point& point, const KernelPlan&) -> Launcher {
            const auto rows = static_cast<std::uint64_t>(point.integer("rows"));
            const auto cols = static_cast<std::uint64_t>(point.integer("cols"));
            return [=](Stream& stream, std::span<const Operand> operands) {
              static_cast<cpu::CpuStream&>(stream).launch(kernel, [=] { run(operands, rows, cols); });
            };
          }};
}

LauncherRow gemm_row() {
  return {"gemm", [](Device&, const Point& point, const KernelPlan&) -> Launcher {
            const auto size = [&](const char* axis) { return static_cast<std::uint64_t>(point.integer(axis)); };
            return [m = size("M"), n = size("N"), k = size("K")](Stream& stream, std::span<const Operand> o) {
              static_cast<cpu::CpuStream&>(stream).launch("gemm",
                                                          [=] { cpu::gemm(in(o[0]), in(o[1]), out(o[2]), m, n, k); });
            };
          }};
}

}  // namespace

LauncherTable cpu_launchers() {
  using Operands = std::span<const Operand>;
  return {
      "cpu",
      {
          gemm_row(),
          row("add", [](Operands o) { cpu::add(in(o[0]), in(o[1]), out(o[2]), o[2].count); }),
          row("copy", [](Operands o) { cpu::copy(in(o[0]), out(o[1]), o[1].count); }),
          row("read", [](Operands o) { cpu::read(in(o[0]), out(o[1]), o[0].count); }),
          row("fill", [](Operands o) { cpu::fill(out(o[0]), o[0].count); }),
          row("scale", [](Operands o) { cpu::scale(out(o[0]), o[0].count); }),
          matrix_row("rmsnorm", [](Operands o, std::uint64_t rows,
                                   std::uint64_t cols) { cpu::rmsnorm(in(o[0]), in(o[1]), out(o[2]), rows, cols); }),
          matrix_row("softmax", [](Operands o, std::uint64_t rows,
                                   std::uint64_t cols) { cpu::softmax(in(o[0]), out(o[1]), rows, cols); }),
      }};
}

}  // namespace warpclock
