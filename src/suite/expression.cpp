#include "suite/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "core/errors.hpp"

namespace warpclock {

/// Recursive descent; each function reads one level of the grammar and appends its steps.
class ExpressionParser {
 public:
  explicit ExpressionParser(Expression& to) : to_(to), rest_(to.text_) {}

  void parse() {
    sum();
    if (!rest_.empty()) fail(fmt::format("'{}' is not expected there", rest_));
  }

 private:
  using Op = Expression::Op;

  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError(fmt::format("{}: '{}' is no whole-number expression: {}; write 1024, {{n}} or ({{n}}+2)//256",
                                 to_.what_, to_.text_, why));
  }

  bool take(std::string_view token) {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void emit(Op op, std::int64_t number = 0) { to_.steps_.push_back({op, number}); }

  void sum() {
    product();
    for (;;) {
      const Op op = take("+") ? Op::add : take("-") ? Op::subtract : Op::number;
      if (op == Op::number) return;
      product();
      emit(op);
    }
  }

  void product() {
    unary();
    for (;;) {
      const Op op = take("*") ? Op::multiply : take("//") ? Op::divide_up : take("/") ? Op::divide_down : Op::number;
      if (op == Op::number) return;
      unary();
      emit(op);
    }
  }

  void unary() {
    if (++depth_ > most_nested) fail("it is nested too deeply");
    if (take("-")) {
      unary();
      emit(Op::negate);
    } else {
      atom();
      if (take("^")) {
        unary();
        emit(Op::power);
      }
    }
    --depth_;
  }

  void atom() {
    if (take("(")) {
      sum();
      if (!take(")")) fail("a ) is missing");
    } else if (take("{")) {
      axis();
    } else {
      number();
    }
  }

  void axis() {
    const auto end = rest_.find('}');
    const std::string name(rest_.substr(0, end));
    if (end == std::string_view::npos || name.empty()) fail("an axis is written {n}");
    rest_.remove_prefix(end + 1);
    const auto at = std::find(to_.axes_.begin(), to_.axes_.end(), name);
    emit(Op::axis, at - to_.axes_.begin());
    if (at == to_.axes_.end()) to_.axes_.push_back(name);
  }

  void number() {
    if (rest_.empty()) fail("something is missing at its end");
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::invalid_argument) fail(fmt::format("'{}' is no number", rest_));
    if (error != std::errc{}) fail("a number is beyond 63 bits");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> suffixes{
        {{"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30}}};
    for (const auto& [suffix, factor] : suffixes) {
      if (!rest_.starts_with(suffix)) continue;
      rest_.remove_prefix(suffix.size());
      if (__builtin_mul_overflow(value, factor, &value)) fail("a number is beyond 63 bits");
      break;
    }
    emit(Op::number, value);
  }

  static constexpr int most_nested = 200;
  Expression& to_;
  std::string_view rest_;
  int depth_ = 0;
};

namespace {

std::int64_t divide(std::int64_t a, std::int64_t b, bool up) {
  const std::int64_t quotient = a / b, rest = a % b;
  if (rest == 0) return quotient;
  const bool positive = (a < 0) == (b < 0);  // the quotient was rounded towards zero
  if (up) return positive ? quotient + 1 : quotient;
  return positive ? quotient : quotient - 1;
}

bool power_overflows(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  result = 1;
  if (base == 0 || base == 1) exponent = std::min<std::int64_t>(exponent, 1);
  if (base == -1) exponent = exponent % 2 + 2;
  for (std::int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return true;
  }
  return false;
}

}  // namespace

Expression::Expression(std::string what, std::string text) : what_(std::move(what)), text_(std::move(text)) {
  ExpressionParser(*this).parse();
}

std::int64_t Expression::value(const Point& point) const {
  std::vector<std::int64_t> axis_values;
  for (const auto& axis : axes_) axis_values.push_back(point.integer(axis));
  const auto fail = [&](const char* why) {
    const std::string at = to_string(point);
    throw UsageError(fmt::format("{}: '{}' {}{}", what_, text_, why, at.empty() ? "" : " at " + at));
  };
  std::vector<std::int64_t> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::number || step.op == Op::axis) {
      stack.push_back(step.op == Op::number ? step.number : axis_values[static_cast<std::size_t>(step.number)]);
      continue;
    }
    const std::int64_t b = stack.back();
    std::int64_t a = 0;  // what a negation subtracts from
    if (step.op != Op::negate) {
      stack.pop_back();
      a = stack.back();
    }
    const bool quotient = step.op == Op::divide_down || step.op == Op::divide_up;
    if (quotient && b == 0) fail("divides by zero");
    if (step.op == Op::power && b < 0) fail("has a negative exponent");
    bool overflow = false;
    std::int64_t& result = stack.back();
    switch (step.op) {
      case Op::add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
      case Op::subtract:
      case Op::negate:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
      case Op::multiply:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
      case Op::power:
        overflow = power_overflows(a, b, result);
        break;
      default:
        overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1;
        if (!overflow) result = divide(a, b, step.op == Op::divide_up);
    }
    if (overflow) fail("is beyond 63 bits");
  }
  return stack.back();
}

std::int64_t Expression::value(const Point& point, std::int64_t min, std::int64_t max) const {
  const std::int64_t result = value(point);
  if (result >= min && result <= max) return result;
  const std::string at = to_string(point);
  throw UsageError(fmt::format("{}: '{}' is {}{}; it must be from {} to {}", what_, text_, result,
                               at.empty() ? "" : " at " + at, min, max));
}

std::vector<std::string> axes_in(const std::string& what, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string::npos || close == open + 1) {
      throw UsageError(fmt::format("{}: '{}' has a brace that names no axis; an axis is written {{n}}", what, text));
    }
    names.push_back(text.substr(open + 1, close - open - 1));
  }
  return names;
}

std::string with_axes(const std::string& text, const Point& point) {
  std::string out = text;
  for (const auto& name : axes_in("axis", text)) {
    const std::string braced = "{" + name + "}";
    if (const auto at = out.find(braced); at != std::string::npos) {
      out.replace(at, braced.size(), std::to_string(point.integer(name)));
    }
  }
  return out;
}

}  // namespace warpclock
