// The stream of the CPU device.
#include "backends/cpu/stream.hpp"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/clock.hpp"
#include "backends/cpu/evictor.hpp"
#include "backends/cpu/memory.hpp"
#include "backends/cpu/oracles.hpp"
#include "backends/cpu/worker.hpp"
#include "core/errors.hpp"

namespace warpclock::cpu {
namespace {

class WorkerStream final : public CpuStream {
 public:
  ~WorkerStream() override {
    if (gate_) gate_->open();
  }

  void hold(Nanoseconds watchdog) override;
  bool release() override;
  MarkTicket mark() override;
  ProbeTicket probe_clock() override;
  void evict(Evict kind, Bytes bytes) override;
  void fill(Buffer& to, std::uint8_t value) override;
  void copy(Buffer& to, const Buffer& from) override;
  void upload(Buffer& to, std::span<const std::byte> bytes) override;
  void download(std::span<std::byte> bytes, const Buffer& from) override;
  void launch(std::string name, std::function<void()> task) override;
  void launch_empty() override;
  void launch_spin(Nanoseconds duration) override;
  void launch_cycles(std::uint64_t cycles) override;
  void launch_cover_matmul() override;
  void synchronize() override;
  [[nodiscard]] Nanoseconds elapsed(MarkTicket a, MarkTicket b) override;
  [[nodiscard]] double clock_mhz(ProbeTicket probe) override;
  void recycle() override;
  void start_trace() override;
  void open_window(std::uint32_t window) override;
  void close_window() override;
  [[nodiscard]] std::vector<Record> stop_trace() override;

 private:
  void enqueue(const char* kind, std::string name, std::function<void()> task);
  void run_guarded(const std::string& name, const std::function<void()>& task);
  [[nodiscard]] const Clock::time_point& stamp(MarkTicket ticket) const;

