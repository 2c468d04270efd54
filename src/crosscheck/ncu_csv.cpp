#include "crosscheck/ncu_csv.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <locale>
#include <map>
#include <sstream>
#include <utility>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using Row = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& what) {
  throw DataError("ncu's table cannot be read: " + what + "; see what ncu prints with the same --ncu-args");
}

/// The lines of the table alone: from its heading on, without what ncu says in between.
std::string table_in(std::string_view output) {
  constexpr std::string_view heading = "\"ID\",";
  std::string table;
  while (!output.empty()) {
    const auto line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    if (table.empty() && !line.starts_with(heading)) continue;
    if (line.starts_with("==") || line.find_first_not_of("\r ") == std::string_view::npos) continue;
    table.append(line).push_back('\n');
  }
  return table;
}

/// libcsv (RFC 4180) with its callbacks: rows of fields.
class Reader {
 public:
  Reader() {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  }
  ~Reader() { csv_free(&parser_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::vector<Row> read(const std::string& text) {
    const auto taken = csv_parse(&parser_, text.data(), text.size(), on_field, on_row, this);
    if (problem_) std::rethrow_exception(problem_);
    if (taken != text.size()) refuse(error());
    if (csv_fini(&parser_, on_field, on_row, this) != 0) refuse(error());
    if (problem_) std::rethrow_exception(problem_);
    return std::move(rows_);
  }

 private:
  /// No exception may cross the C library.
  template <class Step>
  static void guarded(void* self, const Step& step) noexcept {
    auto& reader = *static_cast<Reader*>(self);
    try {
      step(reader);
    } catch (...) {
      reader.problem_ = std::current_exception();
    }
  }
  static void on_field(void* text, std::size_t size, void* self) {
    guarded(self, [&](Reader& reader) { reader.row_.emplace_back(static_cast<const char*>(text), size); });
  }
  static void on_row(int, void* self) {
    guarded(self, [](Reader& reader) { reader.rows_.push_back(std::exchange(reader.row_, {})); });
  }
  [[nodiscard]] std::string error() { return csv_strerror(csv_error(&parser_)); }

  csv_parser parser_{};
  Row row_;
  std::vector<Row> rows_;
  std::exception_ptr problem_;
};

/// "1,234.5" is 1234.5 whatever the locale; nothing for "n/a", which is what ncu writes for what it could not measure.
std::optional<double> number_in(std::string text, const std::string& column) {
  if (text.empty() || text == "n/a") return std::nullopt;
  std::erase(text, ',');
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof() || !std::isfinite(value) || value < 0) {
    refuse(fmt::format("'{}' in column {} is no number", text, column));
  }
  return value;
}

/// How many of our unit (ns, cycles, MHz, bytes) one of ncu's is. Both spellings of its releases: "us" and "usecond".
double factor_of(const std::string& unit, const std::string& column) {
  static const std::map<std::string, double> factors{{"ns", 1},
                                                     {"nsecond", 1},
                                                     {"us", 1e3},
                                                     {"usecond", 1e3},
                                                     {"ms", 1e6},
                                                     {"msecond", 1e6},
                                                     {"s", 1e9},
                                                     {"second", 1e9},
                                                     {"cycle", 1},
                                                     {"Kcycle", 1e3},
                                                     {"Mcycle", 1e6},
                                                     {"Gcycle", 1e9},
                                                     {"hz", 1e-6},
                                                     {"Khz", 1e-3},
                                                     {"Mhz", 1},
                                                     {"Ghz", 1e3},
                                                     {"byte", 1},
                                                     {"Kbyte", 1e3},
                                                     {"Mbyte", 1e6},
                                                     {"Gbyte", 1e9},
                                                     {"Tbyte", 1e12},
                                                     {"cycle/s", 1e-6},
                                                     {"cycle/second", 1e-6},
                                                     {"cycle/us", 1},
                                                     {"cycle/usecond", 1},
                                                     {"cycle/ns", 1e3},
                                                     {"cycle/nsecond", 1e3},
                                                     {"cycle/ms", 1e-3},
                                                     {"cycle/msecond", 1e-3}};
  const auto found = factors.find(unit);
  if (found != factors.end()) return found->second;
  // "Hz" and "hz", "KHz" and "Khz": releases differ in their capitals.
  const auto same = [&](const auto& entry) {
    return std::ranges::equal(entry.first, unit,
                              [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  const auto alike = std::ranges::find_if(factors, same);
  if (alike == factors.end()) refuse(fmt::format("unknown unit '{}' of column {}", unit, column));
  return alike->second;
}

/// A metric's column, if the table has it.
struct MetricColumn {
  std::optional<std::size_t> place;
  std::string name;
  double factor = 1;

  [[nodiscard]] std::optional<double> in(const Row& row) const {
    if (!place) return std::nullopt;
    const auto value = number_in(row[*place], name);
    return value ? std::optional(*value * factor) : std::nullopt;
  }
};

std::optional<std::size_t> place_of(const Row& heading, std::string_view name) {
  const auto found = std::ranges::find(heading, name);
  if (found == heading.end()) return std::nullopt;
  return static_cast<std::size_t>(found - heading.begin());
}

MetricColumn column_of(const Row& heading, const Row& units, std::string_view name) {
  MetricColumn column{.place = place_of(heading, name), .name = std::string(name)};
  if (column.place) column.factor = factor_of(units[*column.place], column.name);
  return column;
}

}  // namespace

std::vector<NcuKernel> parse_ncu_csv(std::string_view output) {
  const auto table = table_in(output);
  if (table.empty()) return {};
  const auto rows = Reader().read(table);
  const auto& heading = rows.front();
  const auto name = place_of(heading, "Kernel Name");
  if (!name) refuse("no column 'Kernel Name'");
  if (!place_of(heading, ncu_metric::time)) refuse(fmt::format("no column {}", ncu_metric::time));
  if (rows.size() < 2) refuse("it has a heading and no row");
  for (const auto& row : rows) {
    if (row.size() != heading.size()) {
      refuse(fmt::format("a row has {} fields and its heading {}", row.size(), heading.size()));
    }
  }
  const auto& units = rows[1];
  if (!units.front().empty()) refuse("no row of units");
  const auto time = column_of(heading, units, ncu_metric::time);
  const auto cycles = column_of(heading, units, ncu_metric::cycles);
  const auto clock = column_of(heading, units, ncu_metric::clock);
  const auto read = column_of(heading, units, ncu_metric::dram_read);
  const auto written = column_of(heading, units, ncu_metric::dram_written);
  std::vector<NcuKernel> kernels;
  for (auto row = rows.begin() + 2; row != rows.end(); ++row) {
    kernels.push_back({(*row)[*name], time.in(*row), cycles.in(*row), clock.in(*row), read.in(*row), written.in(*row)});
  }
  return kernels;
}

}  // namespace warpclock
