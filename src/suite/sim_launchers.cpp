// How the simulated device launches the kernels of the suite: by their declared work and operands alone.
#include <algorithm>

#include "backends/sim/device.hpp"
#include "suite/launchers.hpp"

namespace warpclock {
namespace {

// Drawn power: a kernel that only moves memory takes 0.3 of the limit, one that keeps the arithmetic units busy all of
// it.
double power_of(const Work& work, const sim::SimConfig& config) {
  double flops_per_second = 0;
  for (const auto& rate : config.compute) {
    if (rate.type != work.compute_type) continue;
    flops_per_second = rate.flops_per_clock * config.multiprocessors * config.nominal_clock_mhz * 1e6;
  }
  if (flops_per_second <= 0) return 0.3;
  const double compute = work.flops / flops_per_second;
  const double memory = work.bytes() / config.memory_bandwidth;
  return 0.3 + 0.7 * compute / std::max({compute, memory, 1e-12});
}

void add_operand(sim::SimKernel& kernel, const Operand& operand) {
  const auto use = [&](sim::Access access) {
    auto used = sim::operand(*operand.buffer, access);
    used.bytes = operand.bytes();  // the guard bands are not touched
    kernel.operands.push_back(used);
  };
  if (operand.role != Role::output) use(sim::Access::read);
  if (operand.role != Role::input) use(sim::Access::write);
}

Launcher make(const std::string& name, Device& device, const Work& work) {
  sim::SimKernel kernel;
  kernel.name = name;
  kernel.flops = work.flops;
  if (!work.compute_type.empty()) kernel.compute_type = work.compute_type;
  kernel.power = power_of(work, dynamic_cast<sim::SimDevice&>(device).config());
  return [kernel](Stream& stream, std::span<const Operand> operands) {
    auto launched = kernel;
    for (const auto& operand : operands) add_operand(launched, operand);
    dynamic_cast<sim::SimStream&>(stream).launch(launched);
  };
}

}  // namespace

LauncherTable sim_launchers() {
  LauncherTable table{"sim", {}};
  for (const char* name : {"gemm", "add", "copy", "read", "fill", "scale", "rmsnorm", "softmax"}) {
    table.rows.push_back(
        {name, [name](Device& device, const Point&, const KernelPlan& plan) { return make(name, device, plan.work); }});
  }
  return table;
}

}  // namespace warpclock
