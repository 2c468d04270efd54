#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "api/declared.hpp"
#include "core/errors.hpp"

namespace warpclock {
namespace {

AxisSpec numbers(std::string_view name, const std::vector<std::int64_t>& values, std::string_view help) {
  AxisSpec axis{.name = std::string(name),
                .unit = "",
                .help = std::string(help),
                .defaults = {},
                .min = 0,
                .choices = {},
                .zip = ""};
  axis.defaults.assign(values.begin(), values.end());
  // An axis of sizes should not be given -1; one that was declared with negative values may have others.
  if (std::ranges::any_of(values, [](std::int64_t value) { return value < 0; })) {
    axis.min = std::numeric_limits<std::int64_t>::min();
  }
  return axis;
}

AxisSpec words(std::string_view name, const std::vector<std::string>& values, std::string_view help) {
  AxisSpec axis{
      .name = std::string(name), .unit = "", .help = std::string(help), .defaults = {}, .choices = values, .zip = ""};
  axis.defaults.assign(values.begin(), values.end());
  return axis;
}

}  // namespace

std::deque<Registration::Declared>& declared() {
  static std::deque<Registration::Declared> all;
  return all;
}

Registration& Registration::name(std::string_view name) {
  declared_->name = name;
  return *this;
}

Registration& Registration::summary(std::string_view text) {
  declared_->summary = text;
  return *this;
}

Registration& Registration::on(std::initializer_list<std::string_view> backends) {
  declared_->backends.assign(backends.begin(), backends.end());
  return *this;
}

Registration& Registration::axis(std::string_view name, std::initializer_list<std::int64_t> values,
                                 std::string_view help) {
  return axis(name, std::vector(values), help);
}

Registration& Registration::axis(std::string_view name, std::initializer_list<const char*> words,
                                 std::string_view help) {
  return axis(name, std::vector<std::string>(words.begin(), words.end()), help);
}

Registration& Registration::axis(std::string_view name, const std::vector<std::int64_t>& values,
                                 std::string_view help) {
  if (values.empty()) declared_->mistakes.push_back(fmt::format("axis '{}' has no values", name));
  declared_->axes.push_back(numbers(name, values, help));
  return *this;
}

Registration& Registration::axis(std::string_view name, const std::vector<std::string>& values, std::string_view help) {
  if (values.empty()) declared_->mistakes.push_back(fmt::format("axis '{}' has no values", name));
  declared_->axes.push_back(words(name, values, help));
  return *this;
}

Registration& Registration::zip(const std::vector<std::string>& names,
                                const std::vector<std::vector<std::int64_t>>& tuples) {
  const auto group = fmt::format("{}", fmt::join(names, ", "));
  if (tuples.empty()) declared_->mistakes.push_back(fmt::format("axes '{}' have no values", group));
  for (const auto& tuple : tuples) {
    if (tuple.size() == names.size()) continue;
    declared_->mistakes.push_back(
        fmt::format("axes '{}' are {} and one of their tuples has {} values", group, names.size(), tuple.size()));
    return *this;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::int64_t> values;
    for (const auto& tuple : tuples) values.push_back(tuple[i]);
    declared_->axes.push_back(numbers(names[i], values, ""));
    declared_->axes.back().zip = group;
  }
  return *this;
}

Registration& Registration::filter(std::function<bool(const PointView&)> wanted) {
  declared_->wanted = std::move(wanted);
  return *this;
}

std::int64_t PointView::number(std::string_view axis) const { return point_.integer(std::string(axis)); }

std::string PointView::text(std::string_view axis) const { return point_.text(std::string(axis)); }

std::vector<std::int64_t> pow2(int first, int last, int step) {
  std::vector<std::int64_t> out;
  for (int exponent = std::max(first, 0); exponent <= std::min(last, 62); exponent += std::max(step, 1)) {
    out.push_back(std::int64_t{1} << exponent);
  }
  return out;
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last, std::int64_t step) {
  std::vector<std::int64_t> out;
  if (step < 1) return out;
  // Asked before the step is taken, since the sum could overflow.
  for (auto value = first; value <= last; value += step) {
    out.push_back(value);
    if (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(step)) break;
  }
  return out;
}

namespace detail {

Registration declare(std::string_view name, std::function<void(Case&)> function, const char* file, unsigned line,
                     bool cuda) {
  const std::string_view path(file);
  auto& made = declared().emplace_back();
  made.name = name;
  made.function = std::move(function);
  made.file = path.substr(path.rfind('/') + 1);
  made.line = line;
  made.backends = {cuda ? "cuda" : "cpu"};
  return Registration(made);
}

Registration declare_types(std::string_view name, std::vector<std::string> types,
                           std::function<void(Case&, std::size_t)> function, const char* file, unsigned line,
                           bool cuda) {
  const auto dispatch = [types, function = std::move(function)](Case& c) {
    const auto at = std::ranges::find(types, c.axis<std::string>("T"));
    function(c, static_cast<std::size_t>(at - types.begin()));
  };
  return declare(name, dispatch, file, line, cuda).axis("T", types, "element type");
}

}  // namespace detail
}  // namespace warpclock
