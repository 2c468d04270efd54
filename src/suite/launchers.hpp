// How each backend launches the kernels of the suite: one table a backend.
#pragma once

#include <vector>

#include "suite/kernel.hpp"

namespace warpclock {

[[nodiscard]] LauncherTable cpu_launchers();
/// Every kernel, from its declared work and operands.
[[nodiscard]] LauncherTable sim_launchers();
/// Only in a build that has the CUDA backend (WARPCLOCK_WITH_CUDA).
[[nodiscard]] LauncherTable cuda_launchers();

/// The tables of all backends.
[[nodiscard]] const std::vector<LauncherTable>& launcher_tables();

}  // namespace warpclock
