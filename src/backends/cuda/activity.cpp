#include "backends/cuda/activity.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>

namespace warpclock::cuda {

namespace {

/// Both markers of one window, found in the log.
struct Bounds {
  const Activity* open = nullptr;
  const Activity* close = nullptr;
  [[nodiscard]] bool whole() const { return open != nullptr && close != nullptr; }
};

/// The markers of the log, each put to the window whose number it carries. Numbers repeat every 1024 windows; a marker
/// belongs to the first window with its number that does not lie before the marker seen last, so up to 1023 lost
/// markers in a row do no harm.
std::vector<Bounds> find_bounds(std::span<const Activity> log, std::size_t windows) {
  std::vector<const Activity*> markers;
  for (const Activity& a : log) {
    if (a.start != 0 && (a.name == window_open_kernel || a.name == window_close_kernel)) markers.push_back(&a);
  }
  std::sort(markers.begin(), markers.end(), [](const Activity* a, const Activity* b) { return a->start < b->start; });
  std::vector<Bounds> bounds(windows);
  std::size_t at = 0;
  for (const Activity* marker : markers) {
    const std::size_t number = marker->block_threads - 1;
    at += (number + window_marker_numbers - at % window_marker_numbers) % window_marker_numbers;
    if (at >= windows) break;
    (marker->name == window_open_kernel ? bounds[at].open : bounds[at].close) = marker;
  }
  return bounds;
}

/// The window opened last at or before device time `t`; `bounds` in order of their opening. None where that window
/// is over and the next one lost its opening marker, so that nobody knows whether it had begun.
std::optional<std::size_t> window_at(const std::vector<Bounds>& bounds, std::uint64_t t) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].open == nullptr) continue;
    if (bounds[i].open->start > t) break;
    found = i;
  }
  if (!found) return found;
  const bool over = bounds[*found].close != nullptr && bounds[*found].close->start <= t;
  const bool next_unknown = *found + 1 < bounds.size() && bounds[*found + 1].open == nullptr;
  return over && next_unknown ? std::nullopt : found;
}

std::optional<std::size_t> window_by_correlation(const std::vector<Bounds>& bounds, std::uint32_t correlation) {
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].whole() && bounds[i].open->correlation < correlation && correlation < bounds[i].close->correlation) {
      return i;
    }
  }
  return std::nullopt;
}

/// The index of the window of one entry; see sort_into_windows.
std::optional<std::size_t> window_of(const Activity& a, const std::vector<Bounds>& bounds, std::uint32_t own_stream) {
  if (a.start == 0) return window_by_correlation(bounds, a.correlation);
  if (a.stream != own_stream) {
    if (const auto enqueued = window_by_correlation(bounds, a.correlation)) return enqueued;
  }
  return window_at(bounds, a.start);
}

/// As a reader wants it: C++ names demangled, our oracles without their prefix ("spin").
std::string readable(const std::string& name) {
  if (name.starts_with(own_prefix)) return name.substr(own_prefix.size());
  if (!name.starts_with("_Z")) return name;  // a C kernel: "f" would come out as the type "float"
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

/// Start of the log's first entry, less one, so that no start becomes zero. Stamps count from 1970: as doubles they would
/// step by 256 ns (seen on an H200: kernel times of 512, 768, 1024 ns and nothing in between).
std::uint64_t origin_of(std::span<const Activity> log) {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const Activity& a : log) {
    if (a.start != 0) first = std::min(first, a.start);
  }
  return first - 1;
}

/// Nanoseconds from `origin` to `stamp`, which may lie before it.
Nanoseconds since(std::uint64_t origin, std::uint64_t stamp) {
  return Nanoseconds{static_cast<double>(static_cast<std::int64_t>(stamp - origin))};
}

Record make_record(const Activity& a, std::uint32_t window, std::uint64_t origin) {
  Record record;
  record.window = window;
  switch (a.kind) {
    case Activity::Kind::kernel:
      record.kind = "kernel";
      record.name = readable(a.name);
      break;
    case Activity::Kind::copy:
      record.kind = record.name = "copy";
      break;
    case Activity::Kind::fill:
      record.kind = record.name = "fill";
      break;
  }
  if (a.start != 0 && a.end != 0) {
    record.start = since(origin, a.start);
    record.end = since(origin, a.end);
  }
  return record;
}

}  // namespace

std::vector<Record> sort_into_windows(std::span<const Activity> log, std::span<const std::uint32_t> windows,
                                      std::uint32_t own_stream) {
  const std::vector<Bounds> bounds = find_bounds(log, windows.size());
  const std::uint64_t origin = origin_of(log);
  std::vector<Record> records;
  for (const Activity& a : log) {
    if (a.name == window_open_kernel || a.name == window_close_kernel) continue;
    const auto index = window_of(a, bounds, own_stream);
    if (!index || !bounds[*index].whole()) continue;
    const bool after_close = a.start != 0 && a.start >= bounds[*index].close->start;
    if (after_close && a.stream == own_stream) continue;
    records.push_back(make_record(a, windows[*index], origin));
  }
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.start < b.start; });
  return records;
}

}  // namespace warpclock::cuda
