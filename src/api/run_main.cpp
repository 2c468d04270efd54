#include <iostream>
#include <string>
#include <vector>
#include <warpclock/main.hpp>

#include "api/benchmarks.hpp"
#include "cli/cli.hpp"
#include "cli/handshake.hpp"
#include "cli/interrupts.hpp"
#include "core/errors.hpp"

namespace warpclock {
namespace {

std::vector<std::string> names_of(const std::vector<Benchmark>& benchmarks) {
  std::vector<std::string> names;
  for (const auto& benchmark : benchmarks) names.push_back(benchmark.name);
  return names;
}

}  // namespace

int run_main(int argc, char** argv) {
  const cli::SignalGuard signals;
  auto environment = cli::process_environment();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  try {
    const auto own = benchmarks_of(declared(), names_of(environment.suite));
    environment.default_kernels = names_of(own);
    environment.suite.insert(environment.suite.begin(), own.begin(), own.end());
  } catch (const UsageError& error) {
    std::cerr << "warpclock: " << error.what() << std::endl;
    return cli::ExitCode::usage;
  }
  if (words == std::vector<std::string>{cli::handshake_word}) {
    std::cout << cli::handshake_text(environment.default_kernels) << std::endl;
    return std::cout.good() ? cli::ExitCode::ok : cli::ExitCode::refused;
  }
  return cli::run_cli(words, std::cout, std::cerr, environment);
}

}  // namespace warpclock
