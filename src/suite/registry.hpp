// The built-in benchmarks.
#pragma once

#include <vector>

#include "device/benchmark.hpp"

namespace warpclock {

/// All built-in benchmarks, in the order in which they are listed: kernels, then oracles, whose time is known.
[[nodiscard]] const std::vector<Benchmark>& suite();

/// The benchmark called `name`.  throws UsageError that names all there are
[[nodiscard]] const Benchmark& find_benchmark(const std::string& name);

}  // namespace warpclock
