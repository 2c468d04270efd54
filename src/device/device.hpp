// The one interface behind which every device lives: an in-order stream that can be held, stamped, evicted and
// traced, and the host clock that belongs to it. A backend is a folder under backends/ and a row in its registry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/telemetry.hpp"
#include "core/units.hpp"
#include "device/clock_wish.hpp"

namespace warpclock {

/// One thing a device may or may not be able to do here, and why not.
struct Ability {
  std::string name;  // "hold", "tracing", "clock probe", "fp8", ...
  bool works = false;
  std::string detail;  // how it works, or the reason why it does not
};

/// A hardware limit with its origin. Unknown limits are absent rather than guessed.
struct Peak {
  std::string resource;  // "memory", or a compute type: "fp32", "tf32", "fp16", "bf16", "fp8"
  double value = 0;
  std::string unit;      // "GB/s" or "TFLOP/s", dense, powers of ten
  double clock_mhz = 0;  // SM clock to which a compute peak belongs; 0 where it does not depend on one
  std::string source;    // document or measurement
};

struct DeviceInfo {
  std::string id;        // as the user names it: "cpu", "sim", "cuda:0"
  std::string backend;   // "cpu", "sim", "cuda"
  std::string name;      // exact marketing name; the key of the peak table
  std::string identity;  // tells this very device from another one: UUID, or CPU model and core count
  Bytes last_level_cache = 0;
  std::string last_level_cache_source;
  Bytes memory_total = 0;
  std::string mark_timer;    // what stamps a mark: "steady clock", "CUDA event"
  Nanoseconds mark_step{0};  // smallest difference between two marks
  std::string record_timer;  // what stamps an activity record; empty without tracing
  Nanoseconds record_step{0};
  std::size_t queue_limit = 0;              // commands that fit behind a hold; 0: no limit
  double clock_tolerance = 0.01;            // relative repeatability of probe_clock() on a recovered, idle device
  std::optional<double> nominal_clock_mhz;  // clock to which the nominal compute peaks belong
  bool computes = true;  // false: launches take (virtual) time but write no outputs, so none can be checked
  std::vector<std::uint32_t>
      other_processes;                     // ids of those seen on it when it was opened; empty where none can be seen
  std::vector<std::string> compute_types;  // what gemm may be asked for: "fp32", ...
  std::vector<Ability> abilities;
  std::vector<Peak> peaks;  // that the backend itself knows, as the simulator does; the peak table holds the others
  std::vector<std::pair<std::string, std::string>> details;  // everything else worth printing, in order
};

struct MemoryState {
  Bytes total = 0;
  Bytes free = 0;
};

/// Device memory owned by the harness; released by the destructor.
class Buffer {
 public:
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] virtual Bytes size() const = 0;
  /// Address in the device's memory; for a device that does not compute it may not be dereferenceable.
  [[nodiscard]] virtual void* address() const = 0;

 protected:
  Buffer() = default;
};

/// One entry of the device's own activity log.
struct Record {
  std::string name;
  std::string kind;          // "kernel", "copy", "fill"
  std::uint32_t window = 0;  // the window in which it was enqueued (Stream::open_window)
  Nanoseconds start{0};      // on the device's clock; only differences mean something
  Nanoseconds end{0};
};

enum class Evict : std::uint8_t {
  clean,  // leaves neither operands nor dirty lines in the last-level cache: reads through `bytes`
  dirty,  // leaves the cache full of dirty lines: writes through `bytes`
};

/// What measures the effective clock while work runs.
enum class ClockMeter : std::uint8_t {
  sentinel,  // one warp on another stream that reads its SM's clock and the global timer
  counters,  // the chip's own cycle counters
};

/// What a meter has read.
struct ClockReading {
  double mhz = 0;
  Nanoseconds span{0};  // time of what was metered: longer than the call alone where the meter got in its way
  bool operator==(const ClockReading&) const = default;
};

/// Tickets for stamps that become readable after synchronize(). Valid until the next recycle().
enum class MarkTicket : std::uint32_t {};
enum class ProbeTicket : std::uint32_t {};

