// Outputs against a reference.
#include "verify/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/errors.hpp"

namespace warpclock {
namespace {

double error_of(double got, double want, double scale) {
  if (got == want) return 0;  // equal infinities too
  const double error = std::fabs(got - want) / std::max(std::fabs(want), scale);
  return std::isnan(error) ? std::numeric_limits<double>::infinity()
                           : error;  // NaN on a side, infinity against infinity
}

}  // namespace

void Comparison::add(std::uint64_t index, double got, double want) {
  const double error = error_of(got, want, scale_);
  ++seen_;
  max_error_ = std::max(max_error_, error);
  if (error <= tolerance_) return;
  if (wrong_++ == 0) first_wrong_ = index, first_got_ = got, first_want_ = want;
}

void Comparison::add(std::uint64_t first, std::span<const double> got, std::span<const double> want) {
  for (std::size_t i = 0; i < got.size(); ++i) add(first + i, got[i], want[i]);
}

Check Comparison::result() const {
  if (seen_ == 0) return unchecked("there was no element to compare");
  Check check;
  check.state = wrong_ == 0 ? Check::State::passed : Check::State::failed;
  check.max_error = max_error_;
  check.tolerance = tolerance_;
  if (wrong_ != 0) {
    check.detail = fmt::format("element {}: got {:.9g}, want {:.9g}; {} of {} elements compared are wrong",
                               first_wrong_, first_got_, first_want_, wrong_, seen_);
  }
  return check;
}

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  std::uint64_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value * value;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

Check compare(std::span<const double> got, std::span<const double> want, double tolerance) {
  if (got.size() != want.size()) {
    throw UsageError(
        fmt::format("an output of {} elements was compared with a reference of {}", got.size(), want.size()));
  }
  Comparison comparison(root_mean_square(want), tolerance);
  comparison.add(0, got, want);
  return comparison.result();
}

Check unchecked(std::string reason) {
  Check check;
  check.state = Check::State::unchecked;
  check.detail = std::move(reason);
  return check;
}

}  // namespace warpclock
