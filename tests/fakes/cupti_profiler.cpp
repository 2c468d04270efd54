// Stand-in for CUPTI's range profiler: one range a pass, whose one metric is the mean clock of the virtual device
// between its ends. Out of order it answers as the real one, and it ends the program where the real one crashes.
#include <cupti_version.h>

#if __has_include(<cupti_range_profiler.h>) && CUPTI_API_VERSION >= 24
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fakes/cuda_stream.hpp"
#include "fakes/machine.hpp"

struct CUpti_RangeProfiler_Object {
  CUcontext context = nullptr;
  bool sized = false;  // GetCounterDataSize was called
  bool configured = false;
  bool started = false;
  bool pushed = false;
  bool popped = false;
  fake::Moment begin, end;
  std::uint8_t* data = nullptr;
};

struct CUpti_Profiler_Host_Object {
  bool metric = false;
};

namespace {

constexpr std::size_t image_bytes = 64;

fake::Machine& machine() { return fake::Machine::instance(); }
CUptiResult scripted(const char* function) { return static_cast<CUptiResult>(machine().error_of(function)); }

/// What a call answers: the script's error, or INVALID_OPERATION where it comes out of order.
CUptiResult answer(const char* function, bool in_order = true) {
  if (const CUptiResult result = scripted(function); result != CUPTI_SUCCESS) return result;
  return in_order ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

fake::Moment now(CUcontext context) {
  fake::Moment moment{context->host_time, context->busy};
  for (CUstream stream : context->streams) moment.time = std::max(moment.time, stream->time);
  return moment;
}

double cycles(const fake::Moment& begin, const fake::Moment& end) {
  const auto mhz = static_cast<double>(machine().sm_clock());
  const auto busy_mhz = static_cast<double>(machine().busy_clock());
  const auto span = static_cast<double>(end.time - begin.time);
  const auto busy = std::min(static_cast<double>(end.busy - begin.busy), span);
  return (busy * busy_mhz + (span - busy) * mhz) * 1e-3;
}

bool known_metrics(const char** names, std::size_t n) {
  return n == 2 && std::strcmp(names[0], "sm__cycles_elapsed.avg") == 0 &&
         std::strcmp(names[1], "gpu__time_duration.sum") == 0;
}

}  // namespace

extern "C" {

CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return answer("cuptiProfilerInitialize");
}

CUptiResult CUPTIAPI cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* p) {
  const auto level = [](const char* key) {
    return machine().text("unsupported") == key ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED
                                                : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  };
  p->architecture = level("architecture");
  p->sli = level("sli");
  p->vGpu = level("vgpu");
  p->confidentialCompute = level("confidential");
  p->cmp = level("cmp");
  p->wsl = level("wsl");
  p->isSupported = machine().text("unsupported").empty() ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED
                                                         : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  return answer("cuptiProfilerDeviceSupported");
}

CUptiResult CUPTIAPI cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  p->pChipName = "GH100";
  return answer("cuptiDeviceGetChipName");
}

CUptiResult CUPTIAPI cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  const CUptiResult result = answer("cuptiProfilerHostInitialize", std::strcmp(p->pChipName, "GH100") == 0);
  if (result == CUPTI_SUCCESS) p->pHostObject = new CUpti_Profiler_Host_Object;
  return result;
}
CUptiResult CUPTIAPI cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  delete p->pHostObject;
  return answer("cuptiProfilerHostDeinitialize");
}

CUptiResult CUPTIAPI cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  p->pHostObject->metric = known_metrics(p->ppMetricNames, p->numMetrics);
  return answer("cuptiProfilerHostConfigAddMetrics", p->pHostObject->metric);
}
CUptiResult CUPTIAPI cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  p->configImageSize = image_bytes;
  return answer("cuptiProfilerHostGetConfigImageSize", p->pHostObject->metric);
}
CUptiResult CUPTIAPI cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  std::fill_n(p->pConfigImage, p->configImageSize, std::uint8_t{7});
  return answer("cuptiProfilerHostGetConfigImage", p->configImageSize == image_bytes);
}
CUptiResult CUPTIAPI cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  p->numOfPasses = static_cast<std::size_t>(machine().number("passes", 1));
  return answer("cuptiProfilerHostGetNumOfPasses", *p->pConfigImage == 7);
}
CUptiResult CUPTIAPI cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  std::memcpy(p->pMetricValues, p->pCounterDataImage, 2 * sizeof(double));
  return answer("cuptiProfilerHostEvaluateToGpuValues", known_metrics(p->ppMetricNames, p->numMetrics));
}

