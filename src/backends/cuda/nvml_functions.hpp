// The few calls of NVML that are used, as nvml.h declares them: its header is in no toolkit package that is needed
// otherwise. Return values and enumerators are NVML's (API version 12).
#pragma once

#include <string>

#include "backends/cuda/libraries.hpp"

namespace warpclock::cuda {

using NvmlHandle = void*;

enum NvmlReturn : int {
  nvml_success = 0,
  nvml_not_supported = 3,
  nvml_no_permission = 4,
  nvml_insufficient_size = 7,
  nvml_driver_not_loaded = 9,
  nvml_function_not_found = 13,
  nvml_lib_rm_version_mismatch = 18,
};

enum NvmlClock : unsigned { nvml_clock_graphics = 0, nvml_clock_sm = 1, nvml_clock_memory = 2 };

/// NVML_CLOCK_LIMIT_ID_TDP: the clock that the power limit guarantees, in the place of MHz.
constexpr unsigned nvml_clock_limit_tdp = 0xffffff01;

struct NvmlProcessInfo {  // nvmlProcessInfo_v2_t, what ..._v3 of the call fills
  unsigned pid;
  unsigned long long used_memory;  // all ones: not known
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct NvmlFieldValue {  // nvmlFieldValue_t
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  unsigned type;  // nvmlValueType_t
  int result;
  union {
    double real;
    unsigned u32;
    unsigned long u_long;
    unsigned long long u64;
    long long s64;
  } value;
};
constexpr unsigned nvml_type_unsigned_long_long = 3;

struct NvmlViolationTime {  // nvmlViolationTime_t
  unsigned long long reference_us;
  unsigned long long violation_ns;
};

/// The library and its functions. What a library does not export is null, except for the first group: drivers come with
/// other sets of calls (application clocks are on their way out, event reasons were called throttle reasons).
struct NvmlFunctions {
  /// throws DeviceError where there is no NVML
  NvmlFunctions();

  /// "Insufficient Permissions (4)", in NVML's own words.
  [[nodiscard]] std::string text(int result) const;

  Library library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*by_uuid)(const char*, NvmlHandle*) = nullptr;
  int (*by_pci)(const char*, NvmlHandle*) = nullptr;

  int (*driver_version)(char*, unsigned) = nullptr;
  int (*persistence)(NvmlHandle, unsigned*) = nullptr;
  int (*mig_mode)(NvmlHandle, unsigned*, unsigned*) = nullptr;
  int (*chip_of_slice)(NvmlHandle, NvmlHandle*) = nullptr;
  int (*processes)(NvmlHandle, unsigned*, NvmlProcessInfo*) = nullptr;

  int (*clock)(NvmlHandle, unsigned, unsigned*) = nullptr;      // MHz
  int (*max_clock)(NvmlHandle, unsigned, unsigned*) = nullptr;  // MHz
  int (*power)(NvmlHandle, unsigned*) = nullptr;                // mW
  int (*power_limit)(NvmlHandle, unsigned*) = nullptr;          // mW
  int (*temperature)(NvmlHandle, unsigned, unsigned*) = nullptr;
  int (*energy)(NvmlHandle, unsigned long long*) = nullptr;  // mJ since the driver was loaded
  int (*throttle_reasons)(NvmlHandle, unsigned long long*) = nullptr;
  int (*field_values)(NvmlHandle, int, NvmlFieldValue*) = nullptr;
  int (*violation)(NvmlHandle, unsigned, NvmlViolationTime*) = nullptr;

  int (*memory_clocks)(NvmlHandle, unsigned*, unsigned*) = nullptr;              // MHz
  int (*graphics_clocks)(NvmlHandle, unsigned, unsigned*, unsigned*) = nullptr;  // at a memory clock, MHz
  int (*lock_sm)(NvmlHandle, unsigned, unsigned) = nullptr;                      // least and largest MHz
  int (*unlock_sm)(NvmlHandle) = nullptr;
  int (*lock_memory)(NvmlHandle, unsigned, unsigned) = nullptr;
  int (*unlock_memory)(NvmlHandle) = nullptr;
};

/// Calls `function` and says in NVML's words why it has failed; empty where it has not. A null one is "not found".
template <class Function, class... Args>
[[nodiscard]] std::string nvml_problem(const NvmlFunctions& nvml, Function function, Args... args) {
  const int result = function == nullptr ? int{nvml_function_not_found} : function(args...);
  return result == nvml_success ? "" : nvml.text(result);
}

}  // namespace warpclock::cuda
