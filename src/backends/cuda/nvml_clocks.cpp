#include "backends/cuda/nvml_clocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

// Chips have some hundred clocks (an H200 has 110 from 345 to 1980 MHz).
constexpr unsigned many_clocks = 512;
constexpr auto clock_change = std::chrono::milliseconds(100);  // within which a chip follows a new lock

template <class Call>
std::vector<unsigned> list(const Call& call) {
  std::vector<unsigned> clocks(many_clocks);
  auto count = many_clocks;
  int result = call(&count, clocks.data());
  if (result == nvml_insufficient_size) {
    clocks.resize(count);
    result = call(&count, clocks.data());
  }
  clocks.resize(result == nvml_success ? std::min<std::size_t>(count, clocks.size()) : 0);
  std::ranges::sort(clocks);
  return clocks;
}

/// The clocks next to `mhz`: one below and one above, where there are such.
std::string nearest(const std::vector<unsigned>& clocks, double mhz) {
  const auto above = std::ranges::lower_bound(clocks, mhz, {}, [](unsigned clock) { return double{1} * clock; });
  std::vector<unsigned> names;
  if (above != clocks.begin()) names.push_back(*(above - 1));
  if (above != clocks.end()) names.push_back(*above);
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string advice(int result) {
  switch (result) {
    case nvml_no_permission:
      return "only root may lock clocks: run as root, or ask the administrator for it (nvidia-smi -lgc)";
    case nvml_not_supported:
    case nvml_function_not_found:
      return "this product or its driver cannot lock it; measure without a lock";
    default:
      return "see nvidia-smi -q -d CLOCK";
  }
}

unsigned max_clock(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain) {
  const auto clocks = supported_clocks(nvml, chip, domain);
  if (!clocks.empty()) return clocks.back();
  unsigned mhz = 0;
  const unsigned type = domain == ClockDomain::sm ? nvml_clock_sm : nvml_clock_memory;
  if (const auto problem = nvml_problem(nvml, nvml.max_clock, chip, type, &mhz); !problem.empty()) {
    throw DeviceError(
        fmt::format("NVML does not tell the largest {}: {}; give MHz instead", to_string(domain), problem));
  }
  return mhz;
}

/// NVML knows the base clock by name alone, so it is read once the chip has gone there.
double clock_after_lock(const NvmlFunctions& nvml, NvmlHandle chip) {
  std::this_thread::sleep_for(clock_change);
  unsigned mhz = 0;
  const auto problem = nvml_problem(nvml, nvml.clock, chip, unsigned{nvml_clock_sm}, &mhz);
  if (problem.empty() && mhz > 0) return mhz;
  reset_clock(nvml, chip, ClockDomain::sm);
  throw DeviceError(fmt::format("NVML does not tell which clock the base clock is: {}; give MHz instead", problem));
}

}  // namespace

std::vector<unsigned> supported_clocks(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain) {
  if (nvml.memory_clocks == nullptr) return {};
  auto memory = list([&](unsigned* count, unsigned* clocks) { return nvml.memory_clocks(chip, count, clocks); });
  if (domain == ClockDomain::memory || memory.empty() || nvml.graphics_clocks == nullptr) {
    return domain == ClockDomain::memory ? memory : std::vector<unsigned>{};
  }
  return list([&](unsigned* count, unsigned* clocks) {
    return nvml.graphics_clocks(chip, memory.back(), count, clocks);  // work runs at the highest memory clock
  });
}

void check_clock(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain, const ClockWish& wish) {
  if (wish.kind == ClockWish::Kind::base && domain == ClockDomain::memory) {
    throw UsageError("the memory has no base clock; ask for max or for MHz");
  }
  if (wish.kind != ClockWish::Kind::mhz) return;
  const auto clocks = supported_clocks(nvml, chip, domain);
  const auto is_it = [&](unsigned clock) { return std::abs(clock - wish.mhz) < 0.5; };
  if (clocks.empty() || std::ranges::any_of(clocks, is_it)) return;
  throw UsageError(fmt::format("{:g} MHz is no {} of this chip; the nearest are {} MHz", wish.mhz, to_string(domain),
                               nearest(clocks, wish.mhz)));
}

double lock_clock(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain, const ClockWish& wish) {
  check_clock(nvml, chip, domain, wish);
  const bool base = wish.kind == ClockWish::Kind::base;
  const unsigned mhz = base                                ? nvml_clock_limit_tdp
                       : wish.kind == ClockWish::Kind::max ? max_clock(nvml, chip, domain)
                                                           : static_cast<unsigned>(std::lround(wish.mhz));
  const auto lock = domain == ClockDomain::sm ? nvml.lock_sm : nvml.lock_memory;
  const int result = lock == nullptr ? int{nvml_function_not_found} : lock(chip, mhz, mhz);
  if (result != nvml_success) {
    throw DeviceError(
        fmt::format("NVML: {}: {}; {}",
                    domain == ClockDomain::sm ? "nvmlDeviceSetGpuLockedClocks" : "nvmlDeviceSetMemoryLockedClocks",
                    nvml.text(result), advice(result)));
  }
  return base ? clock_after_lock(nvml, chip) : mhz;
}

void reset_clock(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain) {
  const auto unlock = domain == ClockDomain::sm ? nvml.unlock_sm : nvml.unlock_memory;
  const auto problem = nvml_problem(nvml, unlock, chip);
  if (problem.empty()) return;
  throw DeviceError(fmt::format("the lock of the {} cannot be undone: NVML: {}; undo it with nvidia-smi {}",
                                to_string(domain), problem, domain == ClockDomain::sm ? "-rgc" : "-rmc"));
}

}  // namespace warpclock::cuda
