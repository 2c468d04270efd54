#include "cli/clock_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "core/errors.hpp"
#include "plan/quantities.hpp"

namespace warpclock::cli {

ClockWish parse_clock_wish(const std::string& flag, const std::string& text) {
  if (text == "base") return {ClockWish::Kind::base, 0};
  if (text == "max") return {ClockWish::Kind::max, 0};
  const auto mhz = read_number(text);
  if (mhz && *mhz > 0) return {ClockWish::Kind::mhz, *mhz};
  throw UsageError(fmt::format("{}: '{}' is no clock; write max or MHz, as in {} 1500", flag, text, flag));
}

std::vector<double> parse_clocks(const std::string& text) {
  std::vector<double> clocks;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto mhz = read_number(word);
    if (!mhz || *mhz <= 0) {
      throw UsageError(fmt::format("--clocks: '{}' is no clock in MHz; write --clocks 1200,1500,1980", word));
    }
    if (std::ranges::find(clocks, *mhz) != clocks.end()) {
      throw UsageError(fmt::format("--clocks: {} stands there twice", word));
    }
    clocks.push_back(*mhz);
  }
  if (clocks.empty()) throw UsageError("--clocks: no clock; write --clocks 1200,1500,1980 (MHz)");
  return clocks;
}

void check(const ClockOptions& clocks) {
  if (clocks.sm && !clocks.sweep_mhz.empty()) {
    throw UsageError("--clocks and --lock-clocks both lock the SM clock; leave one of them out");
  }
}

void add_clock_options(CLI::App& command, ClockOptions& clocks, const std::string& group) {
  const auto add = [&](const std::string& flag, const std::string& placeholder, const std::string& help,
                       const std::function<void(const std::string&)>& take) {
    command.add_option_function<std::string>(flag, take, help)->type_name(placeholder)->group(group);
  };
  add("--lock-clocks", "base|max|MHZ", "lock the SM clock for this run, as far as permitted; undone at its end",
      [&clocks](const std::string& text) { clocks.sm = parse_clock_wish("--lock-clocks", text); });
  add("--lock-memory-clock", "max|MHZ", "lock the memory clock for this run, as far as permitted",
      [&clocks](const std::string& text) {
        if (text == "base") throw UsageError("--lock-memory-clock: the memory has no base clock; write max or MHz");
        clocks.memory = parse_clock_wish("--lock-memory-clock", text);
      });
  add("--clocks", "MHZ,MHZ,...", "every point once at each of these locked SM clocks, and latency over clock",
      [&clocks](const std::string& text) { clocks.sweep_mhz = parse_clocks(text); });
}

void add_clock_guard(CLI::App& app, ClockGuardOptions& guard) {
  auto& command = *app.add_subcommand("clock-guard", "undo a clock lock once its owner has ended")->group("");
  command.add_option("--folder", guard.folder)->required();
  command.add_option("--backend", guard.backend)->required();
  command.add_option("--identity", guard.identity)->required();
}

}  // namespace warpclock::cli
