// One thread that runs commands in order, and the gate that holds it.
#include "backends/cpu/worker.hpp"

#include <fmt/format.h>

#include <system_error>

#include "backends/cpu/clock.hpp"
#include "core/errors.hpp"

namespace warpclock::cpu {
namespace {

constexpr Nanoseconds worker_spin = microseconds(200);  // the worker's patience with an empty queue or a closed gate
constexpr Nanoseconds host_spin = microseconds(20);     // short: a multi-threaded task may need the host's core

template <typename Condition>
bool spin_until(Nanoseconds patience, Condition met) {
  const auto end = Clock::now() + ticks(patience);
  do {
    for (int i = 0; i < 16; ++i) {
      if (met()) return true;
      spin_pause();
    }
  } while (Clock::now() < end);
  return false;
}

}  // namespace

Worker::Worker() try : thread_([this] { run(); }) {
} catch (const std::system_error& error) {
  throw DeviceError(fmt::format("cpu: the worker thread cannot be started: {}", error.what()));
}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void Worker::enqueue(std::function<void()> command) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(command));
    enqueued_.fetch_add(1, std::memory_order_release);
    wake = asleep_;
  }
  if (wake) work_.notify_one();
}

void Worker::drain() {
  const auto target = enqueued_.load(std::memory_order_acquire);
  const auto reached = [&] { return completed_.load(std::memory_order_acquire) >= target; };
  if (spin_until(host_spin, reached)) return;
  std::unique_lock lock(mutex_);
  finished_.wait(lock, reached);
}

bool Worker::take(std::vector<std::function<void()>>& batch) {
  const auto done = completed_.load(std::memory_order_relaxed);
  spin_until(worker_spin, [&] { return enqueued_.load(std::memory_order_acquire) != done; });
  std::unique_lock lock(mutex_);
  asleep_ = true;
  work_.wait(lock, [&] { return stop_ || !pending_.empty(); });
  asleep_ = false;
  batch.swap(pending_);
  return !batch.empty();
}

void Worker::run() {
  std::vector<std::function<void()>> batch;
  while (take(batch)) {
    for (auto& command : batch) command();
    const auto count = batch.size();
    batch.clear();
    {
      const std::lock_guard lock(mutex_);
      completed_.fetch_add(count, std::memory_order_release);
    }
    finished_.notify_all();
  }
}

Gate::Gate(Nanoseconds watchdog) : deadline_(Clock::now() + ticks(watchdog)) {}

void Gate::wait() {
  const auto opened = [this] { return state_.load(std::memory_order_acquire) != State::closed; };
  if (spin_until(std::min(worker_spin, Nanoseconds{deadline_ - Clock::now()}), opened)) return;
  std::unique_lock lock(mutex_);
  if (changed_.wait_until(lock, deadline_, opened)) return;
  auto closed = State::closed;
  state_.compare_exchange_strong(closed, State::expired);
}

bool Gate::open() {
  bool lasted = false;
  {
    const std::lock_guard lock(mutex_);
    auto closed = State::closed;
    lasted = state_.compare_exchange_strong(closed, State::opened);
  }
  changed_.notify_one();
  return lasted;
}

}  // namespace warpclock::cpu
