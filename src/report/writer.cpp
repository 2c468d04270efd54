#include "report/writer.hpp"

#include <algorithm>

#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

std::string_view escape(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::bold:
      return "\x1b[1m";
    case Tone::dim:
      return "\x1b[2m";
    case Tone::good:
      return "\x1b[32m";
    case Tone::warn:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[1;31m";
  }
  return "";
}

}  // namespace

void Writer::put(std::string_view text, Tone tone) {
  const bool coloured = options_.colours && tone != Tone::plain && !text.empty();
  if (coloured) out_ += escape(tone);
  out_ += text;
  if (coloured) out_ += "\x1b[0m";
}

void Writer::end_line() {
  while (out_.ends_with(' ')) out_.pop_back();
  out_ += '\n';
}

void Writer::wrapped(std::string_view text, std::size_t start, std::size_t indent, Tone tone) {
  std::size_t column = start;
  std::string line;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!line.empty() && column + width(word) > options_.width) {
      put(line, tone);
      end_line();
      put(std::string(indent, ' '));
      line.clear();
      column = indent;
    }
    if (!line.empty()) line += ' ';
    line += word;
    column += width(word) + 1;
  }
  put(line, tone);
  end_line();
}

std::string padded(const std::string& text, std::size_t to, bool left) {
  const std::string blanks(to - std::min(to, width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

void put_heading(Writer& out, const std::vector<Column>& columns, const std::vector<std::size_t>& wide) {
  for (const bool names : {true, false}) {
    out.put(gap);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto& column = columns[i];
      out.put(padded(names ? column.name : column.unit, wide[i], column.left), names ? Tone::bold : Tone::dim);
      out.put(gap);
    }
    out.end_line();
  }
}

}  // namespace warpclock::report
