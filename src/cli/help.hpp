// The text of --help, made from the same App that parses.
#pragma once

#include <string>
#include <utility>
#include <vector>

// CLI11 is large; only the files that build or walk the App include it.
namespace CLI {
class App;
}

namespace warpclock::cli {

/// One option as help and docs show it.
struct OptionText {
  std::string usage;  // "--max-time TIME", "-q, --quiet", "KERNEL..."
  std::string text;   // description
  std::string default_text;
};

/// Groups of options in the order in which they were declared, each with its options.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<OptionText>>> option_groups(const CLI::App& command);

/// Examples that work, with what they do.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& examples();

/// Help of the whole program, or of one of its commands.
[[nodiscard]] std::string help_text(const CLI::App& command);

}  // namespace warpclock::cli
