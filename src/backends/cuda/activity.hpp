// What the device's activity log says, and which window each entry belongs to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace warpclock::cuda {

/// One entry of the activity log, as CUPTI gave it.
struct Activity {
  enum class Kind : std::uint8_t { kernel, copy, fill };
  Kind kind = Kind::kernel;
  std::string name;                 // of the kernel; empty otherwise
  std::uint64_t start = 0;          // ns; 0 where CUPTI lost it
  std::uint64_t end = 0;            // ns; 0 where CUPTI lost it
  std::uint32_t device = 0;         // as CUPTI numbers the devices
  std::uint32_t stream = 0;         // as CUPTI numbers the streams
  std::uint32_t correlation = 0;    // rises with every API call of the process
  std::uint32_t block_threads = 0;  // threads of a block; 0 where it is no kernel
};

/// With which the names of all our own kernels begin.
constexpr std::string_view own_prefix = "warpclock_";
constexpr const char* window_open_kernel = "warpclock_window_open";
constexpr const char* window_close_kernel = "warpclock_window_close";

/// A marker says which window it belongs to by the number of its threads: 1 + (sequence number modulo this).
constexpr std::uint32_t window_marker_numbers = 1024;
[[nodiscard]] constexpr unsigned window_marker_threads(std::uint32_t sequence) {
  return 1 + sequence % window_marker_numbers;
}

/// Sorts the log into windows by device time.
///
/// In our own stream an entry belongs to a window when it started between the window's two markers: the stream is in
/// order, so this is exact, also for graphs, whose correlation ids can be wrong after the first session (CUPTI 13.0).
/// Entries of other streams may overtake a marker or run long after it (measured: work of one call queued behind that of
/// the call before). They belong to the window within which they were enqueued, by their correlation id, and where no
/// window holds that id (branches of a graph) to the window opened last before they started.
///
/// Times are passed on as they are: an entry without a start has start = end = 0, a reversed one stays reversed. A
/// window of which a marker was lost yields nothing. The markers are left out; our oracles stand without their prefix.
///   windows  as they were opened since the trace began, in order
///   return   in order of their start
[[nodiscard]] std::vector<Record> sort_into_windows(std::span<const Activity> log,
                                                    std::span<const std::uint32_t> windows, std::uint32_t own_stream);

}  // namespace warpclock::cuda
