// Results made up for the tests of the report: a plausible run, and one of everything that breaks writers.
#pragma once

#include <locale>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace warpclock::report {

struct Run {
  Environment environment;
  std::vector<Result> results;
};

/// Two benchmarks with ok, wrong, failed, skipped and interrupted points, findings, two modes, several kernels a call.
[[nodiscard]] Run plausible();

/// One point in regime sustained at a locked clock, with effective clock, telemetry and energy.
[[nodiscard]] Run hot();

/// NaN, infinities, 1e-9 and 1e9, names with comma, quote, line break, control, non-ASCII and invalid characters.
[[nodiscard]] Run hostile();

/// A locale with decimal commas and dots between thousands, set for the C and the C++ library while it lives.
/// de_DE.UTF-8 where it is installed; the C++ part does not need it.
class GermanLocale {
 public:
  GermanLocale();
  ~GermanLocale();
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;

 private:
  std::locale before_;
  std::string c_before_;
};

}  // namespace warpclock::report
