#include "backends/cuda/clock_counters.hpp"

#include <cupti_version.h>

#include "core/errors.hpp"

#if __has_include(<cupti_range_profiler.h>) && CUPTI_API_VERSION >= 24  // CUDA 12.6
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "backends/cuda/cupti.hpp"

namespace warpclock::cuda {

namespace {

// Their ratio is what ncu calls "SM Frequency".
constexpr std::size_t metrics = 2;
std::array<const char*, metrics> metric_names() { return {"sm__cycles_elapsed.avg", "gpu__time_duration.sum"}; }

/// A structure of parameters as CUPTI wants it: zero but for its size.
template <class Params>
Params sized(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

/// CUPTI opens libnvperf_host.so by its bare name, which finds one that is open already: that beside CUPTI, since the
/// two must be of one version.
LibrarySpec nvperf_spec(const std::string& cupti) {
  const auto beside = std::filesystem::path(cupti).parent_path() / "libnvperf_host.so";
  return {"CUPTI's counter library", "WARPCLOCK_LIBNVPERF", {beside.string(), "libnvperf_host.so"}, {}, {}};
}

}  // namespace

/// The functions, and what is made once: the chip's name and the choice of counters.
struct RangeProfiler {
  explicit RangeProfiler(const Context& context);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  void check(int result, const char* call) const { cupti.check(result, call, "the chip's counters"); }

  Cupti cupti;
  Library nvperf;
  std::vector<std::uint8_t> config;
  CUpti_Profiler_Host_Object* host = nullptr;

  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiProfilerDeviceSupported) supported = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) config_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) config_image = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) passes = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerPushRange) push = nullptr;
  decltype(&cuptiRangeProfilerPopRange) pop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;

 private:
  void bind();
  void check_support(const Context& context) const;
  void choose_metric();
  void forget_host() noexcept;
};

RangeProfiler::RangeProfiler(const Context& context)
    : cupti(context.driver().version), nvperf(nvperf_spec(cupti.library.path())) {
  bind();
  auto begin = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  check(initialize(&begin), "cuptiProfilerInitialize");
  check_support(context);
  auto name = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  name.deviceIndex = static_cast<std::size_t>(context.ordinal());
  check(chip_name(&name), "cuptiDeviceGetChipName");
  auto make = sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  make.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  make.pChipName = name.pChipName;
  check(host_initialize(&make), "cuptiProfilerHostInitialize");
  host = make.pHostObject;
  try {
    choose_metric();
  } catch (...) {  // there will be no destructor
    forget_host();
    throw;
  }
}

RangeProfiler::~RangeProfiler() { forget_host(); }

void RangeProfiler::forget_host() noexcept {
  auto end = sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  end.pHostObject = host;
  (void)host_deinitialize(&end);
}

