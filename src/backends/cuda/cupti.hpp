// CUPTI's functions, loaded at run time.
#pragma once

#include <cupti.h>

#include <string>

#include "backends/cuda/libraries.hpp"

namespace warpclock::cuda {

/// CUPTI 12 and 13 export all of these under these names.
struct Cupti {
  /// driver_version  of CUDA; a CUPTI newer than the driver's major version does not work and is not looked for
  ///   throws  DeviceError if there is none, or one without a function that is needed
  explicit Cupti(int driver_version);

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
