#include "backends/cuda/probe_pool.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

// Page-locked memory is slow to make, so slots come in chunks; the first holds all that a usual block of samples needs.
constexpr std::size_t chunk_slots = 2048;

}  // namespace

ProbePool::ProbePool(std::shared_ptr<const Context> context) : context_(std::move(context)) {
  chunks_.push_back(std::make_unique<MappedMemory>(context_, chunk_slots * sizeof(Slot)));
}

ProbePool::Slot* ProbePool::host(std::uint32_t slot) const {
  return static_cast<Slot*>(chunks_[slot / chunk_slots]->host()) + slot % chunk_slots;
}

CUdeviceptr ProbePool::device(std::uint32_t slot) const {
  return chunks_[slot / chunk_slots]->device() + slot % chunk_slots * sizeof(Slot);
}

std::uint32_t ProbePool::take() {
  if (used_ == chunks_.size() * chunk_slots) {
    chunks_.push_back(std::make_unique<MappedMemory>(context_, chunk_slots * sizeof(Slot)));
  }
  const auto slot = static_cast<std::uint32_t>(used_++);
  *host(slot) = {};
  return slot;
}

double ProbePool::clock_mhz(std::uint32_t slot) const {
  if (slot >= used_) {
    throw UsageError(fmt::format("{}: clock probe {} was not made since the last recycle()", context_->id(), slot));
  }
  const Slot& read = *host(slot);
  if (read.nanoseconds == 0) return 0;
  return static_cast<double>(read.cycles) * 1e3 / static_cast<double>(read.nanoseconds);
}

}  // namespace warpclock::cuda
