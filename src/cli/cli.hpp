// The program without its process: words in, text and an exit code out.
#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "cli/exit_codes.hpp"
#include "device/benchmark.hpp"
#include "run/environment.hpp"

namespace warpclock::cli {

/// Everything that the program takes from the process around it. Tests put their own in.
struct CliEnvironment {
  std::vector<Backend> backends;
  std::vector<Benchmark> suite;
  std::vector<std::string> default_kernels = {"gemm"};  // what `run` measures when none is named
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  unsigned columns = 100;  // width of the terminal behind err
  VariableLookup variable = process_variable;
  std::function<bool()> interrupted = [] { return false; };
  std::function<Nanoseconds()> now = [] { return Nanoseconds{0}; };  // monotonic; for the ETA alone
  std::chrono::system_clock::time_point started;
  std::string ceilings_folder;  // empty: ceilings are measured and not kept
  std::string database;         // where results are kept unless --db names another file; empty: nowhere
  std::string program =
      "/proc/self/exe";      // the file that measures; a resumed run must be the same one, and ncu runs it
  std::string state_folder;  // where clock locks are written down; empty: none is set that outlives the process
};

/// Built-in backends and suite, and the state of this process.
[[nodiscard]] CliEnvironment process_environment();

/// Runs one command line, without the program's own name in front. Throws nothing: errors are one line on `err`.
[[nodiscard]] int run_cli(const std::vector<std::string>& words, std::ostream& out, std::ostream& err,
                          const CliEnvironment& environment);

}  // namespace warpclock::cli
