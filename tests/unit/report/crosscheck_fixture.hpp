// A cross-check made up for the tests of the report.
#pragma once

#include "crosscheck/crosscheck.hpp"

namespace warpclock::report {

/// Two points of gemm that agree and differ in their clocks, one that ncu failed on, one that never ran.
[[nodiscard]] Crosscheck made_up_crosscheck();

}  // namespace warpclock::report
