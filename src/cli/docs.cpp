#include "cli/docs.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/exit_codes.hpp"
#include "cli/help.hpp"
#include "plan/settings.hpp"

namespace warpclock::cli {
namespace {

/// A bar would end the cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string options_table(const std::vector<OptionText>& options) {
  std::string out = "| option | what it does | default |\n|---|---|---|\n";
  for (const auto& option : options) {
    const std::string value = option.default_text.empty() ? "" : "`" + option.default_text + "`";
    out += fmt::format("| `{}` | {} | {} |\n", cell(option.usage), cell(option.text), cell(value));
  }
  return out;
}

std::string command_section(const CLI::App& command) {
  std::string out = fmt::format("\n## warpclock {}\n\n{}\n", command.get_name(), command.get_description());
  for (const auto& [name, options] : option_groups(command)) {
    out += fmt::format("\n**{}**\n\n{}", name, options_table(options));
  }
  return out;
}

std::string settings_section() {
  std::string out =
      "\n## Settings\n\nEach is one row of a table in the program (src/plan/settings.cpp); the flag, the key in the "
      "JSON "
      "result and\nthe key in Python come from that row.\n\n"
      "| flag | JSON key | unit | range | default | why this default |\n|---|---|---|---|---|---|\n";
  for (const auto& row : settings()) {
    out += fmt::format("| `{}` | `{}` | {} | {} | `{}` | {} |\n", row.flag(), row.key(), cell(row.unit),
                       cell(row.range), cell(row.default_text), cell(row.source));
  }
  return out;
}

}  // namespace

std::string docs_text(const CLI::App& app) {
  std::string out = "# Command line\n\nThis page is printed by `warpclock docs`; a test compares the two.\n\n" +
                    app.get_description() + "\n";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) out += command_section(*command);
  }
  out += settings_section() + "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const auto& [code, text] : exit_codes()) out += fmt::format("| {} | {} |\n", static_cast<int>(code), text);
  out += "\nEvery error is one line on stderr that starts with `warpclock:`.\n\n## Examples\n";
  for (const auto& [line, text] : examples()) out += fmt::format("\n```\n{}\n```\n{}\n", line, text);
  return out;
}

}  // namespace warpclock::cli
