#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "report/sections.hpp"
#include "report/utf8.hpp"
#include "report/writer.hpp"

namespace warpclock::report {
namespace {

/// Width of every column; a row whose figures an error replaces does not count beyond its axes.
std::vector<std::size_t> widths(const Section& section) {
  std::vector<std::size_t> out;
  for (const auto& column : section.columns) {
    auto widest = std::max(width(column.name), width(column.unit));
    for (std::size_t row = 0; row < section.rows.size(); ++row) {
      const bool counts = section.rows[row].has_figures || column.kind == Column::Kind::axis;
      if (counts) widest = std::max(widest, width(column.cells[row]));
    }
    out.push_back(widest);
  }
  return out;
}

Tone status_tone(const Row& row) {
  if (row.status == Status::failed || row.status == Status::wrong) return Tone::bad;
  return row.status != Status::ok || row.has_warning ? Tone::warn : Tone::good;
}

void put_row(Writer& out, const Section& section, std::size_t row, const std::vector<std::size_t>& wide) {
  const auto& about = section.rows[row];
  out.put(gap);
  std::size_t column_at = gap.size();
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    const auto& column = section.columns[i];
    if (!about.has_figures && column.kind != Column::Kind::axis) {
      const auto& status = section.columns.back().cells[row];
      out.wrapped(about.error.empty() ? status : status + ": " + about.error, column_at, column_at, status_tone(about));
      return;
    }
    const auto tone = column.kind == Column::Kind::headline ? Tone::bold
                      : column.kind == Column::Kind::status ? status_tone(about)
                                                            : Tone::plain;
    out.put(padded(column.cells[row], wide[i], column.left), tone);
    out.put(gap);
    column_at += wide[i] + gap.size();
  }
  out.end_line();
}

/// Errors of rows that do have figures (a wrong result, an interrupted point) need a line of their own.
void put_errors(Writer& out, const Section& section) {
  for (const auto& row : section.rows) {
    if (!row.has_figures || row.error.empty()) continue;
    const auto head = fmt::format("  {}{}{}: ", to_string(row.status), row.point.empty() ? "" : " ", row.point);
    out.put(head, status_tone(row));
    out.wrapped(row.error, width(head), 6);
  }
}

void put_notes(Writer& out, const Section& section) {
  for (std::size_t i = 0; i < section.notes.size(); ++i) {
    const auto& note = section.notes[i];
    const bool warning = note.severity == Finding::Severity::warning;
    const auto head = fmt::format("  [{}] {} {}: ", i + 1, to_string(note.severity), note.id);
    const auto points = listed(note.points);
    out.put(head, warning ? Tone::warn : Tone::dim);
    out.wrapped(note.message + (points.empty() ? "" : "  (" + points + ")"), width(head), 6);
    if (note.remedy.empty()) continue;
    out.put("      -> ");
    out.wrapped(note.remedy, 9, 9);
  }
}

/// What a reader of the table needs of the environment; JSON has all of it.
void put_environment(Writer& out, const Environment& environment) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const auto line = [&](std::string_view name, const Pairs& pairs, std::initializer_list<std::string_view> keys) {
    std::string words;
    for (const auto& [key, value] : pairs) {
      if (keys.size() != 0 && std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
      const bool plain = key == "id" || key == "name" || key == "cpu";
      words += (words.empty() ? "" : ", ") + one_line(plain ? value : key + ' ' + value);
    }
    if (words.empty()) return;
    out.put(fmt::format("{:<11}", name), Tone::dim);
    out.wrapped(words, 11, 11);
  };
  line("device", environment.device, {"id", "name", "driver"});
  line("host", environment.host, {"cpu", "usable_cores"});
  line("versions", environment.versions, {"warpclock", "compiler"});
  line("variables", environment.variables, {});
}

}  // namespace

std::string text(const Environment& environment, std::span<const Result> results, const TextOptions& options) {
  Writer out(options);
  put_environment(out, environment);
  if (results.empty()) {
    out.put("no results");
    out.end_line();
  }
  for (const auto& section : sections(results)) {
    out.end_line();
    out.put(section.benchmark, Tone::bold);
    if (!section.fixed.empty()) out.put("  " + section.fixed);
    out.end_line();
    for (const auto& line : section.conditions) {
      out.put(gap);
      out.wrapped(line, gap.size(), 4, Tone::dim);
    }
    out.end_line();
    const auto wide = widths(section);
    put_heading(out, section.columns, wide);
    for (std::size_t row = 0; row < section.rows.size(); ++row) put_row(out, section, row, wide);
    const bool more = !section.notes.empty() || std::any_of(section.rows.begin(), section.rows.end(), [](const Row& r) {
      return r.has_figures && !r.error.empty();
    });
    if (more) out.end_line();
    put_errors(out, section);
    put_notes(out, section);
  }
  return out.take();
}

std::string text(const Environment& environment, std::span<const Result> results) {
  return text(environment, results, TextOptions{});
}

}  // namespace warpclock::report
