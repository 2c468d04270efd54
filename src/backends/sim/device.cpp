#include "backends/sim/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/queue.hpp"
#include "core/errors.hpp"

namespace warpclock::sim {
namespace {

/// What buffers take, shared with them since a buffer may outlive its device.
struct Heap {
  Bytes free = 0;
  std::uint64_t next_id = first_buffer_id;
  std::uintptr_t next_address = std::uintptr_t{1} << 44;  // where no process has memory: a dereference shows at once
};

class VirtualBuffer final : public SimBuffer {
 public:
  VirtualBuffer(std::shared_ptr<Heap> heap, Bytes size)
      : heap_(std::move(heap)), size_(size), id_(heap_->next_id++), address_(heap_->next_address) {
    heap_->free -= size;
    heap_->next_address += (size + 511) / 256 * 256;  // buffers never touch each other
  }
  ~VirtualBuffer() override { heap_->free += size_; }

  [[nodiscard]] Bytes size() const override { return size_; }
  [[nodiscard]] void* address() const override { return reinterpret_cast<void*>(address_); }
  [[nodiscard]] std::uint64_t id() const override { return id_; }

 private:
  std::shared_ptr<Heap> heap_;
  Bytes size_;
  std::uint64_t id_;
  std::uintptr_t address_;
};

std::vector<Ability> abilities(const SimConfig& config) {
  std::vector<Ability> list = {
      {"hold", config.holding, config.holding ? "scripted, in virtual time" : "switched off by the script"},
      {"tracing", config.tracing, config.tracing ? "exact records of the model" : "switched off by the script"},
      {"clock probe", true, fmt::format("true clock with {:g} % noise", config.probe_noise * 100)},
  };
  for (const auto& rate : config.compute) {
    list.push_back({rate.type, true, fmt::format("{:g} flop per clock and SM", rate.flops_per_clock)});
  }
  return list;
}

DeviceInfo describe(const SimConfig& config) {
  DeviceInfo info;
  info.id = config.id;
  info.backend = "sim";
  info.name = config.name;
  info.identity = fmt::format("{}, seed {}", config.name, config.seed);
  info.last_level_cache = config.l2;
  info.last_level_cache_source = "script of the simulated device";
  info.memory_total = config.memory;
  info.mark_timer = "virtual device clock";
  info.mark_step = config.mark_step;
  if (config.tracing) {
    info.record_timer = "virtual activity record";
    info.record_step = config.record_step;
  }
  info.queue_limit = config.queue_limit;
  info.nominal_clock_mhz = config.nominal_clock_mhz;
  info.computes = false;
  for (const auto& rate : config.compute) info.compute_types.push_back(rate.type);
  info.peaks = peaks(config);
  info.abilities = abilities(config);
  info.details = {{"multiprocessors", std::to_string(config.multiprocessors)},
                  {"nominal clock", fmt::format("{:g} MHz", config.nominal_clock_mhz)},
                  {"memory bandwidth", fmt::format("{:g} GB/s", config.nominal_bandwidth / 1e9)},
                  {"power limiter", config.limiter.enabled ? "on" : "off"},
                  {"seed", std::to_string(config.seed)}};
  return info;
}

/// MHz that a wish means.  throws UsageError for a clock that the chip does not have
double lockable(const SimConfig& config, const ClockWish& wish) {
  const double most = config.nominal_clock_mhz;
  if (wish.kind == ClockWish::Kind::max) return most;
  if (wish.kind == ClockWish::Kind::base) return config.base_clock_mhz;
  const double step = config.clock_step_mhz;
  const double near =
      std::clamp(most - step * std::round((most - wish.mhz) / step), std::min(most, config.lowest_clock_mhz), most);
  if (near == wish.mhz) return near;
  throw UsageError(fmt::format("sim: {:g} MHz is no SM clock of this chip; the nearest is {:g} MHz", wish.mhz, near));
}

class VirtualDevice final : public SimDevice {
 public:
  explicit VirtualDevice(SimConfig config)
      : config_(std::move(config)),
        info_(describe(config_)),
        queue_(config_),
        heap_(std::make_shared<Heap>(Heap{.free = config_.memory})) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] MemoryState memory() const override { return {.total = config_.memory, .free = heap_->free}; }
  [[nodiscard]] SimStream& stream() override { return queue_; }
  [[nodiscard]] Nanoseconds host_now() const override { return queue_.host_now(); }
  void host_wait(Nanoseconds duration) override { queue_.host_wait(duration); }
  void check_clock(ClockDomain domain, const ClockWish& wish) override {
    if (domain == ClockDomain::sm) static_cast<void>(lockable(config_, wish));
  }
  double lock_clock(ClockDomain domain, const ClockWish& wish) override {
    if (domain == ClockDomain::memory) throw DeviceError("sim: the simulated memory has no clock to lock");
    const double mhz = lockable(config_, wish);
    if (!config_.locking) throw DeviceError("sim: the script permits no lock; set SimConfig::locking");
    queue_.lock_clock(mhz);
    return mhz;
  }
  void unlock_clocks() override { queue_.lock_clock(std::nullopt); }
  [[nodiscard]] const SimConfig& config() const override { return config_; }
  [[nodiscard]] const SimCounters& counters() const override { return queue_.counters(); }
  [[nodiscard]] Bytes resident(const Buffer& buffer) const override {
    return queue_.chip().cache().resident(operand(buffer, Access::read).id);
  }
  [[nodiscard]] Bytes dirty() const override { return queue_.chip().cache().dirty(); }
  [[nodiscard]] double true_clock_mhz() const override {
    return queue_.chip().clock().mhz(std::max(queue_.host_now(), queue_.device_done()));
  }

