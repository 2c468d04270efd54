// The launcher tables of all backends: one row a backend.
#include "suite/launchers.hpp"

namespace warpclock {

const std::vector<LauncherTable>& launcher_tables() {
  static const std::vector<LauncherTable> tables{
#ifdef WARPCLOCK_WITH_CUDA
      cuda_launchers(),
#endif
      cpu_launchers(),
      sim_launchers(),
  };
  return tables;
}

}  // namespace warpclock
