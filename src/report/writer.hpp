// Text for a terminal, put together piece by piece: colours where they are wanted, long lines wrapped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/columns.hpp"
#include "report/text.hpp"

namespace warpclock::report {

/// Between two columns, and in front of the first.
inline constexpr std::string_view gap = "  ";

enum class Tone { plain, bold, dim, good, warn, bad };

class Writer {
 public:
  explicit Writer(const TextOptions& options) : options_(options) {}

  void put(std::string_view text, Tone tone = Tone::plain);
  void end_line();
  /// Words of `text` in lines of at most the width of the options, all but the first indented.
  ///   start   column at which it begins
  void wrapped(std::string_view text, std::size_t start, std::size_t indent, Tone tone = Tone::plain);
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  const TextOptions& options_;
  std::string out_;
};

/// `text` in at least `to` columns of the terminal, at the left or the right of them.
[[nodiscard]] std::string padded(const std::string& text, std::size_t to, bool left);

/// The two lines above a table: names, then units.
///   wide   of each column
void put_heading(Writer& out, const std::vector<Column>& columns, const std::vector<std::size_t>& wide);

}  // namespace warpclock::report