  std::shared_ptr<Gate> gate_;  // of the hold that was not released yet
  // Deques: the worker writes into an element while the host appends others.
  std::deque<Clock::time_point> stamps_;
  std::deque<double> probes_;
  std::shared_ptr<Buffer> eviction_;  // grows only
  bool tracing_ = false;
  std::optional<std::uint32_t> window_;
  // The worker's, read by the host after a drain.
  std::unique_ptr<CoverMatmul> cover_;
  std::vector<Record> records_;
  std::optional<std::string> error_;  // first failure since the last synchronize()
  Worker worker_;                     // last: it stops before anything that its commands use goes away
};

void WorkerStream::hold(Nanoseconds watchdog) {
  if (gate_) throw UsageError("cpu: the stream is held already; release it before the next hold");
  gate_ = std::make_shared<Gate>(watchdog);
  worker_.enqueue([gate = gate_] { gate->wait(); });
}

bool WorkerStream::release() {
  if (!gate_) throw UsageError("cpu: release without a hold");
  return std::exchange(gate_, nullptr)->open();
}

MarkTicket WorkerStream::mark() {
  const auto ticket = static_cast<MarkTicket>(stamps_.size());
  worker_.enqueue([slot = &stamps_.emplace_back()] { *slot = Clock::now(); });
  return ticket;
}

ProbeTicket WorkerStream::probe_clock() {
  const auto ticket = static_cast<ProbeTicket>(probes_.size());
  worker_.enqueue([slot = &probes_.emplace_back()] { *slot = effective_mhz(); });
  return ticket;
}

void WorkerStream::evict(Evict kind, Bytes bytes) {
  if (bytes == 0) return;
  if (!eviction_ || eviction_->size() < bytes) {
    eviction_.reset();
    eviction_ = allocate(bytes);
  }
  worker_.enqueue([buffer = eviction_, kind, bytes] { stream_through(*buffer, kind, bytes); });
}

void WorkerStream::fill(Buffer& to, std::uint8_t value) {
  enqueue("fill", "fill", [at = to.address(), size = to.size(), value] { std::memset(at, value, size); });
}

void WorkerStream::copy(Buffer& to, const Buffer& from) {
  if (to.size() != from.size()) {
    throw UsageError(fmt::format("cpu: a copy of {} bytes into a buffer of {} bytes", from.size(), to.size()));
  }
  enqueue("copy", "copy", [at = to.address(), of = from.address(), size = to.size()] { std::memcpy(at, of, size); });
}

void WorkerStream::upload(Buffer& to, std::span<const std::byte> bytes) {
  if (bytes.size() > to.size()) {
    throw UsageError(fmt::format("cpu: an upload of {} bytes into a buffer of {} bytes", bytes.size(), to.size()));
  }
  synchronize();
  if (!bytes.empty()) std::memcpy(to.address(), bytes.data(), bytes.size());
}

void WorkerStream::download(std::span<std::byte> bytes, const Buffer& from) {
  if (bytes.size() > from.size()) {
    throw UsageError(fmt::format("cpu: a download of {} bytes from a buffer of {} bytes", bytes.size(), from.size()));
  }
  synchronize();
  if (!bytes.empty()) std::memcpy(bytes.data(), from.address(), bytes.size());
}

void WorkerStream::launch(std::string name, std::function<void()> task) {
  enqueue("kernel", std::move(name), std::move(task));
}

void WorkerStream::launch_empty() {
  enqueue("kernel", "empty", [] {});
}

void WorkerStream::launch_spin(Nanoseconds duration) {
  enqueue("kernel", "spin", [duration] { busy_wait(duration); });
}

void WorkerStream::launch_cycles(std::uint64_t cycles) {
  enqueue("kernel", "cycles", [cycles] { dependent_adds(cycles); });
}

void WorkerStream::launch_cover_matmul() {
  worker_.enqueue([this] {
    run_guarded("cover matmul", [this] {
      if (!cover_) cover_ = std::make_unique<CoverMatmul>();
    });
  });
  enqueue("kernel", "cover matmul", [this] {
    if (cover_) cover_->run();
  });
}

void WorkerStream::enqueue(const char* kind, std::string name, std::function<void()> task) {
  if (!tracing_ || !window_) {
    worker_.enqueue([this, name = std::move(name), task = std::move(task)] { run_guarded(name, task); });
    return;
  }
  worker_.enqueue([this, kind, name = std::move(name), task = std::move(task), window = *window_] {
    const auto start = Clock::now();
    run_guarded(name, task);
    const auto end = Clock::now();
    records_.push_back({name, kind, window, since_epoch(start), since_epoch(end)});
  });
}

void WorkerStream::run_guarded(const std::string& name, const std::function<void()>& task) {
  try {
    task();
  } catch (const std::exception& error) {
    if (!error_) error_ = fmt::format("kernel '{}' failed: {}", name, error.what());
  } catch (...) {
    if (!error_) error_ = fmt::format("kernel '{}' failed: it threw something that is no std::exception", name);
  }
}

void WorkerStream::synchronize() {
  worker_.drain();
  if (error_) throw KernelError(*std::exchange(error_, std::nullopt));
}

const Clock::time_point& WorkerStream::stamp(MarkTicket ticket) const {
  const auto index = static_cast<std::size_t>(ticket);
  if (index >= stamps_.size()) throw UsageError("cpu: this mark was recycled, or belongs to another stream");
  return stamps_[index];
}

Nanoseconds WorkerStream::elapsed(MarkTicket a, MarkTicket b) { return stamp(b) - stamp(a); }

double WorkerStream::clock_mhz(ProbeTicket probe) {
  const auto index = static_cast<std::size_t>(probe);
  if (index >= probes_.size()) throw UsageError("cpu: this clock probe was recycled, or belongs to another stream");
  return probes_[index];
}

void WorkerStream::recycle() {
  stamps_.clear();
  probes_.clear();
}

void WorkerStream::start_trace() {
  worker_.drain();
  records_.clear();
  tracing_ = true;
}

void WorkerStream::open_window(std::uint32_t window) { window_ = window; }

void WorkerStream::close_window() { window_.reset(); }

std::vector<Record> WorkerStream::stop_trace() {
  tracing_ = false;
  window_.reset();
  synchronize();
  return std::exchange(records_, {});
}

}  // namespace

std::unique_ptr<CpuStream> make_stream() { return std::make_unique<WorkerStream>(); }

}  // namespace warpclock::cpu
