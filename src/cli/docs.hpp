// docs/cli.md, made from the same App that parses; a test compares the committed page with it.
#pragma once

#include <string>

// CLI11 is large; only the files that build or walk the App include it.
namespace CLI {
class App;
}

namespace warpclock::cli {

[[nodiscard]] std::string docs_text(const CLI::App& app);

}  // namespace warpclock::cli
