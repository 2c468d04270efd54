// The host's side: what every call costs, when it blocks, and what goes into the queue.
#include "backends/sim/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace warpclock::sim {
namespace {

SimKernel oracle_kernel(double power) {
  SimKernel kernel;
  kernel.power = power;
  return kernel;
}

}  // namespace

Queue::Queue(const SimConfig& config)
    : config_(config), chip_(config), stamp_luck_(config.seed ^ 0x94d049bb133111eb), ends_(config.queue_limit) {
  for (const auto& fault : config.faults) faults_[fault.launch] = fault.fault;
  for (const auto& stamp : config.bad_stamps) bad_stamps_[stamp.mark] = stamp.bad;
}

void Queue::hold(Nanoseconds watchdog) {
  require_alive("hold");
  if (!config_.holding) throw DeviceError("sim: hold: this device cannot hold its stream; use another cover");
  if (hold_ != Hold::none) throw DeviceError("sim: hold: the stream is held already; release it first");
  host_spends(config_.launch_cost);
  ++counters_.holds;
  hold_ = Hold::holding;
  deadline_ = host_ + watchdog;
}

bool Queue::release() {
  if (hold_ == Hold::none) throw DeviceError("sim: release: the stream is not held; call hold() first");
  host_spends(config_.release_cost);
  const bool lasted = hold_ == Hold::holding;
  if (lasted) lift(host_);
  hold_ = Hold::none;
  return lasted;
}

MarkTicket Queue::mark() {
  require_alive("mark");
  const auto ticket = static_cast<std::uint32_t>(marks_.size());
  marks_.push_back({.at = std::nullopt, .bad = bad_stamp_of(counters_.marks++)});
  Command command{.kind = Kind::mark};
  command.ticket = ticket;
  enqueue(command);
  return MarkTicket{ticket};
}

ProbeTicket Queue::probe_clock() {
  require_alive("probe_clock");
  const auto ticket = static_cast<std::uint32_t>(probes_.size());
  probes_.emplace_back();
  ++counters_.probes;
  Command command{.kind = Kind::probe, .name = "clock probe", .record_kind = "kernel"};
  command.ticket = ticket;
  enqueue(command);
  return ProbeTicket{ticket};
}

void Queue::evict(Evict kind, Bytes bytes) {
  require_alive("evict");
  ++counters_.evictions;
  const bool clean = kind == Evict::clean;
  Command command{.kind = Kind::evict, .name = "evict", .record_kind = clean ? "kernel" : "fill"};
  command.evict = kind;
  command.first.bytes = bytes;
  enqueue(command);
}

void Queue::fill(Buffer& to, std::uint8_t /*value*/) {
  require_alive("fill");
  ++counters_.fills;
  Command command{.kind = Kind::touch, .name = "memset", .record_kind = "fill"};
  command.first = operand(to, Access::write);
  enqueue(command);
}

void Queue::copy(Buffer& to, const Buffer& from) {
  require_alive("copy");
  if (to.size() != from.size()) {
    throw UsageError(
        fmt::format("sim: copy: from {} bytes to {} bytes; both must have the same size", from.size(), to.size()));
  }
  ++counters_.copies;
  Command command{.kind = Kind::touch, .name = "memcpy", .record_kind = "copy"};
  command.first = operand(from, Access::read);
  command.second = operand(to, Access::write);
  enqueue(command);
}

void Queue::upload(Buffer& to, std::span<const std::byte> bytes) {
  require_alive("upload");
  if (bytes.size() > to.size()) throw UsageError("sim: upload: more bytes than the buffer holds");
  Command command{.kind = Kind::transfer, .name = "upload", .record_kind = "copy"};
  command.first = {operand(to, Access::write).id, bytes.size(), Access::write};
  enqueue(command);
  host_waits_for_device();
}

void Queue::download(std::span<std::byte> bytes, const Buffer& from) {
  require_alive("download");
  if (bytes.size() > from.size()) throw UsageError("sim: download: more bytes than the buffer holds");
  Command command{.kind = Kind::transfer, .name = "download", .record_kind = "copy"};
  command.first = {operand(from, Access::read).id, bytes.size(), Access::read};
  enqueue(command);
  host_waits_for_device();
}

void Queue::launch_empty() { launch_oracle(oracle_kernel(0.1), "empty"); }

void Queue::launch_spin(Nanoseconds duration) {
  auto kernel = oracle_kernel(0.15);  // one warp
  kernel.fixed = duration;
  launch_oracle(kernel, "spin");
}

