// Takes operands out of the caches by streaming through a buffer that it owns.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace warpclock::cpu {

/// Reads (or writes) one word of every cache line of the first `bytes` of `buffer`, on the calling thread. One thread
/// is enough: a second one was measured to gain nothing, and only the worker itself can clear its core's private
/// caches.
void stream_through(Buffer& buffer, Evict kind, Bytes bytes);

}  // namespace warpclock::cpu
