#include "measure/setup.hpp"

#include <algorithm>

#include "device/abilities.hpp"

namespace warpclock {
namespace {

// A spin cover outlasts the host by this factor, since the host's time varies from call to call.
constexpr double spin_margin = 3;
constexpr auto shortest_spin = microseconds(50);

/// Host time of one mark: what is enqueued behind the cover beside the call itself.
Nanoseconds enqueue_of_a_mark(Device& device) {
  auto& stream = device.stream();
  stream.mark();
  const auto start = device.host_now();
  stream.mark();
  const auto time = device.host_now() - start;
  stream.synchronize();
  stream.recycle();
  return time;
}

}  // namespace

Cover usable_cover(const DeviceInfo& info, const Protocol& protocol, bool hold_allowed) {
  if (protocol.cover == Cover::hold && (!hold_allowed || !can(info, "hold"))) return Cover::none;
  return protocol.cover;
}

SampleSetup sample_setup(Session& session, const Protocol& protocol, Nanoseconds enqueue, bool hold_allowed) {
  const auto& info = session.device().info();
  SampleSetup setup{
      .cache = protocol.cache,
      .flush_bytes = protocol.flush_size.of(info.last_level_cache),
      .cover = usable_cover(info, protocol, hold_allowed),
      .batch = protocol.batch,
      .watchdog = protocol.watchdog,
  };
  if (protocol.cache == CacheState::warm || protocol.cache == CacheState::rotate) setup.flush_bytes = 0;
  if (setup.cover == Cover::spin) {
    setup.cover_time =
        std::max(shortest_spin, (enqueue * protocol.batch + enqueue_of_a_mark(session.device())) * spin_margin);
  } else if (setup.cover == Cover::matmul) {
    setup.cover_time = session.cover_matmul_time();
  }
  return setup;
}

std::string cache_label(CacheState cache) {
  switch (cache) {
    case CacheState::cold:
      return "cold-clean";
    case CacheState::dirty:
      return "cold-dirty";
    case CacheState::warm:
      return "warm";
    case CacheState::rotate:
      return "rotated";
  }
  return "?";
}

}  // namespace warpclock