CUptiResult CUPTIAPI cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  if (const CUptiResult result = answer("cuptiRangeProfilerEnable"); result != CUPTI_SUCCESS) return result;
  if (machine().cupti_sessions != 0) return CUPTI_ERROR_INVALID_OPERATION;  // never beside activity tracing
  ++machine().profiler_sessions;
  p->pRangeProfilerObject = new CUpti_RangeProfiler_Object;
  p->pRangeProfilerObject->context = p->ctx;
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* p) {
  --machine().profiler_sessions;
  const bool in_order = !p->pRangeProfilerObject->started;
  delete p->pRangeProfilerObject;
  return answer("cuptiRangeProfilerDisable", in_order);
}

CUptiResult CUPTIAPI cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  p->pRangeProfilerObject->sized = true;
  p->counterDataSize = image_bytes;
  return answer("cuptiRangeProfilerGetCounterDataSize",
                known_metrics(p->pMetricNames, p->numMetrics) && p->maxNumOfRanges == 1);
}
CUptiResult CUPTIAPI
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params* p) {
  if (!p->pRangeProfilerObject->sized) {
    std::fputs("stand-in for CUPTI: the real one crashes here without cuptiRangeProfilerGetCounterDataSize\n", stderr);
    std::abort();
  }
  std::fill_n(p->pCounterData, p->counterDataSize, std::uint8_t{0});
  return answer("cuptiRangeProfilerCounterDataImageInitialize", p->counterDataSize == image_bytes);
}
CUptiResult CUPTIAPI cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  CUpti_RangeProfiler_Object& profiler = *p->pRangeProfilerObject;
  profiler.data = p->pCounterDataImage;
  profiler.configured =
      p->configSize == image_bytes && p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay;
  return answer("cuptiRangeProfilerSetConfig", profiler.configured);
}

CUptiResult CUPTIAPI cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* p) {
  CUpti_RangeProfiler_Object& profiler = *p->pRangeProfilerObject;
  const bool in_order = profiler.configured && !profiler.started;
  const CUptiResult result = answer("cuptiRangeProfilerStart", in_order);
  if (result == CUPTI_SUCCESS) profiler.started = true;
  return result;
}
CUptiResult CUPTIAPI cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* p) {
  CUpti_RangeProfiler_Object& profiler = *p->pRangeProfilerObject;
  profiler.pushed = true;
  profiler.popped = false;
  profiler.begin = now(profiler.context);
  return answer("cuptiRangeProfilerPushRange", profiler.started);
}
CUptiResult CUPTIAPI cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* p) {
  CUpti_RangeProfiler_Object& profiler = *p->pRangeProfilerObject;
  profiler.popped = profiler.pushed;
  profiler.pushed = false;
  profiler.end = now(profiler.context);
  return answer("cuptiRangeProfilerPopRange", profiler.started && profiler.popped);
}
CUptiResult CUPTIAPI cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  CUpti_RangeProfiler_Object& profiler = *p->pRangeProfilerObject;
  const bool in_order = profiler.started && !profiler.pushed;
  profiler.started = false;
  p->isAllPassSubmitted = 1;
  return answer("cuptiRangeProfilerStop", in_order);
}
CUptiResult CUPTIAPI cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  CUpti_RangeProfiler_Object& profiler = *p->pRangeProfilerObject;
  const bool none = machine().number("no_counts", 0) != 0;
  const double values[] = {none ? 0.0 / 0.0 : cycles(profiler.begin, profiler.end),
                           none ? 0.0 / 0.0 : static_cast<double>(profiler.end.time - profiler.begin.time)};
  std::memcpy(profiler.data, values, sizeof values);
  return answer("cuptiRangeProfilerDecodeData", !profiler.started && profiler.popped);
}

}  // extern "C"

#endif