void Queue::launch_cycles(std::uint64_t cycles) {
  auto kernel = oracle_kernel(0.15);
  kernel.cycles = static_cast<double>(cycles);
  launch_oracle(kernel, "cycles");
}

// A matmul of 4096^3 in FP32: about 2 ms, power enough to bring the limiter in, and 192 MiB through the cache.
void Queue::launch_cover_matmul() {
  constexpr double n = 4096;
  auto kernel = oracle_kernel(0.95);
  kernel.flops = 2 * n * n * n;
  kernel.bytes_read = 2 * 4 * n * n;
  kernel.bytes_written = 4 * n * n;
  launch_oracle(kernel, "cover matmul");
}

void Queue::launch_oracle(const SimKernel& kernel, const char* name) {
  require_alive(name);
  ++counters_.oracles;
  Command command{.kind = Kind::oracle, .name = name, .record_kind = "kernel"};
  command.kernel = &kernel;
  enqueue(command);
}

void Queue::launch(const SimKernel& kernel) { launch(kernel, {.kind = Kind::kernel}); }

void Queue::launch_on_side(const SimKernel& kernel, bool joined) {
  Command command{.kind = Kind::side};
  command.joined = joined;
  launch(kernel, command);
}

void Queue::launch(const SimKernel& kernel, Command command) {
  require_alive("launch");
  chip_.require_runs(kernel);
  const auto fault = fault_of(kernel, counters_.launches++);
  if (fault == Fault::throw_at_launch) {
    host_spends(config_.launch_cost);
    throw KernelError(fmt::format("sim: launch of '{}' failed, as its script says", kernel.name));
  }
  load_if_new(kernel);
  command.kernel = &kernel;
  command.record_kind = fault == Fault::missing_record ? nullptr : "kernel";
  command.breaks_device = fault == Fault::sticky_error;
  enqueue(command);
  if (fault == Fault::synchronises) host_waits_for_device();
}

