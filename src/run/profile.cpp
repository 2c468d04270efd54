#include "run/profile.hpp"

#include "run/runner.hpp"

namespace warpclock {
namespace {

void close_marks(Device& device) {
  try {
    device.stop_profiling();
  } catch (const std::exception&) {
    // The cause is already on its way.
  }
}

void marked_call(Device& device, Workload& workload, std::uint32_t copy, const std::string& label) {
  device.stream().synchronize();
  device.start_profiling(label);
  try {
    workload.call(copy);
    device.stream().synchronize();
  } catch (...) {
    close_marks(device);
    throw;
  }
  device.stop_profiling();
}

}  // namespace

void profile_point(Device& device, const Benchmark& benchmark, const Point& point, const Protocol& protocol,
                   const ProfileRequest& request, const std::string& label) {
  const auto workload = set_up(device, benchmark, point, protocol);
  auto& stream = device.stream();
  const auto flush = protocol.cache == CacheState::dirty ? Evict::dirty : Evict::clean;
  for (std::uint32_t i = 0; i < request.warmup + request.calls; ++i) {
    const auto copy = i % workload->copies();
    workload->prepare(copy);
    if (i < request.warmup) {
      workload->call(copy);
      continue;
    }
    if (request.flush) stream.evict(flush, protocol.flush_size.of(device.info().last_level_cache));
    marked_call(device, *workload, copy, label);
  }
  stream.recycle();
}

}  // namespace warpclock
