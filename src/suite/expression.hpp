// Whole-number expressions over the axes of a point, as they stand in the words for a kernel of one's own.
//
//   1024, 4Ki, 2Mi, 1Gi     numbers; 1024, 1024^2, 1024^3 times
//   {n}                     the value of the axis n
//   + - * ( )               as usual
//   /                       quotient, rounded down
//   //                      quotient, rounded up: {n}//256 blocks of 256 cover n elements
//   ^                       power: 2^20
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/point.hpp"

namespace warpclock {

class Expression {
 public:
  ///   what    how messages name it: "--grid"
  ///   throws  UsageError that shows the text and what is wrong with it
  Expression(std::string what, std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Names in braces, each once, in order.
  [[nodiscard]] const std::vector<std::string>& axes() const { return axes_; }

  /// throws UsageError for a division by zero, a negative exponent, a number beyond 63 bits, an axis that `point` lacks
  [[nodiscard]] std::int64_t value(const Point& point) const;
  /// The same, held to a range.  throws UsageError outside of it
  [[nodiscard]] std::int64_t value(const Point& point, std::int64_t min, std::int64_t max) const;

 private:
  friend class ExpressionParser;
  enum class Op : std::uint8_t { number, axis, add, subtract, multiply, divide_down, divide_up, power, negate };
  struct Step {
    Op op = Op::number;
    std::int64_t number = 0;  // or the place of the axis in axes_
  };

  std::string what_;
  std::string text_;
  std::vector<std::string> axes_;
  std::vector<Step> steps_;  // in postfix order
};

/// `text` with each {axis} replaced by its value: "-DTILE={tile}" becomes "-DTILE=16".
///   throws  UsageError for an axis that `point` lacks, or a brace that is not closed
[[nodiscard]] std::string with_axes(const std::string& text, const Point& point);
/// The names in braces in `text`, in order.  throws UsageError for a brace that is not closed, or an empty name
[[nodiscard]] std::vector<std::string> axes_in(const std::string& what, const std::string& text);

}  // namespace warpclock
