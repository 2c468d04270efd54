// The device's side: in which order and when the commands of the queue reach the chip.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "backends/sim/queue.hpp"

namespace warpclock::sim {

Nanoseconds Queue::device_done() const { return std::max(free_, side_free_); }

// Ends the hold at `at`: all that it held runs now, in order.
void Queue::lift(Nanoseconds at) {
  if (at == deadline_ && hold_ == Hold::holding) ++counters_.watchdogs;
  hold_ = Hold::lifted;
  gate_ = at;
  for (const auto& command : held_) execute(command);
  held_.clear();
  held_kernels_used_ = 0;
}

void Queue::execute(const Command& command) {
  const auto interval = command.kind == Kind::side ? run_aside(command) : run_on_chip(command);
  if (command.breaks_device && broken_by_.empty()) broken_by_ = command.kernel->name;
  if (config_.queue_limit != 0) ends_[executed_ % config_.queue_limit] = interval.end;
  ++executed_;
  record(command, interval);
}

// A mark stamps the moment it is reached and then keeps the stream for mark_floor, so that two of them around nothing
// differ by that much. A kernel waits for its gap after what was before it: behind a mark call_offset less mark_floor,
// so that two marks around one kernel differ by its record plus call_offset.
Queue::Interval Queue::run_on_chip(const Command& command) {
  const auto ready = std::max(command.ready, gate_) + config_.launch_latency;
  const bool is_kernel = command.kind == Kind::kernel || command.kind == Kind::oracle;
  if (!is_kernel) free_ = std::max(free_, std::exchange(join_, Nanoseconds{0}));
  if (command.kind == Kind::mark) {
    const auto start = std::max(ready, free_ + std::exchange(drain_, Nanoseconds{0}));
    marks_[command.ticket].at = chip_.stamp(start);
    free_ = start + config_.mark_floor;
    after_kernel_ = false;
    return {start, free_};
  }
  const auto gap = after_kernel_ ? config_.kernel_gap : config_.call_offset - config_.mark_floor;
  const auto start = std::max(ready, free_ + gap);
  switch (command.kind) {
    case Kind::probe:
      probes_[command.ticket] = chip_.probe(start);
      free_ = start + config_.probe_time;
      break;
    case Kind::evict:
      free_ = chip_.evict(command.evict, command.first.bytes, start);
      break;
    case Kind::touch:
      free_ = chip_.touch(std::array{command.first, command.second}, start);
      break;
    case Kind::transfer:
      free_ = chip_.transfer(command.first, start);
      break;
    default:
      free_ = command.kind == Kind::oracle ? chip_.oracle(*command.kernel, start) : chip_.run(*command.kernel, start);
      last_kernel_time_ = free_ - start;
  }
  drain_ = command.kernel != nullptr ? command.kernel->drain : Nanoseconds{0};
  after_kernel_ = true;
  return {start, free_};
}

// The side stream has waited for all that is in this stream so far, and for its own work.
Queue::Interval Queue::run_aside(const Command& command) {
  const auto ready = std::max(command.ready, gate_) + config_.launch_latency;
  const auto start = std::max({ready, free_ + config_.kernel_gap, side_free_ + config_.kernel_gap});
  side_free_ = chip_.run(*command.kernel, start);
  last_kernel_time_ = side_free_ - start;
  if (command.joined) join_ = std::max(join_, side_free_);
  return {start, side_free_};
}

void Queue::record(const Command& command, Interval interval) {
  if (!command.window || command.record_kind == nullptr) return;
  const auto in_steps = [this](Nanoseconds at) { return std::floor(at / config_.record_step) * config_.record_step; };
  records_.push_back({.name = command.kernel != nullptr && command.kind != Kind::oracle ? command.kernel->name
                                                                                        : std::string(command.name),
                      .kind = command.record_kind,
                      .window = *command.window,
                      .start = in_steps(interval.start),
                      .end = in_steps(interval.end)});
}

}  // namespace warpclock::sim
