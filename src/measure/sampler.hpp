// Puts one sample into the stream, in the order that measuring.md fixes: prepare, flush, hold, mark, call, mark.
#pragma once

#include <cstdint>
#include <optional>

#include "core/sample.hpp"
#include "device/device.hpp"
#include "device/workload.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// How samples of one point are made; the same for both passes.
struct SampleSetup {
  CacheState cache = CacheState::cold;
  Bytes flush_bytes = 0;
  Cover cover = Cover::hold;  // as it is used, after what the device and the call allow
  std::uint32_t batch = 1;
  Nanoseconds watchdog{0};
  Nanoseconds cover_time{0};        // how long a spin or matmul cover lasts
  std::size_t reheating_calls = 0;  // the same after a pause in which the chip has recovered
  std::size_t heating_calls = 0;    // back to back before each sample: keeps the chip in the sustained state
};

class Sampler {
 public:
  Sampler(Device& device, Workload& workload, const SampleSetup& setup)
      : device_(device), stream_(device.stream()), workload_(workload), setup_(setup) {}

  /// Takes one sample and waits for it. In the traced pass `window` names its records and its times come later.
  /// throws what the call throws; the hold is lifted then
  Sample take(Pass pass, std::uint32_t window);

  /// One call without hold, mark or window: the first one after tracing is switched on may load or synchronise.
  void warm_up();

  /// Effective clock while the calls of one sample run, in the same state; empty where the meter could not stay with
  /// them.  throws what the call throws
  std::optional<ClockReading> meter(ClockMeter meter, Nanoseconds longest);

  /// Time between two marks around `length` calls in a row on rotating copies.
  Nanoseconds chain(std::uint32_t length);

  /// Time that the host spent on keeping the chip hot.
  [[nodiscard]] Nanoseconds heated() const { return heated_; }
  /// Copy on which the latest call ran.
  [[nodiscard]] std::uint32_t last_copy() const { return last_copy_; }
  [[nodiscard]] const SampleSetup& setup() const { return setup_; }

 private:
  struct Timed {
    MarkTicket begin, end;
    Nanoseconds enqueue{0};
    Marks marks;
  };
  void heat();
  void bring_into_state(std::uint32_t calls);
  Timed timed_calls(std::uint32_t calls, std::optional<std::uint32_t> window);
  void start_cover();
  [[nodiscard]] std::uint32_t copy_of(std::uint32_t call) const { return (next_copy_ + call) % workload_.copies(); }

  Device& device_;
  Stream& stream_;
  Workload& workload_;
  SampleSetup setup_;
  std::uint32_t next_copy_ = 0;
  std::uint32_t last_copy_ = 0;
  Nanoseconds heated_{0};
  Nanoseconds last_sample_{0};  // when it had finished
};

}  // namespace warpclock
