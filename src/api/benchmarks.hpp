// The registered benchmarks as the rest of the program knows them.
#pragma once

#include <deque>
#include <vector>

#include "api/declared.hpp"
#include "device/benchmark.hpp"

namespace warpclock {

/// One Benchmark for each declaration.
///   taken   names of other benchmarks of the program
///   throws  UsageError with name and source line for a name that is empty, not unique or taken, an axis without values
///           or declared twice, an unknown backend
[[nodiscard]] std::vector<Benchmark> benchmarks_of(const std::deque<Registration::Declared>& all,
                                                   const std::vector<std::string>& taken);

}  // namespace warpclock
