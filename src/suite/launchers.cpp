// The launcher tables of all backends: one row a backend.
#include "suite/launchers.hpp"

namespace warpclock {

const std::vector<LauncherTable>& launcher_tables() {
  static const std::vector<LauncherTable> tables{cpu_launchers(), sim_launchers()};
  return tables;
}

}  // namespace warpclock
