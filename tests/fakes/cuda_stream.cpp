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
          for (CUstream other : context->streams) other->advance();
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
      const auto written = context->writes.find(const_cast<const std::uint32_t*>(first.word));
      time = std::max(time, written == context->writes.end() ? context->host_time : written->second.time);
      queue.pop_front();
      continue;
    }
    if (first.poll) {
      if (!first.poll()) return false;
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
  wait_until(
      [this] {
        for (CUstream other : context->streams) other->advance();  // one may wait for another
        if (advance()) return true;
        // A host that waits for a sentinel does not stop it: it ends when its time is up.
        const auto& running = context->sentinel;
        const auto idle = [this](CUstream other) { return other == this || other->queue.empty(); };
        if (running && running->start && std::all_of(context->streams.begin(), context->streams.end(), idle)) {
          running->time_out(*context);
        }
        return advance();
      },
      "the host waits for the stream");
  context->host_time = std::max(context->host_time, time);
}

std::uint64_t CUstream_st::occupy(std::uint64_t ns, std::uint64_t gap) {
  const std::uint64_t start = fake::in_steps(time + gap);
  time = start + fake::in_steps(ns);
  context->busy += time - start;
  return start;
}

namespace fake {

bool Sentinel::advance(CUstream_st& side) {
  CUctx_st& context = *side.context;
  const auto reached = [this](std::uint32_t word) { return static_cast<std::int32_t>(word - ticket) >= 0; };
  constexpr std::uint64_t gap = 992;  // as of other kernels
  if (!start) {
    if (Machine::instance().number("starve_sentinel", 0) != 0 && !reached(*running)) return false;
    if (reached(*running)) return true;  // it came too late
    start = Moment{in_steps(side.time + gap), context.busy};
    *running = ticket;
    context.writes[const_cast<std::uint32_t*>(running)] = *start;
    context.sentinel = std::shared_ptr<Sentinel>(std::shared_ptr<Sentinel>(), this);
  }
  if (!end && reached(*stop)) {
    const auto written = context.writes.find(const_cast<const std::uint32_t*>(stop));
    Moment at = written == context.writes.end() ? Moment{context.host_time, context.busy} : written->second;
    at.time = std::max(at.time, start->time + least);
    if (at.time > start->time + longest) {
      time_out(context);
    } else {
      finish(at, true);
    }
  }
  if (!end) return false;
  side.time = std::max(side.time, end->time);
  context.sentinel.reset();
  return true;
}

void Sentinel::time_out(CUctx_st& context) {
  if (!end) finish({start->time + longest, context.busy}, false);
}

void Sentinel::finish(Moment at, bool stopped) {
  end = at;
  const auto mhz = static_cast<std::uint64_t>(Machine::instance().sm_clock());
  const auto busy_mhz = static_cast<std::uint64_t>(Machine::instance().busy_clock());
  const std::uint64_t span = end->time - start->time;
  const std::uint64_t busy = std::min(end->busy - start->busy, span);
  out[0] = (busy * busy_mhz + (span - busy) * mhz) / 1000;
  out[1] = span;
  out[2] = stopped ? 1 : 2;
}

}  // namespace fake
