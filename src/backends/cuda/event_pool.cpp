#include "backends/cuda/event_pool.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors.hpp"

namespace warpclock::cuda {

EventPool::EventPool(std::shared_ptr<const Context> context, std::size_t reserve) : context_(std::move(context)) {
  const ContextGuard guard(*context_);
  while (events_.size() < reserve) create();
}

EventPool::~EventPool() {
  const ContextGuard guard(*context_, std::nothrow);
  for (CUevent event : events_) (void)context_->driver().event_destroy(event);
}

void EventPool::create() {
  events_.reserve(events_.size() + 1);
  CUevent event = nullptr;
  context_->check(context_->driver().event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  events_.push_back(event);
}

std::uint32_t EventPool::record(CUstream stream) {
  const ContextGuard guard(*context_);
  if (used_ == events_.size()) create();
  context_->check(context_->driver().event_record(events_[used_], stream), "cuEventRecord");
  return static_cast<std::uint32_t>(used_++);
}

Nanoseconds EventPool::elapsed(std::uint32_t a, std::uint32_t b) const {
  if (a >= used_ || b >= used_) {
    throw UsageError(fmt::format("{}: mark {} or {} was not made since the last recycle()", context_->id(), a, b));
  }
  const ContextGuard guard(*context_);
  float milliseconds = 0;
  context_->check(context_->driver().event_elapsed(&milliseconds, events_[a], events_[b]), "cuEventElapsedTime");
  return warpclock::milliseconds(static_cast<double>(milliseconds));
}

}  // namespace warpclock::cuda
