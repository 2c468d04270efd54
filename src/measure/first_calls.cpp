#include "measure/first_calls.hpp"

#include <algorithm>

namespace warpclock {
namespace {

struct WallTimes {
  Nanoseconds enqueue{0};
  Nanoseconds finished{0};
};

WallTimes timed_call(Device& device, Workload& workload) {
  workload.prepare(0);
  device.stream().synchronize();
  const auto start = device.host_now();
  workload.call(0);
  const auto enqueued = device.host_now();
  device.stream().synchronize();
  return {enqueued - start, device.host_now() - start};
}

}  // namespace

FirstCalls make_first_calls(Device& device, Workload& workload, bool count) {
  FirstCalls out;
  out.first_call = timed_call(device, workload).finished;
  if (count) {
    auto& stream = device.stream();
    workload.prepare(0);
    stream.start_trace();
    stream.open_window(0);
    workload.call(0);
    stream.close_window();
    out.launches = stream.stop_trace().size();
  }
  const auto second = timed_call(device, workload);
  const auto third = timed_call(device, workload);
  out.enqueue = std::min(second.enqueue, third.enqueue);
  out.duration = std::min(second.finished, third.finished);
  return out;
}

}  // namespace warpclock
