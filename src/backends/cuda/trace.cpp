#include "backends/cuda/trace.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include "backends/cuda/cupti.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

constexpr CUpti_ActivityKind traced_kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                               CUPTI_ACTIVITY_KIND_MEMSET};
constexpr std::size_t buffer_bytes = std::size_t{4} << 20;  // some 20,000 kernel records
constexpr std::size_t buffer_alignment = 8;                 // CUPTI's documented minimum

// CUPTI's callbacks carry no user data, and threads of its own call them: what they fill is process-wide.
struct Sink {
  std::mutex mutex;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  std::vector<Activity> log;
};
Sink& sink() {
  static Sink instance;
  return instance;
}

// Only the fields that stand at the same place in the records of CUPTI 12.0 to 13.0 are read: CUpti_ActivityKernel8,
// 9 and 10 are the same up to `name` (and on to graphId), Memcpy5 and 6 up to correlationId, Memset4 is one struct.
// Newer versions append. (Compared in cupti_activity.h and cupti_activity_deprecated.h of 13.0.)
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using FillRecord = CUpti_ActivityMemset4;

template <class R>
void take_common(Activity& to, const R& from) {
  to.start = from.start;
  to.end = from.end;
  to.device = from.deviceId;
  to.stream = from.streamId;
  to.correlation = from.correlationId;
}

void take_record(std::vector<Activity>& log, const CUpti_Activity* record) {
  Activity a;
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = *reinterpret_cast<const KernelRecord*>(record);
      take_common(a, kernel);
      a.kind = Activity::Kind::kernel;
      if (kernel.name != nullptr) a.name = kernel.name;
      a.block_threads = static_cast<std::uint32_t>(kernel.blockX * kernel.blockY * kernel.blockZ);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      take_common(a, *reinterpret_cast<const CopyRecord*>(record));
      a.kind = Activity::Kind::copy;
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      take_common(a, *reinterpret_cast<const FillRecord*>(record));
      a.kind = Activity::Kind::fill;
      break;
    default:
      return;
  }
  log.push_back(std::move(a));
}

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  Sink& to = sink();
  {
    const std::lock_guard lock(to.mutex);
    CUpti_Activity* record = nullptr;
    while (to.next_record(buffer, valid, &record) == CUPTI_SUCCESS) take_record(to.log, record);
  }
  std::free(buffer);
}

void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

Tracer::Tracer(std::unique_ptr<Cupti> cupti, std::string kernel_release_file)
    : cupti_(std::move(cupti)), kernel_release_file_(std::move(kernel_release_file)) {
  sink().next_record = cupti_->next_record;
}

Tracer::~Tracer() {
  if (running_) switch_off();
}

std::shared_ptr<Tracer> Tracer::shared(const Driver& driver) {
  static std::mutex mutex;
  static std::shared_ptr<Tracer> tracer;
  const std::lock_guard lock(mutex);
  if (!tracer) tracer = std::make_shared<Tracer>(std::make_unique<Cupti>(driver.version));
  return tracer;
}

std::string Tracer::library() const {
  return fmt::format("{} ({}, version {})", cupti_->library.path(), cupti_->library.found_by(), cupti_->version);
}

void Tracer::check(int result, const char* call) const { cupti_->check(result, call, "tracing", kernel_release_file_); }

void Tracer::start() {
  if (running_) {
    throw DeviceError("CUPTI: a trace is running already in this process; measure devices side by side in processes");
  }
  check(cupti_->subscribe(&cupti_->subscriber, ignore_callback, nullptr), "cuptiSubscribe");
  running_ = true;
  try {
    // Every time: another tool may have put its own in between, and after its own session they are not ours.
    check(cupti_->register_callbacks(buffer_requested, buffer_completed), "cuptiActivityRegisterCallbacks");
    for (const CUpti_ActivityKind kind : traced_kinds) check(cupti_->enable(kind), "cuptiActivityEnable");
  } catch (const DeviceError&) {
    switch_off();
    throw;
  }
  const std::lock_guard lock(sink().mutex);
  sink().log.clear();
}

void Tracer::switch_off() {
  for (const CUpti_ActivityKind kind : traced_kinds) (void)cupti_->disable(kind);
  (void)cupti_->unsubscribe(cupti_->subscriber);
  running_ = false;
}

std::vector<Activity> Tracer::stop(const Context& context, std::size_t& lost) {
  std::uint32_t device = 0;
  {
    const ContextGuard guard(context);
    const int flushed = cupti_->flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const int dropped = cupti_->dropped_records(nullptr, 0, &lost);
    const int identified = cupti_->device_id(context.handle(), &device);
    switch_off();
    check(flushed, "cuptiActivityFlushAll");
    if (dropped != CUPTI_SUCCESS) lost = 0;  // CUPTI without a count: what is missing shows in the windows
    check(identified, "cuptiGetDeviceId");
  }
  std::vector<Activity> log;
  {
    const std::lock_guard lock(sink().mutex);
    log.swap(sink().log);
  }
  std::erase_if(log, [&](const Activity& a) { return a.device != device; });
  return log;
}

std::uint32_t Tracer::stream_number(const Context& context, CUstream stream) const {
  std::uint32_t number = 0;
  check(cupti_->stream_id(context.handle(), stream, 0, &number), "cuptiGetStreamIdEx");
  return number;
}

}  // namespace warpclock::cuda
