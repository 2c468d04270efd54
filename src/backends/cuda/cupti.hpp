// CUPTI's functions, loaded at run time.
#pragma once

#include <cupti.h>

#include <string>

#include "backends/cuda/libraries.hpp"

namespace warpclock::cuda {

/// Where CUPTI is looked for.
///   driver_version  of CUDA; a CUPTI newer than the driver's major version does not work and is not looked for
[[nodiscard]] LibrarySpec cupti_spec(int driver_version);

/// By which WSL 2 is recognised, where other advice holds.
constexpr const char* usual_kernel_release_file = "/proc/sys/kernel/osrelease";

/// CUPTI 12 and 13 export all of these under these names.
struct Cupti {
  /// throws  DeviceError if there is none, or one without a function that is needed
  explicit Cupti(int driver_version);

  /// Throws a DeviceError with what to do unless `result` is CUPTI_SUCCESS.
  ///   call    "cuptiSubscribe"
  ///   wanted  what CUPTI was to do: "tracing"
  void check(int result, const char* call, const std::string& wanted,
             const std::string& kernel_release_file = usual_kernel_release_file) const;

  Library library;
  std::uint32_t version = 0;

  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&cuptiGetDeviceId) device_id = nullptr;
  decltype(&cuptiGetStreamIdEx) stream_id = nullptr;

  CUpti_SubscriberHandle subscriber = nullptr;
};

}  // namespace warpclock::cuda
