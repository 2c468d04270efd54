// The built-in benchmarks: one row each.
#include "suite/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "suite/kernels.hpp"

namespace warpclock {

const std::vector<Benchmark>& suite() {
  static const std::vector<Benchmark> rows{
      benchmark_of(gemm_family()),
      benchmark_of(add_family()),
      benchmark_of(copy_family()),
      benchmark_of(read_family()),
      benchmark_of(fill_family()),
      benchmark_of(scale_family()),
      benchmark_of(rmsnorm_family()),
      benchmark_of(softmax_family()),
      empty_oracle(),
      spin_oracle(),
      cycles_oracle(),
      chain_oracle(),
  };
  return rows;
}

const Benchmark& find_benchmark(const std::string& name) {
  const auto& rows = suite();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Benchmark& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  std::string names;
  for (const auto& row : rows) names += (names.empty() ? "" : ", ") + row.name;
  throw UsageError(fmt::format("there is no benchmark '{}'; there are {}", name, names));
}

}  // namespace warpclock
