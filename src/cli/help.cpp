#include "cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/exit_codes.hpp"

namespace warpclock::cli {
namespace {

constexpr std::size_t width = 100;
constexpr std::size_t indent = 26;  // where the text of an option starts

OptionText text_of(const CLI::Option& option) {
  OptionText out;
  if (option.get_positional()) {
    out.usage = option.get_type_name() + "...";
  } else {
    for (const auto& name : option.get_snames()) out.usage += "-" + name + ", ";
    for (const auto& name : option.get_lnames()) out.usage += "--" + name;
    if (option.get_items_expected_max() > 0) out.usage += " " + option.get_type_name();
  }
  out.text = option.get_description();
  out.default_text = option.get_default_str();
  return out;
}

/// `text` filled into lines that start at `indent`; the first line goes on behind `head`.
std::string filled(const std::string& head, const std::string& text) {
  std::string out = "  " + head;
  std::size_t column = out.size();
  if (column + 2 > indent) {
    out += "\n" + std::string(indent, ' ');
  } else {
    out += std::string(indent - column, ' ');
  }
  column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string commands_text(const CLI::App& app) {
  std::string out = "\nCommands (each has its own --help):\n";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) out += filled(command->get_name(), command->get_description());
  }
  return out;
}

std::string exit_codes_text() {
  std::string out = "\nExit codes:\n";
  for (const auto& [code, text] : exit_codes()) out += filled(std::to_string(code), text);
  return out;
}

std::string examples_text() {
  std::string out = "\nExamples:\n";
  for (const auto& [line, text] : examples()) out += fmt::format("  {}\n      {}\n", line, text);
  return out;
}

bool takes_kernels(const CLI::App& command) {
  const auto options = command.get_options();
  return std::ranges::any_of(options, [](const CLI::Option* option) {
    return option->get_positional() && option->get_type_name() == "KERNEL";
  });
}

}  // namespace

std::vector<std::pair<std::string, std::vector<OptionText>>> option_groups(const CLI::App& command) {
  std::vector<std::pair<std::string, std::vector<OptionText>>> groups;
  std::vector<const CLI::Option*> options = command.get_options();
  // CLI11 adds --help before anything else; it is the least interesting.
  std::stable_partition(options.begin(), options.end(),
                        [&](const CLI::Option* option) { return option != command.get_help_ptr(); });
  for (const auto* option : options) {
    const std::string name = option->get_group();
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == name; });
    if (at == groups.end()) at = groups.insert(groups.end(), {name, {}});
    at->second.push_back(text_of(*option));
  }
  return groups;
}

const std::vector<std::pair<std::string, std::string>>& examples() {
  static const std::vector<std::pair<std::string, std::string>> lines{
      {"warpclock run", "a table of matrix multiplications on the GPU, or on the CPU where there is none"},
      {"warpclock run gemm --device cpu --axis M=1,16 --axis N=256 --axis K=256 --json result.json",
       "two points on the CPU, with every sample in a file"},
      {"warpclock run add copy --axis n=2^10..2^24 --cache warm --filter 'n=(1024|1048576)$'",
       "two kernels, of each the two sizes that the filter finds, operands left in the cache"},
      {"warpclock run add --device sim", "the same pipeline on a simulated GPU, in virtual time"},
  };
  return lines;
}

std::string help_text(const CLI::App& command) {
  const bool whole = command.get_parent() == nullptr;
  std::string out = command.get_description() + "\n\nUsage: warpclock ";
  if (whole) {
    out += "COMMAND [OPTIONS]\n" + commands_text(command);
  } else {
    out += command.get_name() + (takes_kernels(command) ? " [KERNEL...]" : "") + " [OPTIONS]\n";
  }
  for (const auto& [name, options] : option_groups(command)) {
    out += "\n" + name + ":\n";
    for (const auto& option : options) {
      const std::string tail = option.default_text.empty() ? "" : " [default: " + option.default_text + "]";
      out += filled(option.usage, option.text + tail);
    }
  }
  if (whole || command.get_name() == "run") out += examples_text();
  return out + exit_codes_text();
}

}  // namespace warpclock::cli
