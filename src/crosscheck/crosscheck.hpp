// A whole cross-check as data: what was compared, and with which ncu.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "crosscheck/compare.hpp"

namespace warpclock {

struct Crosscheck {
  Environment environment;
  std::string ncu_version;             // "2025.3.1.0 (build 36398880)"; empty where ncu was not started
  std::vector<std::string> ncu_words;  // ncu and its own options, without the program under it
  std::uint32_t warmup = 0;            // calls before the profiled ones
  std::uint32_t calls = 0;             // profiled calls a point
  std::vector<Comparison> comparisons;
};

}  // namespace warpclock
