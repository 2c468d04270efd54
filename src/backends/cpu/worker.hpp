// One thread that runs commands in the order in which they were enqueued.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/units.hpp"

namespace warpclock::cpu {

/// An empty queue is watched by spinning for a while before the thread sleeps, so that waking up (some 50 us) does not
/// fall into what is timed. What piled up during a hold is taken in one piece: between two commands of it there is no
/// lock, no allocation and no release of memory.
class Worker {
 public:
  Worker();
  ~Worker();  // runs what is still enqueued
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// `command` must not throw and must not wait for this worker.
  void enqueue(std::function<void()> command);
  /// Waits until everything enqueued before has run.
  void drain();

 private:
  void run();
  bool take(std::vector<std::function<void()>>& batch);

  std::mutex mutex_;
  std::condition_variable work_;      // the worker sleeps on it
  std::condition_variable finished_;  // drain() sleeps on it
  std::vector<std::function<void()>> pending_;
  std::atomic<std::uint64_t> enqueued_{0};
  std::atomic<std::uint64_t> completed_{0};
  bool asleep_ = false;
  bool stop_ = false;
  std::thread thread_;  // last: it starts when everything else is there
};

/// What a hold waits at: closed until open(), or until its deadline lets the worker through.
class Gate {
 public:
  explicit Gate(Nanoseconds watchdog);
  /// Waits, on the worker, until the gate is opened or the deadline has passed.
  void wait();
  /// return: true if the gate was closed until now
  bool open();

 private:
  enum class State : std::uint8_t { closed, opened, expired };
  std::chrono::steady_clock::time_point deadline_;
  std::atomic<State> state_{State::closed};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace warpclock::cpu
