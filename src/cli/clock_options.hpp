// What can be said about the device's clocks: --lock-clocks, --lock-memory-clock, --clocks, and the guard's own words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/clock_wish.hpp"

// CLI11 is large; only the files that build or walk the App include it.
namespace CLI {
class App;
}

namespace warpclock::cli {

struct ClockOptions {
  std::optional<ClockWish> sm;      // of the whole run
  std::optional<ClockWish> memory;  // of the whole run
  std::vector<double> sweep_mhz;    // every point once at each of these

  [[nodiscard]] bool any() const { return sm || memory || !sweep_mhz.empty(); }
};

/// Words of the hidden command that undoes a lock when its owner has ended.
struct ClockGuardOptions {
  std::string folder;
  std::string backend;
  std::string identity;
};

void add_clock_options(CLI::App& command, ClockOptions& clocks, const std::string& group);
void add_clock_guard(CLI::App& app, ClockGuardOptions& guard);

/// throws UsageError for clocks that are asked for in two ways
void check(const ClockOptions& clocks);

/// "base", "max" or "1500", in MHz.  throws UsageError naming `flag`
[[nodiscard]] ClockWish parse_clock_wish(const std::string& flag, const std::string& text);
/// "1200,1500,1980" in MHz.  throws UsageError for another shape and for a clock that stands there twice
[[nodiscard]] std::vector<double> parse_clocks(const std::string& text);

}  // namespace warpclock::cli