std::optional<Fault> Queue::fault_of(const SimKernel& kernel, std::uint64_t launch) const {
  if (kernel.fault || faults_.empty()) return kernel.fault;
  const auto at = faults_.find(launch);
  return at == faults_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<BadStamp> Queue::bad_stamp_of(std::uint64_t mark) {
  const bool unlucky = config_.bad_stamp_share > 0 && stamp_luck_.uniform() < config_.bad_stamp_share;
  const auto at = bad_stamps_.find(mark);
  if (at != bad_stamps_.end()) return at->second;
  return unlucky ? std::optional(config_.bad_stamp) : std::nullopt;
}

// Lazy loading, and what tracing sets up for its first kernel: both wait for the device, hold or not.
void Queue::load_if_new(const SimKernel& kernel) {
  Nanoseconds cost{0};
  if (config_.first_launch.count() > 0 && loaded_.insert(kernel.name).second) cost += config_.first_launch;
  if (std::exchange(first_traced_, false)) cost += config_.first_traced_launch;
  if (cost.count() <= 0) return;
  host_spends(cost);
  host_waits_for_device();
}

void Queue::synchronize() {
  require_alive("synchronize");
  ++counters_.synchronises;
  host_waits_for_device();
}

Nanoseconds Queue::elapsed(MarkTicket a, MarkTicket b) {
  const auto stamp = [this](MarkTicket ticket) -> const Stamp& {
    const auto index = static_cast<std::size_t>(ticket);
    if (index >= marks_.size() || !marks_[index].at || *marks_[index].at > host_) {
      throw DeviceError("sim: elapsed: a mark has not been reached or was recycled; synchronize first");
    }
    return marks_[index];
  };
  const auto& from = stamp(a);
  const auto& to = stamp(b);
  if (const auto bad = to.bad ? to.bad : from.bad) return bad == BadStamp::zero ? Nanoseconds{0} : microseconds(-1);
  return *to.at - *from.at;
}

double Queue::clock_mhz(ProbeTicket probe) {
  const auto index = static_cast<std::size_t>(probe);
  if (index >= probes_.size() || !probes_[index]) {
    throw DeviceError("sim: clock_mhz: the probe has not run or was recycled; synchronize first");
  }
  return *probes_[index];
}

void Queue::recycle() {
  require_synchronised("recycle");
  marks_.clear();
  probes_.clear();
}

void Queue::start_meter(ClockMeter meter, Nanoseconds longest) {
  require_alive("start_meter");
  if (const auto problem = meter_problem(meter); !problem.empty()) throw DeviceError("sim: start_meter: " + problem);
  if (hold_ == Hold::holding) throw DeviceError("sim: start_meter: the stream is held; release it first");
  if (meter_) throw DeviceError("sim: start_meter: a meter runs already; read it first");
  host_spends(config_.launch_cost);
  meter_ = meter;
  longest_meter_ = longest;
  chip_.clock_mean().open();
}

void Queue::stop_meter() {
  host_spends(config_.launch_cost);
  chip_.clock_mean().close();
}

std::optional<ClockReading> Queue::read_meter() {
  chip_.clock_mean().close();
  const auto meter = std::exchange(meter_, std::nullopt);
  if (!meter) throw DeviceError("sim: read_meter: no meter was started");
  synchronize();
  const bool sentinel = *meter == ClockMeter::sentinel;
  const auto& mean = chip_.clock_mean();
  if (sentinel && (config_.meters.sentinel_starves || mean.time() > longest_meter_)) return std::nullopt;
  const double mhz = mean.mhz().value_or(chip_.clock().mhz(host_));
  const double noise = sentinel ? config_.meters.sentinel_noise : config_.meters.counters_noise;
  const double slowed = sentinel ? config_.meters.sentinel_slows : 1;
  return ClockReading{chip_.reading(mhz * (sentinel ? config_.meters.sentinel_factor : 1), noise),
                      mean.time() * slowed};
}

std::string Queue::meter_problem(ClockMeter meter) {
  const bool works = meter == ClockMeter::sentinel ? config_.meters.sentinel : config_.meters.counters;
  return works ? "" : "switched off by the script";
}

void Queue::start_trace() {
  require_alive("start_trace");
  if (!config_.tracing) throw DeviceError("sim: start_trace: this device has no activity records; measure untraced");
  if (tracing_) throw DeviceError("sim: start_trace: tracing is on already; stop it first");
  tracing_ = true;
  first_traced_ = config_.first_traced_launch.count() > 0;
}

void Queue::open_window(std::uint32_t window) { window_ = window; }

void Queue::close_window() { window_.reset(); }

std::vector<Record> Queue::stop_trace() {
  if (!tracing_) throw DeviceError("sim: stop_trace: tracing is off; call start_trace() first");
  tracing_ = false;
  first_traced_ = false;
  window_.reset();
  require_alive("stop_trace");
  host_waits_for_device();
  std::stable_sort(records_.begin(), records_.end(),
                   [](const Record& a, const Record& b) { return a.start < b.start; });
  return std::exchange(records_, {});
}

void Queue::require_alive(std::string_view call) const {
  if (!dead_) return;
  throw DeviceError(
      fmt::format("sim: {}: kernel '{}' left the device in an error state; make a new device", call, broken_by_));
}

void Queue::require_synchronised(std::string_view call) const {
  if (!synchronised_) throw DeviceError(fmt::format("sim: {}: work is still in the stream; synchronize first", call));
}

void Queue::host_spends(Nanoseconds duration) {
  host_ += std::max(duration, Nanoseconds{0});
  if (hold_ == Hold::holding && host_ >= deadline_) lift(deadline_);
}

void Queue::host_waits_for_device() {
  if (hold_ == Hold::holding) {
    host_ = std::max(host_, deadline_);
    lift(deadline_);
  }
  host_ = std::max(host_, device_done());
  synchronised_ = true;
  if (broken_by_.empty()) return;
  dead_ = true;
  require_alive("synchronize");
}

void Queue::enqueue(Command command) {
  host_spends(config_.launch_cost + (tracing_ ? config_.trace_overhead : Nanoseconds{0}));
  wait_for_room();
  synchronised_ = false;
  command.ready = host_;
  if (tracing_) command.window = window_;
  if (hold_ != Hold::holding) return execute(command);
  if (command.kernel != nullptr) {
    if (held_kernels_used_ == held_kernels_.size()) held_kernels_.emplace_back();
    auto& copy = held_kernels_[held_kernels_used_++];
    copy = *command.kernel;
    command.kernel = &copy;
  }
  held_.push_back(command);
}

void Queue::wait_for_room() {
  if (config_.queue_limit == 0) return;
  if (hold_ == Hold::holding && held_.size() >= config_.queue_limit) {
    ++counters_.queue_waits;
    host_ = std::max(host_, deadline_);
    lift(deadline_);
  }
  if (hold_ == Hold::holding || executed_ < config_.queue_limit) return;
  const auto oldest = ends_[executed_ % config_.queue_limit];
  if (oldest <= host_) return;
  ++counters_.queue_waits;
  host_ = oldest;
}

}  // namespace warpclock::sim