/// The device's in-order stream. Everything is enqueued and returns at once, except where it says otherwise.
/// Every member throws DeviceError when the device refuses, and KernelError when the kernel under test is to blame.
class Stream {
 public:
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Nothing enqueued from now on starts before release(). If release() does not come within `watchdog` (the call
  /// synchronises, loads, or has filled the queue) the device is let go by itself.  pre: not held
  virtual void hold(Nanoseconds watchdog) = 0;
  /// Lets the device go.  return: true if the hold lasted until now, false if the watchdog ended it
  virtual bool release() = 0;

  /// A time stamp taken by the device when everything before it has finished.
  virtual MarkTicket mark() = 0;
  /// Effective clock of the device, read where it stands in the stream; takes some 10 to 50 us of the device.
  virtual ProbeTicket probe_clock() = 0;
  /// Takes the operands out of the last-level cache by streaming through `bytes` of memory owned by the device.
  virtual void evict(Evict kind, Bytes bytes) = 0;

  virtual void fill(Buffer& to, std::uint8_t value) = 0;
  virtual void copy(Buffer& to, const Buffer& from) = 0;  // pre: same size
  /// Blocking transfers; they wait for all that was enqueued before.  pre: bytes.size() <= buffer size
  virtual void upload(Buffer& to, std::span<const std::byte> bytes) = 0;
  virtual void download(std::span<std::byte> bytes, const Buffer& from) = 0;

  /// Oracles, whose duration is known; also the cover and the calibration use them.
  virtual void launch_empty() = 0;
  virtual void launch_spin(Nanoseconds duration) = 0;    // takes this long whatever the clock is
  virtual void launch_cycles(std::uint64_t cycles) = 0;  // takes this many cycles of the device's clock
  /// The article's cover: an FP32 matmul of 4096^3 (smaller where the device could not do that within 100 ms).
  virtual void launch_cover_matmul() = 0;

  /// Waits until everything enqueued has finished.
  virtual void synchronize() = 0;
  /// Time from mark `a` to mark `b`; may be zero or negative where the device's stamps are broken.
  [[nodiscard]] virtual Nanoseconds elapsed(MarkTicket a, MarkTicket b) = 0;
  [[nodiscard]] virtual double clock_mhz(ProbeTicket probe) = 0;
  /// Forgets all tickets.  pre: synchronised
  virtual void recycle() = 0;

  /// Measures the effective clock from where the stream stands now until stop_meter(); the work between must not be
  /// held. One meter at a time.
  ///   longest  the sentinel ends by itself after this long: a kernel that needs every SM must not wait for ever
  ///   throws   DeviceError where meter_problem(meter) is not empty
  virtual void start_meter(ClockMeter meter, Nanoseconds longest);
  virtual void stop_meter();
  /// Waits for the work between and ends the measurement.  return: empty where the sentinel had to end before the
  /// work did, so that what it saw is not the clock of that work
  [[nodiscard]] virtual std::optional<ClockReading> read_meter();
  /// Why that meter does not work here; empty where it does. The first question about the counters may take long.
  [[nodiscard]] virtual std::string meter_problem(ClockMeter meter);

  /// Activity records of what is enqueued from now on. Only work enqueued inside a window is reported, the
  /// harness's own work (evictions, fills, probes) outside of one never is.  pre: info() has a record_timer
  virtual void start_trace() = 0;
  virtual void open_window(std::uint32_t window) = 0;
  virtual void close_window() = 0;
  /// Synchronises, stops tracing, and returns the records in order of their start.
  [[nodiscard]] virtual std::vector<Record> stop_trace() = 0;

 protected:
  Stream() = default;
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual MemoryState memory() const = 0;
  /// throws DeviceError naming needed and free bytes
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(Bytes bytes) = 0;
  [[nodiscard]] virtual Stream& stream() = 0;

  /// The host's monotonic clock. Virtual on `sim`, so that nothing in a test depends on the machine it runs on.
  [[nodiscard]] virtual Nanoseconds host_now() const = 0;
  /// Keeps the host busy or asleep for this long; exact for short times.
  virtual void host_wait(Nanoseconds duration) = 0;
  /// Lets the device idle: like host_wait, and the device may cool down.  pre: stream synchronised
  virtual void idle(Nanoseconds duration) { host_wait(duration); }

  /// The chip's state now, by its management library; some 0.1 ms of the host, nothing of the stream.
  [[nodiscard]] virtual Telemetry telemetry();

  /// Marks what is enqueued until stop_profiling() for a profiler that watches this process: a range of that name, and
  /// the word to record. One that records only when told to sees this work and no other.  pre: stream synchronised
  virtual void start_profiling(const std::string& /*name*/) {}
  /// pre: stream synchronised
  virtual void stop_profiling() {}
  /// What start_profiling() marks with: "cuProfilerStart/Stop, NVTX range"; empty where it does nothing.
  [[nodiscard]] virtual std::string profiler_marks() const { return {}; }

  /// What lock_clock() would refuse whatever the permission, without changing anything; nothing where it cannot tell.
  ///   throws  UsageError for a clock that the chip does not have (with the nearest)
  virtual void check_clock(ClockDomain /*domain*/, const ClockWish& /*wish*/) {}
  /// Limits the clock of the SMs, or of the memory, until unlock_clocks(). A lock is a wish: a limiter may still go
  /// below.
  ///   return  the MHz that were asked for
  ///   throws  UsageError for a clock that the chip does not have (with the nearest), DeviceError without permission or
  ///           support
  virtual double lock_clock(ClockDomain domain, const ClockWish& wish);
  /// Undoes what lock_clock() did through this object; nothing where it did nothing.
  virtual void unlock_clocks() {}

 protected:
  Device() = default;
};

}  // namespace warpclock
