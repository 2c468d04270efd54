// What the operating system says about this machine's processor.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.hpp"

namespace warpclock::cpu {

struct CacheFact {
  int level = 0;
  std::string type;  // "Data", "Instruction", "Unified"
  Bytes size = 0;
  std::string source;  // the file or call that said so
};

/// "AMD EPYC 9654 96-Core Processor"; the architecture where the kernel names no model.
[[nodiscard]] std::string cpu_model();
[[nodiscard]] unsigned logical_cores();
/// Caches of core 0 from sysfs; where it shows none, what sysconf knows; empty where neither does.
[[nodiscard]] std::vector<CacheFact> caches();
/// The last cache before memory.
[[nodiscard]] std::optional<CacheFact> last_level_cache();
[[nodiscard]] std::string kernel_release();
/// Frequency governor of core 0; empty where the kernel shows none (virtual machines).
[[nodiscard]] std::string governor();
/// "tsc", "kvm-clock": what stands behind the steady clock; empty where it is not shown.
[[nodiscard]] std::string clock_source();

}  // namespace warpclock::cpu
