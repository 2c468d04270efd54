// Nsight Compute as a program: where it is, how it is called, and what became of a call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "crosscheck/child.hpp"
#include "crosscheck/ncu_csv.hpp"

namespace warpclock {

/// What decides which of ncu's figures may be compared with ours.
struct NcuSettings {
  std::string clock_control;    // "none": the clocks are left alone, as we leave them
  std::string cache_control;    // "all": caches are cleared before each kernel
  std::string graph_profiling;  // "node": kernel by kernel, "graph": a graph as one
};

/// The words of a call, complete but for the program to profile.
struct NcuCommand {
  std::vector<std::string> words;  // ncu itself first
  NcuSettings settings;
};

/// Words between blanks; "..." and '...' keep theirs.  throws UsageError for a quote that is not closed
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

/// ncu as an executable file: `given`, else the first in the folders of `path` (as the variable PATH has it), else that
/// of a toolkit: `cuda_home`, /usr/local/cuda, or the newest below /opt/nvidia/nsight-compute. Empty where there is
/// none.
///   throws  UsageError where `given` is no executable file
[[nodiscard]] std::string find_ncu(const std::string& given, const std::string& path, const std::string& cuda_home);

/// The defaults, as in the article: clocks free, caches cleared, what lies between cuProfilerStart and Stop alone, our
/// metrics as CSV; then `more`. A default whose option occurs in `more` gives way to it.
[[nodiscard]] NcuCommand ncu_command(const std::string& ncu, const std::vector<std::string>& more);

/// The launches that ncu profiled.
///   throws  NcuRefused where it can profile nothing here: no permission, no device, its own start failed
///           DeviceError where this program alone failed: it or ncu crashed, or no kernel was seen
///           DataError for a table that cannot be read
[[nodiscard]] std::vector<NcuKernel> launches_of(const ChildResult& child);

/// As launches_of() throws it: trying the next point is useless.
class NcuRefused : public DeviceError {
  using DeviceError::DeviceError;
};

}  // namespace warpclock
