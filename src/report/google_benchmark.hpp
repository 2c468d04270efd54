// The JSON that Google Benchmark's programs write with --benchmark_format=json, so that its tools read our results.
#pragma once

#include <span>
#include <string>

#include "core/result.hpp"

namespace warpclock::report {

/// One entry a sample of the headline time ("iteration", as a repetition of that library), then mean, median, standard
/// deviation and coefficient of variation ("aggregate"), so that compare.py can test two runs against each other.
/// real_time is the headline time, cpu_time the host's time to enqueue a call, both in ns. Samples with a bad stamp and
/// points without a time have no entry but "error_occurred".
///   source  https://github.com/google/benchmark, src/json_reporter.cc and tools/gbench/report.py, version 1.7
[[nodiscard]] std::string google_benchmark(const Environment& environment, std::span<const Result> results);

}  // namespace warpclock::report
