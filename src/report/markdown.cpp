#include "report/markdown.hpp"

#include <fmt/format.h>

#include <string_view>

#include "report/sections.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

/// Kernel names are full of characters that mean something here: "add<float, 4>", "a*b", "x_y_z", "a|b".
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    constexpr std::string_view special = "\\`*_[]|#~";
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (special.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string table(const Section& section) {
  std::string head = "|", rule = "|", out;
  for (const auto& column : section.columns) {
    const auto unit = escaped(column.unit.substr(0, column.unit.find_last_not_of(' ') + 1));
    head += fmt::format(" {}{}{} |", escaped(column.name), unit.empty() ? "" : ", ", unit);
    rule += column.left ? " :-- |" : " --: |";
  }
  out = head + '\n' + rule + '\n';
  for (std::size_t row = 0; row < section.rows.size(); ++row) {
    out += '|';
    for (const auto& column : section.columns) {
      const bool shown =
          section.rows[row].has_figures || column.kind == Column::Kind::axis || column.kind == Column::Kind::status;
      auto cell = shown ? escaped(column.cells[row]) : "";
      if (column.kind == Column::Kind::headline && shown) cell = fmt::format("**{}**", cell);
      if (column.kind == Column::Kind::status && !section.rows[row].error.empty()) {
        cell += ": " + escaped(section.rows[row].error);
      }
      out += fmt::format(" {}{}|", cell, cell.empty() ? "" : " ");
    }
    out += '\n';
  }
  return out;
}

std::string notes(const Section& section) {
  std::string out;
  for (std::size_t i = 0; i < section.notes.size(); ++i) {
    const auto& note = section.notes[i];
    out += fmt::format("{}. {} **{}**: {}", i + 1, to_string(note.severity), escaped(note.id), escaped(note.message));
    const auto points = listed(note.points);
    if (!points.empty()) out += " (" + escaped(points) + ")";
    if (!note.remedy.empty()) out += "<br>" + escaped(note.remedy);
    out += '\n';
  }
  return out;
}

std::string environment_list(const Environment& environment) {
  std::string out;
  const auto line = [&](std::string_view name, const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::string words;
    for (const auto& [key, value] : pairs) words += (words.empty() ? "" : ", ") + escaped(key + ' ' + value);
    if (!words.empty()) out += fmt::format("- {}: {}\n", name, words);
  };
  line("device", environment.device);
  line("host", environment.host);
  line("versions", environment.versions);
  line("settings", environment.settings);
  line("variables", environment.variables);
  if (!environment.started_utc.empty()) out += "- started: " + escaped(environment.started_utc) + '\n';
  return out;
}

}  // namespace

std::string markdown(const Environment& environment, std::span<const Result> results) {
  std::string out = environment_list(environment);
  if (results.empty()) out += out.empty() ? "no results\n" : "\nno results\n";
  for (const auto& section : sections(results)) {
    out += fmt::format("{}## {}\n\n", out.empty() ? "" : "\n", escaped(section.benchmark));
    if (!section.fixed.empty()) out += escaped(section.fixed) + "  \n";
    for (const auto& line : section.conditions) out += escaped(line) + "  \n";
    if (!section.fixed.empty() || !section.conditions.empty()) out += '\n';
    out += table(section);
    const auto list = notes(section);
    if (!list.empty()) out += '\n' + list;
  }
  return out;
}

}  // namespace warpclock::report