void RangeProfiler::bind() {
  const Library& library = cupti.library;
  library.bind(initialize, "cuptiProfilerInitialize");
  library.bind(supported, "cuptiProfilerDeviceSupported");
  library.bind(chip_name, "cuptiDeviceGetChipName");
  library.bind(host_initialize, "cuptiProfilerHostInitialize");
  library.bind(host_deinitialize, "cuptiProfilerHostDeinitialize");
  library.bind(add_metrics, "cuptiProfilerHostConfigAddMetrics");
  library.bind(config_size, "cuptiProfilerHostGetConfigImageSize");
  library.bind(config_image, "cuptiProfilerHostGetConfigImage");
  library.bind(passes, "cuptiProfilerHostGetNumOfPasses");
  library.bind(evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  library.bind(enable, "cuptiRangeProfilerEnable");
  library.bind(disable, "cuptiRangeProfilerDisable");
  library.bind(data_size, "cuptiRangeProfilerGetCounterDataSize");
  library.bind(data_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  library.bind(set_config, "cuptiRangeProfilerSetConfig");
  library.bind(start, "cuptiRangeProfilerStart");
  library.bind(stop, "cuptiRangeProfilerStop");
  library.bind(push, "cuptiRangeProfilerPushRange");
  library.bind(pop, "cuptiRangeProfilerPopRange");
  library.bind(decode, "cuptiRangeProfilerDecodeData");
}

void RangeProfiler::check_support(const Context& context) const {
  auto ask = sized<CUpti_Profiler_DeviceSupported_Params>(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
  ask.cuDevice = context.device();
  ask.api = CUPTI_PROFILER_RANGE_PROFILING;
  check(supported(&ask), "cuptiProfilerDeviceSupported");
  if (ask.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  const std::array<std::pair<CUpti_Profiler_Support_Level, const char*>, 6> reasons{{
      {ask.architecture, "this chip is older than compute capability 7.0 or newer than this CUPTI"},
      {ask.vGpu, "this is a virtual GPU: its host must permit profiling"},
      {ask.confidentialCompute, "confidential computing is on"},
      {ask.wsl, "under WSL 2 this GPU or driver does not support them"},
      {ask.sli, "SLI is on: turn it off"},
      {ask.cmp, "mining processors do not have them"},
  }};
  std::string why = "CUPTI does not say why";
  for (const auto& [level, reason] : reasons) {
    if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      why = reason;
  }
  throw DeviceError("CUPTI: the chip's counters cannot be read here: " + why);
}

void RangeProfiler::choose_metric() {
  auto add =
      sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  auto names = metric_names();
  add.pHostObject = host;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  check(add_metrics(&add), "cuptiProfilerHostConfigAddMetrics");
  auto size =
      sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = host;
  check(config_size(&size), "cuptiProfilerHostGetConfigImageSize");
  config.resize(size.configImageSize);
  auto image = sized<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = host;
  image.configImageSize = config.size();
  image.pConfigImage = config.data();
  check(config_image(&image), "cuptiProfilerHostGetConfigImage");
  auto count = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  count.configImageSize = config.size();
  count.pConfigImage = config.data();
  check(passes(&count), "cuptiProfilerHostGetNumOfPasses");
  if (count.numOfPasses != 1) {  // the call under measurement is not replayed
    throw DeviceError(fmt::format("CUPTI: {} and {} take {} passes on this chip, only one is possible", names[0],
                                  names[1], count.numOfPasses));
  }
}

/// An enabled range profiler and where it puts its counts.
struct ClockCounters::Session {
  Session(const RangeProfiler& table, const Context& context);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void prepare();
  void push();
  void pop();
  [[nodiscard]] Counts read();

 private:
  void end();

  const RangeProfiler& table_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::uint8_t> data_;
  bool started_ = false;  // between cuptiRangeProfilerStart and Stop
  bool pushed_ = false;   // between PushRange and PopRange
};

ClockCounters::Session::Session(const RangeProfiler& table, const Context& context) : table_(table) {
  auto enable = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = context.handle();
  table_.check(table_.enable(&enable), "cuptiRangeProfilerEnable");
  profiler_ = enable.pRangeProfilerObject;
}

ClockCounters::Session::~Session() {
  try {
    if (pushed_) pop();
    if (started_) end();
  } catch (const DeviceError&) {  // of a context that is lost: disabled all the same
  }
  auto disable = sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  disable.pRangeProfilerObject = profiler_;
  (void)table_.disable(&disable);
}

void ClockCounters::Session::prepare() {
  // Asked of every object, though the answer is the same: without it CUPTI 13.0 crashes in the next call.
  auto size =
      sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  auto names = metric_names();
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  table_.check(table_.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
  data_.resize(size.counterDataSize);
  auto image = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  image.pRangeProfilerObject = profiler_;
  image.counterDataSize = data_.size();
  image.pCounterData = data_.data();
  table_.check(table_.data_initialize(&image), "cuptiRangeProfilerCounterDataImageInitialize");
  auto config = sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  config.pRangeProfilerObject = profiler_;
  config.configSize = table_.config.size();
  config.pConfig = table_.config.data();
  config.counterDataImageSize = data_.size();
  config.pCounterDataImage = data_.data();
  config.range = CUPTI_UserRange;
  config.replayMode = CUPTI_UserReplay;
  config.maxRangesPerPass = 1;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = 1;
  table_.check(table_.set_config(&config), "cuptiRangeProfilerSetConfig");
  auto begin = sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  begin.pRangeProfilerObject = profiler_;
  table_.check(table_.start(&begin), "cuptiRangeProfilerStart");
  started_ = true;
}

void ClockCounters::Session::push() {
  auto push = sized<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  push.pRangeProfilerObject = profiler_;
  push.pRangeName = "call";
  table_.check(table_.push(&push), "cuptiRangeProfilerPushRange");
  pushed_ = true;
}

void ClockCounters::Session::pop() {
  pushed_ = false;
  auto pop = sized<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  pop.pRangeProfilerObject = profiler_;
  table_.check(table_.pop(&pop), "cuptiRangeProfilerPopRange");
}

void ClockCounters::Session::end() {
  started_ = false;
  auto end = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  end.pRangeProfilerObject = profiler_;
  table_.check(table_.stop(&end), "cuptiRangeProfilerStop");
}

ClockCounters::Counts ClockCounters::Session::read() {
  end();
  auto decode = sized<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = profiler_;
  table_.check(table_.decode(&decode), "cuptiRangeProfilerDecodeData");
  std::array<double, metrics> values{};
  auto names = metric_names();
  auto evaluate =
      sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  evaluate.pHostObject = table_.host;
  evaluate.pCounterDataImage = data_.data();
  evaluate.counterDataImageSize = data_.size();
  evaluate.ppMetricNames = names.data();
  evaluate.numMetrics = names.size();
  evaluate.pMetricValues = values.data();
  table_.check(table_.evaluate(&evaluate), "cuptiProfilerHostEvaluateToGpuValues");
  return {values[0], Nanoseconds{values[1]}};
}

ClockCounters::ClockCounters(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

ClockCounters::~ClockCounters() { close(); }

void ClockCounters::prepare() {
  if (!profiler_) profiler_ = std::make_unique<RangeProfiler>(*context_);
  if (!session_) session_ = std::make_unique<Session>(*profiler_, *context_);
  session_->prepare();
}

void ClockCounters::start() { session_->push(); }

void ClockCounters::stop() { session_->pop(); }

std::optional<ClockCounters::Counts> ClockCounters::read() {
  const Counts counts = session_->read();
  if (!std::isfinite(counts.cycles) || !(counts.span > Nanoseconds{0})) return std::nullopt;
  return counts;
}

void ClockCounters::close() noexcept { session_.reset(); }

}  // namespace warpclock::cuda

#else

namespace warpclock::cuda {

struct RangeProfiler {};
struct ClockCounters::Session {};

ClockCounters::ClockCounters(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
ClockCounters::~ClockCounters() = default;
void ClockCounters::prepare() {
  throw DeviceError(
      "CUPTI: this program was built with headers that do not know the range profiler; build it with those "
      "of CUDA 12.6 or newer");
}
void ClockCounters::start() {}
void ClockCounters::stop() {}
std::optional<ClockCounters::Counts> ClockCounters::read() { return std::nullopt; }
void ClockCounters::close() noexcept {}

}  // namespace warpclock::cuda

#endif
