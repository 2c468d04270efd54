// The simulated stream: the host's clock, the queue behind a hold, and the order in which commands reach the chip.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backends/sim/chip.hpp"
#include "backends/sim/device.hpp"

namespace warpclock::sim {

/// Commands that are not held run on the chip as soon as they are enqueued, in virtual time, so that only a held
/// stream has a queue. Host and device share one time line that starts at 0.
class Queue final : public SimStream {
 public:
  explicit Queue(const SimConfig& config);

  void hold(Nanoseconds watchdog) override;
  bool release() override;
  MarkTicket mark() override;
  ProbeTicket probe_clock() override;
  void evict(Evict kind, Bytes bytes) override;
  void fill(Buffer& to, std::uint8_t value) override;
  void copy(Buffer& to, const Buffer& from) override;
  void upload(Buffer& to, std::span<const std::byte> bytes) override;
  void download(std::span<std::byte> bytes, const Buffer& from) override;
  void launch_empty() override;
  void launch_spin(Nanoseconds duration) override;
  void launch_cycles(std::uint64_t cycles) override;
  void launch_cover_matmul() override;
  void synchronize() override;
  [[nodiscard]] Nanoseconds elapsed(MarkTicket a, MarkTicket b) override;
  [[nodiscard]] double clock_mhz(ProbeTicket probe) override;
  void recycle() override;
  void start_meter(ClockMeter meter, Nanoseconds longest) override;
  void stop_meter() override;
  [[nodiscard]] std::optional<ClockReading> read_meter() override;
  [[nodiscard]] std::string meter_problem(ClockMeter meter) override;
  void start_trace() override;
  void open_window(std::uint32_t window) override;
  void close_window() override;
  [[nodiscard]] std::vector<Record> stop_trace() override;

  void launch(const SimKernel& kernel) override;
  void launch_on_side(const SimKernel& kernel, bool joined) override;
  [[nodiscard]] Nanoseconds last_kernel_time() const override { return last_kernel_time_; }

  [[nodiscard]] Nanoseconds host_now() const { return host_; }
  void host_wait(Nanoseconds duration) { host_spends(duration); }
  void lock_clock(std::optional<double> mhz) { chip_.lock_clock(mhz); }
  void require_alive(std::string_view call) const;
  void require_synchronised(std::string_view call) const;
  [[nodiscard]] const SimCounters& counters() const { return counters_; }
  [[nodiscard]] const Chip& chip() const { return chip_; }
  /// When the device has finished all that is not held.
  [[nodiscard]] Nanoseconds device_done() const;

 private:
  enum class Kind : std::uint8_t { mark, probe, evict, touch, transfer, kernel, oracle, side };
  enum class Hold : std::uint8_t { none, holding, lifted };  // lifted: by the watchdog, before release()

  struct Command {
    Kind kind = Kind::mark;
    const char* name = "";              // of the record, where there is no kernel
    const char* record_kind = nullptr;  // "kernel", "copy", "fill"; null: leaves no record
    std::optional<std::uint32_t> window{};
    Nanoseconds ready{0};      // enqueued by the host
    std::uint32_t ticket = 0;  // of a mark or a probe
    Evict evict = Evict::clean;
    SimOperand first{};  // of a touch (second.bytes may be 0) or a transfer; first.bytes of an evict
    SimOperand second{};
    const SimKernel* kernel = nullptr;
    bool joined = false;
    bool breaks_device = false;
  };
  struct Stamp {
    std::optional<Nanoseconds> at;  // empty until the device has been there
    std::optional<BadStamp> bad;
  };
  struct Interval {
    Nanoseconds start{0};
    Nanoseconds end{0};
  };

  void enqueue(Command command);
  void launch(const SimKernel& kernel, Command command);
  void launch_oracle(const SimKernel& kernel, const char* name);
  void wait_for_room();
  void host_spends(Nanoseconds duration);
  void host_waits_for_device();
  void lift(Nanoseconds at);
  void execute(const Command& command);
  Interval run_on_chip(const Command& command);
  Interval run_aside(const Command& command);
  void record(const Command& command, Interval interval);
  [[nodiscard]] std::optional<Fault> fault_of(const SimKernel& kernel, std::uint64_t launch) const;
  [[nodiscard]] std::optional<BadStamp> bad_stamp_of(std::uint64_t mark);
  void load_if_new(const SimKernel& kernel);

  const SimConfig& config_;
  Chip chip_;
  SimCounters counters_;
  std::unordered_map<std::uint64_t, Fault> faults_;         // by launch
  std::unordered_map<std::uint64_t, BadStamp> bad_stamps_;  // by mark
  NoiseSource stamp_luck_;

  Nanoseconds host_{0};
  bool synchronised_ = true;  // nothing enqueued since the host last waited for all
  Hold hold_ = Hold::none;
  Nanoseconds deadline_{0};  // of the watchdog
  std::vector<Command> held_;
  std::deque<SimKernel> held_kernels_;  // copies for held_, reused: a caller's kernel may be gone by release()
  std::size_t held_kernels_used_ = 0;

  Nanoseconds gate_{0};        // the last hold ended here: what it held starts no earlier
  Nanoseconds free_{0};        // the device has finished this stream's work
  Nanoseconds side_free_{0};   // and the side stream's
  Nanoseconds join_{0};        // side work that this stream has to wait for
  bool after_kernel_ = false;  // the command before left a kernel behind, not a mark
  Nanoseconds drain_{0};       // what that kernel still needs before the next stamp
  Nanoseconds last_kernel_time_{0};
  std::vector<Nanoseconds> ends_;  // of the last queue_limit commands, a ring
  std::uint64_t executed_ = 0;

  std::vector<Stamp> marks_;
  std::vector<std::optional<double>> probes_;
  std::optional<ClockMeter> meter_;  // that was started and not read
  Nanoseconds longest_meter_{0};
  bool tracing_ = false;
  bool first_traced_ = false;
  std::optional<std::uint32_t> window_;
  std::vector<Record> records_;
  std::unordered_set<std::string> loaded_;
  std::string broken_by_;  // kernel that left a sticky error; shows at the next wait
  bool dead_ = false;
};

}  // namespace warpclock::sim
