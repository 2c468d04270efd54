#include "fakes/cuda_stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace {

constexpr std::size_t queue_limit = 1024;  // commands, as on an H200
constexpr long usual_host_ns = 512;        // that the host needs to enqueue a command: less than any command takes
constexpr auto patience = std::chrono::seconds(10);

/// Polls `done` in real time; a test that would hang for ever ends here instead.
template <class Done>
void wait_until(const Done& done, const char* what) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) {
      std::fprintf(stderr, "stand-in for the driver: deadlock, %s and nobody lifts the hold\n", what);
      std::_Exit(9);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace

void CUstream_st::enqueue(Command command) {
  advance();
  if (queue.size() >= queue_limit) {
    wait_until(
        [this] {
          advance();
          return queue.size() < queue_limit;
        },
        "the launch queue is full");
  }
  command.ready = context->host_time +=
      fake::in_steps(static_cast<std::uint64_t>(fake::Machine::instance().number("host_ns", usual_host_ns)));
  queue.push_back(std::move(command));
  advance();
}

bool CUstream_st::advance() {
  while (!queue.empty()) {
    const Command& first = queue.front();
    if (first.word != nullptr) {
      const auto behind = static_cast<std::int32_t>(*first.word - first.value);  // CU_STREAM_WAIT_VALUE_GEQ
      if (behind < 0) return false;
      time = std::max(time, context->host_time);
      queue.pop_front();
      continue;
    }
    time = std::max(time, first.ready);
    const auto run = std::move(queue.front().run);
    queue.pop_front();
    if (context->broken == CUDA_SUCCESS) run();
  }
  return true;
}

void CUstream_st::wait() {
  wait_until([this] { return advance(); }, "the host waits for the stream");
  context->host_time = std::max(context->host_time, time);
}

std::uint64_t CUstream_st::occupy(std::uint64_t ns, std::uint64_t gap) {
  const std::uint64_t start = fake::in_steps(time + gap);
  time = start + fake::in_steps(ns);
  return start;
}
