// Outputs against a reference.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/result.hpp"

namespace warpclock {

/// Collects the errors of an output, piece by piece. The error of an element is |got - want| / max(|want|, scale):
/// elements near zero are held to the scale of the output, not to their own. NaN never passes, on either side; an
/// infinity only passes where the reference has the same one.
class Comparison {
 public:
  ///   scale      typical magnitude of the output, >= 0 (root mean square of the reference)
  ///   tolerance  largest error allowed, >= 0
  Comparison(double scale, double tolerance) : scale_(scale), tolerance_(tolerance) {}

  void add(std::uint64_t index, double got, double want);
  /// Elements first, first + 1, ...  pre: got.size() == want.size()
  void add(std::uint64_t first, std::span<const double> got, std::span<const double> want);

  /// The detail names the first wrong element in the order in which they came: "element 17: got nan, want 1.25; 100 of
  /// 4096 elements are wrong".
  [[nodiscard]] Check result() const;

 private:
  double scale_;
  double tolerance_;
  double max_error_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t first_wrong_ = 0;
  double first_got_ = 0;
  double first_want_ = 0;
};

/// Root mean square of the finite values; 0 where there are none.
[[nodiscard]] double root_mean_square(std::span<const double> values);

/// All of `got` against all of `want`, with the scale taken from `want`.
///   throws  UsageError if the sizes differ
[[nodiscard]] Check compare(std::span<const double> got, std::span<const double> want, double tolerance);

/// A check that could not be made.
[[nodiscard]] Check unchecked(std::string reason);

}  // namespace warpclock
