#include "backends/cuda/meters.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors.hpp"

namespace warpclock::cuda {

Meters::Meters(std::shared_ptr<const Context> context, std::shared_ptr<const Module> kernels, CUstream measured,
               bool memory_operations, std::string sentinel_problem)
    : context_(std::move(context)),
      kernels_(std::move(kernels)),
      measured_(measured),
      memory_operations_(memory_operations),
      sentinel_problem_(std::move(sentinel_problem)),
      counters_(context_) {}

std::string Meters::problem(ClockMeter meter) {
  if (meter == ClockMeter::sentinel) return sentinel_problem_;
  if (counters_problem_) return *counters_problem_;
  try {
    leave();
    begin(ClockMeter::counters, {});
    void* arguments[] = {nullptr};
    context_->check(context_->driver().launch_kernel(kernels_->function("warpclock_empty"), 1, 1, 1, 1, 1, 1, 0,
                                                     measured_, arguments, nullptr),
                    "cuLaunchKernel");
    counters_problem_ = read() ? "" : "CUPTI: counted no cycles while a kernel ran; use another CUPTI";
  } catch (const DeviceError& error) {
    counters_problem_ = error.what();
  }
  leave();
  return *counters_problem_;
}

void Meters::start(ClockMeter meter, Nanoseconds longest) {
  abandon();
  if (const std::string why = problem(meter); !why.empty()) {
    throw DeviceError(fmt::format("{}: the effective clock cannot be measured: {}", context_->id(), why));
  }
  begin(meter, longest);
}

void Meters::begin(ClockMeter meter, Nanoseconds longest) {
  if (meter == ClockMeter::sentinel) {
    if (!sentinel_) sentinel_ = std::make_unique<Sentinel>(context_, *kernels_, measured_, memory_operations_);
    sentinel_->start(longest);
  } else {
    synchronize();  // ranges are no commands of the stream
    counters_.start();
  }
  running_ = meter;
  stopped_ = false;
}

void Meters::stop() {
  if (!running_ || stopped_) return;
  if (*running_ == ClockMeter::sentinel) {
    sentinel_->stop();
  } else {
    synchronize();
    counters_.stop();
  }
  stopped_ = true;
}

std::optional<double> Meters::read() {
  if (!running_) return std::nullopt;
  try {
    stop();
    const auto mhz = *running_ == ClockMeter::sentinel ? sentinel_->read() : counters_.read();
    running_.reset();
    return mhz;
  } catch (...) {
    abandon();
    throw;
  }
}

void Meters::abandon() noexcept {
  if (!running_) return;
  if (*running_ == ClockMeter::sentinel) {
    sentinel_->abandon();
  } else {
    counters_.close();  // a range that was begun cannot be left out
  }
  running_.reset();
}

void Meters::leave() noexcept {
  abandon();
  counters_.close();
}

void Meters::synchronize() const {
  context_->check(context_->driver().stream_synchronize(measured_), "cuStreamSynchronize");
}

}  // namespace warpclock::cuda