  [[nodiscard]] std::unique_ptr<Buffer> allocate(Bytes bytes) override {
    queue_.require_alive("allocate");
    if (bytes > heap_->free) {
      throw DeviceError(
          fmt::format("sim: allocate: needed {} bytes, free {} bytes; make the problem smaller", bytes, heap_->free));
    }
    return std::make_unique<VirtualBuffer>(heap_, bytes);
  }

  [[nodiscard]] Telemetry telemetry() override {
    const auto now = std::max(queue_.host_now(), queue_.device_done());
    const auto& clock = queue_.chip().clock();
    const auto& told = config_.telemetry;
    const auto watts = queue_.chip().power().watts(now);
    Telemetry out;
    const auto tell = [&](const char* name, auto& field, auto value) {
      if (std::ranges::find(told.missing, name) == told.missing.end()) {
        field = std::move(value);
      } else {
        out.missing.emplace(name, "switched off by the script");
      }
    };
    tell("sm_clock_mhz", out.sm_clock_mhz, clock.unlimited(now));
    tell("sm_clock_max_mhz", out.sm_clock_max_mhz, config_.nominal_clock_mhz);
    tell("power_watts", out.power_watts, watts);
    tell("power_limit_watts", out.power_limit_watts, told.limit_watts);
    tell("temperature_celsius", out.temperature_celsius,
         told.idle_celsius + told.celsius_per_watt * std::max(0.0, watts - told.idle_watts));
    tell("energy_joules", out.energy_joules, queue_.chip().power().joules(now));
    tell("throttle_reasons", out.throttle_reasons,
         clock.limited(now) ? std::vector<std::string>{"power limit"} : std::vector<std::string>{});
    tell("throttle_time", out.throttle_time, std::map<std::string, Nanoseconds>{{"power limit", clock.engaged()}});
    for (const char* memory : {"memory_clock_mhz", "memory_clock_max_mhz", "memory_clock_requested_mhz"}) {
      out.missing.emplace(memory, "the simulated memory has no clock");
    }
    out.sm_clock_requested_mhz = clock.locked();
    if (!clock.locked()) out.missing.emplace("sm_clock_requested_mhz", "warpclock has not locked it");
    return out;
  }

  void idle(Nanoseconds duration) override {
    queue_.require_synchronised("idle");
    queue_.host_wait(duration);
  }

 private:
  SimConfig config_;  // the others refer to it, so it stays where it is
  DeviceInfo info_;
  Queue queue_;
  std::shared_ptr<Heap> heap_;
};

}  // namespace

SimOperand operand(const Buffer& buffer, Access access) {
  const auto* simulated = dynamic_cast<const SimBuffer*>(&buffer);
  if (simulated == nullptr) throw UsageError("sim: a buffer of another device; allocate it on the simulated one");
  return {.id = simulated->id(), .bytes = buffer.size(), .access = access};
}

std::unique_ptr<SimDevice> make_device(SimConfig config) {
  require_valid(config);
  return std::make_unique<VirtualDevice>(std::move(config));
}

}  // namespace warpclock::sim
