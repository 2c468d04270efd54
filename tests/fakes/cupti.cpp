// Stand-in for CUPTI's activity interface: hands out the machine's log in the layout of real records.
#include <cupti.h>

#include <cstring>

#include "fakes/cuda_stream.hpp"
#include "fakes/machine.hpp"

namespace {

using fake::Activity;

fake::Machine& machine() { return fake::Machine::instance(); }
CUptiResult scripted(const char* function) { return static_cast<CUptiResult>(machine().error_of(function)); }

// The oldest layouts that warpclock claims; newer ones only append.
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using FillRecord = CUpti_ActivityMemset4;

CUpti_BuffersCallbackRequestFunc request_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc complete_buffer = nullptr;

template <class Layout>
Layout common(CUpti_ActivityKind kind, const Activity& from) {
  Layout record{};
  record.kind = kind;
  record.start = from.start;
  record.end = from.end;
  record.deviceId = from.device;
  record.streamId = from.stream;
  record.correlationId = from.correlation;
  return record;
}

template <class Layout>
std::size_t put(std::uint8_t* to, const Layout& record) {
  std::memcpy(to, &record, sizeof record);
  return sizeof record;
}

std::size_t put(std::uint8_t* to, const Activity& from) {
  if (from.kind == Activity::Kind::copy) return put(to, common<CopyRecord>(CUPTI_ACTIVITY_KIND_MEMCPY, from));
  if (from.kind == Activity::Kind::fill) return put(to, common<FillRecord>(CUPTI_ACTIVITY_KIND_MEMSET, from));
  auto record = common<KernelRecord>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, from);
  record.name = from.name;
  record.blockX = static_cast<std::int32_t>(from.threads);
  record.blockY = record.blockZ = 1;
  return put(to, record);
}

std::size_t size_of(const CUpti_Activity& record) {
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) return sizeof(CopyRecord);
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) return sizeof(FillRecord);
  return sizeof(KernelRecord);
}

Activity::Kind machine_kind(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) return Activity::Kind::copy;
  return kind == CUPTI_ACTIVITY_KIND_MEMSET ? Activity::Kind::fill : Activity::Kind::kernel;
}

}  // namespace

extern "C" {

CUptiResult CUPTIAPI cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return scripted("cuptiGetVersion");
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_BY_SCRIPT";
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*) {
  if (const CUptiResult result = scripted("cuptiSubscribe"); result != CUPTI_SUCCESS) return result;
  if (machine().cupti_sessions + machine().profiler_sessions != 0) {
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;  // stricter than the real one about the range profiler
  }
  ++machine().cupti_sessions;
  *subscriber = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle) {
  --machine().cupti_sessions;
  return scripted("cuptiUnsubscribe");
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                    CUpti_BuffersCallbackCompleteFunc complete) {
  request_buffer = request;
  complete_buffer = complete;
  return scripted("cuptiActivityRegisterCallbacks");
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (const CUptiResult result = scripted("cuptiActivityEnable"); result != CUPTI_SUCCESS) return result;
  machine().trace(machine_kind(kind), true);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  machine().trace(machine_kind(kind), false);
  return scripted("cuptiActivityDisable");
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(std::uint32_t) {
  const auto log = machine().take_log();
  for (auto next = log.begin(); next != log.end();) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t max_records = 0;
    request_buffer(&buffer, &size, &max_records);
    std::size_t used = 0;
    while (next != log.end() && used + sizeof(KernelRecord) <= size) used += put(buffer + used, *next++);
    complete_buffer(nullptr, 0, buffer, size, used);
  }
  return scripted("cuptiActivityFlushAll");
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* next = buffer;
  if (*record != nullptr) next = reinterpret_cast<std::uint8_t*>(*record) + size_of(**record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = static_cast<std::size_t>(machine().number("dropped", 0));
  return scripted("cuptiActivityGetNumDroppedRecords");
}

CUptiResult CUPTIAPI cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
  *device = static_cast<std::uint32_t>(context->ordinal);
  return scripted("cuptiGetDeviceId");
}

CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext, CUstream stream, std::uint8_t, std::uint32_t* number) {
  *number = stream->number;
  return scripted("cuptiGetStreamIdEx");
}
}
