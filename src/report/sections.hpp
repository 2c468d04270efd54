// Results put into the order in which people read them: a section for each benchmark and state, findings below.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/columns.hpp"

namespace warpclock::report {

/// A finding, with all points that have it: those whose messages differ in their figures alone are one note.
struct Note {
  std::string id;
  Finding::Severity severity = Finding::Severity::warning;
  std::string message;  // of the first point
  std::string remedy;
  std::vector<std::string> points;  // as in the rows; empty texts where the benchmark has no axes
};

struct Row {
  Status status = Status::ok;
  std::string point;         // by the axes that vary: "M=2"
  std::string error;         // one line; empty for a row that is ok
  bool has_figures = false;  // false: the error stands in the place of the figures
  bool has_warning = false;
};

struct Section {
  std::string benchmark;
  std::string fixed;                    // axes that have one value in all rows: "N=19456 K=2560"; they have no column
  std::vector<std::string> conditions;  // "cache cold-clean, ...": the state, then clocks and peaks; a line each
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<Note> notes;  // numbered from 1 in the status column: "ok [1]"
};

/// One section a benchmark, set of axes and measured state, in the order of their first results. A result that was
/// never measured (failed, skipped) joins the section of its benchmark.
[[nodiscard]] std::vector<Section> sections(std::span<const Result> results);

/// "3 points" and then the first few of them: "M=2, M=4 and 5 more"; empty for a benchmark without axes.
[[nodiscard]] std::string listed(const std::vector<std::string>& points);

}  // namespace warpclock::report
