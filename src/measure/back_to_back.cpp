#include "measure/back_to_back.hpp"

#include <algorithm>

namespace warpclock {
namespace {

constexpr auto chunk = milliseconds(5);
constexpr std::size_t most_in_chunk = 1000;
// Work that is kept in front of the device, so that it never waits for the host, nor for a reading of the chip's state
// (6 ms on an H200).
constexpr auto backlog = milliseconds(40);
constexpr std::size_t trial_calls = 64;

}  // namespace

BackToBack::BackToBack(Device& device, Workload& workload, Nanoseconds duration)
    : device_(device), workload_(workload), per_call_(std::max(duration, Nanoseconds{1})) {
  // A single call holds the host's share and the wait for it; a row of them does not.
  run(per_call_ * static_cast<double>(calls_in(chunk, trial_calls)));
}

std::size_t BackToBack::calls_in(Nanoseconds time, std::size_t most) const {
  const double calls = std::min(time / per_call_, static_cast<double>(most));
  return std::max<std::size_t>(1, static_cast<std::size_t>(calls));
}

void BackToBack::enqueue(std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) {
    workload_.call(next_copy_);
    next_copy_ = (next_copy_ + 1) % workload_.copies();
  }
}

Nanoseconds BackToBack::run(Nanoseconds time, const std::function<bool()>& meanwhile) {
  auto& stream = device_.stream();
  for (std::uint32_t copy = 0; copy < workload_.copies(); ++copy) workload_.prepare(copy);
  const auto begin = stream.mark();
  const auto start = device_.host_now();
  Nanoseconds enqueued{0};
  std::size_t calls = 0;
  while (enqueued < time) {
    const auto n = calls_in(std::min(chunk, time - enqueued), most_in_chunk);
    enqueue(n);
    calls += n;
    enqueued += per_call_ * static_cast<double>(n);
    if (!meanwhile()) break;
    const auto ahead = enqueued - (device_.host_now() - start);
    if (ahead > backlog) device_.host_wait(ahead - backlog);
  }
  const auto end = stream.mark();
  stream.synchronize();
  const auto span = stream.elapsed(begin, end);
  stream.recycle();
  if (span > Nanoseconds{0}) per_call_ = span / static_cast<double>(calls);
  return per_call_;
}

}  // namespace warpclock
