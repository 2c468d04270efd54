// What inputs hold. Seeded by --seed, different in every copy of an operand, and worked out again for the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace warpclock {

class Distribution {
 public:
  enum class Kind : std::uint8_t { normal, uniform, ints, ones, zeros };

  /// As --data asks for, which is normal unless given.
  Distribution() = default;
  explicit Distribution(Kind kind) : kind_(kind) {}
  explicit Distribution(std::function<double(std::uint64_t, std::int64_t)> value) : value_(std::move(value)) {}

  [[nodiscard]] const std::optional<Kind>& kind() const { return kind_; }
  [[nodiscard]] const std::function<double(std::uint64_t, std::int64_t)>& value() const { return value_; }

 private:
  std::optional<Kind> kind_;
  std::function<double(std::uint64_t, std::int64_t)> value_;
};

/// Standard normal; integers get round(16 x).
[[nodiscard]] inline Distribution normal() { return Distribution(Distribution::Kind::normal); }
/// Uniform in [-1, 1); integers from -100 to 99.
[[nodiscard]] inline Distribution uniform() { return Distribution(Distribution::Kind::uniform); }
/// Whole numbers from -4 to 4.
[[nodiscard]] inline Distribution ints() { return Distribution(Distribution::Kind::ints); }
[[nodiscard]] inline Distribution ones() { return Distribution(Distribution::Kind::ones); }
[[nodiscard]] inline Distribution zeros() { return Distribution(Distribution::Kind::zeros); }
/// Element i is value(seed, i), rounded to the type: indices, page tables, keys of a chosen entropy. Must be pure; the
/// seed differs from copy to copy. Called once an element, so a large input takes some nanoseconds each to fill.
[[nodiscard]] inline Distribution generated(std::function<double(std::uint64_t seed, std::int64_t index)> value) {
  return Distribution(std::move(value));
}

/// Where an argument is when the call begins, in the cold cache states.
enum class Residency : std::uint8_t {
  weights,     // in memory alone: flushed with everything else
  activation,  // just written by the work before: written once more between the flush and the call
};
inline constexpr Residency weights = Residency::weights;
inline constexpr Residency activation = Residency::activation;

}  // namespace warpclock
