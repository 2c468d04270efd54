// What can be said on the command line. CLI11's App is built once, from here: parsing, --help and docs/cli.md follow.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/clock_options.hpp"
#include "cli/results_options.hpp"
#include "device/device.hpp"
#include "plan/axis_values.hpp"
#include "plan/protocol.hpp"
#include "suite/user_kernel_words.hpp"

// CLI11 is large; only the files that build or walk the App include it.
namespace CLI {
class App;
}

namespace warpclock::cli {

struct RunOptions {
  std::vector<std::string> kernels;  // empty: the default table
  std::string device;                // empty: the first GPU that works, else the CPU
  std::vector<AxisOverride> axes;
  std::string filter;
  std::map<std::string, std::string> files;  // by format: a path, or "-" for stdout
  bool quiet = false;
  std::string color = "auto";
  bool dry_run = false;
  std::vector<Peak> peaks;
  bool lock = true;  // no other warpclock on the same GPU meanwhile
  bool ceilings = true;
  ClockOptions clocks;
  UserKernelWords own_kernel;      // its source is empty: the kernels of a file stand among the others
  std::string db;                  // empty: the default one; "none"
  bool resume = false;             // go on with the last run of the same plan
  std::vector<std::string> words;  // the whole command line, for the list of runs
  Protocol protocol;
};

struct ProfileOptions {
  RunOptions run;  // the points and their operands; what is about timing stays at its default
  std::uint32_t warmup = 5;
  std::uint32_t calls = 1;
  bool flush = false;
};

struct CrosscheckOptions {
  RunOptions run;
  std::string ncu;       // its path; empty: looked for
  std::string ncu_args;  // further words for it, as typed
  std::uint32_t warmup = 5;
  std::uint32_t repeat = 5;
  std::string json;  // a path, or "-" for stdout; empty: none
};

struct ListOptions {
  std::string device;  // empty: defaults of every backend
  bool json = false;
};

struct DevicesOptions {
  bool json = false;
};

struct SelftestOptions {
  std::string device;
  std::string color = "auto";
};

struct Options {
  RunOptions run;
  ProfileOptions profile;
  CrosscheckOptions crosscheck;
  ListOptions list;
  DevicesOptions devices;
  SelftestOptions selftest;
  ResultsOptions results;
  ClockGuardOptions clock_guard;
};

/// The whole command line, writing what it parses into `options`, which must outlive it.
[[nodiscard]] std::unique_ptr<CLI::App> build_app(Options& options);

/// The settings that `profile` takes: those that decide which operands a call has.
[[nodiscard]] const std::vector<std::string>& operand_settings();

/// "memory=4800" (GB/s) or "bf16=989" (TFLOP/s).  throws UsageError for another shape, or a value that is not above 0
[[nodiscard]] Peak parse_peak(const std::string& text);

/// Parses `words`; the subcommand that was named.
///   throws UsageError for what cannot be understood, with the nearest word; CLI::CallForHelp and CLI::CallForVersion
[[nodiscard]] const CLI::App& parse(CLI::App& app, const std::vector<std::string>& words);

}  // namespace warpclock::cli
