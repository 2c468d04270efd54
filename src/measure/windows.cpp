#include "measure/windows.hpp"

#include <algorithm>

namespace warpclock {
namespace {

KernelSeries& series_of(std::vector<KernelSeries>& kernels, const Record& record, std::size_t samples_before) {
  for (auto& series : kernels) {
    if (series.name == record.name && series.kind == record.kind) return series;
  }
  // Not seen in the samples before: it took no time there.
  kernels.push_back({.name = record.name, .kind = record.kind, .time_ns = std::vector<double>(samples_before, 0.0)});
  return kernels.back();
}

void add_to_series(std::span<const Record> records, std::uint32_t batch, std::vector<KernelSeries>& kernels) {
  const std::size_t before = kernels.empty() ? 0 : kernels.front().time_ns.size();
  for (auto& series : kernels) series.time_ns.push_back(0.0);
  for (const auto& record : records) {
    auto& series = series_of(kernels, record, before);
    if (series.time_ns.size() == before) series.time_ns.push_back(0.0);
    series.time_ns.back() += (record.end - record.start).count() / batch;
    ++series.launches;
  }
}

}  // namespace

bool broken(const Record& record) { return record.start.count() <= 0 || record.end < record.start; }

Nanoseconds busy_time(std::span<const Record> records) {
  std::vector<std::pair<double, double>> intervals;
  intervals.reserve(records.size());
  for (const auto& record : records) {
    if (record.end > record.start) intervals.emplace_back(record.start.count(), record.end.count());
  }
  std::ranges::sort(intervals);
  double total = 0;
  double covered_to = intervals.empty() ? 0 : intervals.front().first;
  for (const auto& [start, end] : intervals) {
    total += std::max(0.0, end - std::max(start, covered_to));
    covered_to = std::max(covered_to, end);
  }
  return Nanoseconds{total};
}

std::size_t attribute(std::span<Sample> samples, std::vector<Record> records, std::size_t expected, std::uint32_t batch,
                      std::vector<KernelSeries>& kernels) {
  std::ranges::stable_sort(records, {}, &Record::window);
  std::size_t rejected = 0;
  auto next = records.cbegin();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto first = std::find_if(next, records.cend(), [&](const Record& r) { return r.window >= i; });
    next = std::find_if(first, records.cend(), [&](const Record& r) { return r.window > i; });
    const std::span<const Record> own(first, next);
    if (own.size() < expected || std::ranges::any_of(own, broken)) {
      samples[i].marks.set(Mark::bad_stamp);
      ++rejected;
      continue;
    }
    Nanoseconds sum{0};
    for (const auto& record : own) sum += record.end - record.start;
    samples[i].kernel = sum / batch;
    samples[i].busy = busy_time(own) / batch;
    add_to_series(own, batch, kernels);
  }
  return rejected;
}

}  // namespace warpclock
