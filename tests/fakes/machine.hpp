// The machine behind the stand-ins for driver, CUPTI and NVML: its GPUs, the script that says what goes wrong, what
// the stand-ins were asked for, and the device's activity log. All times are virtual.
//
// The script stands in the environment variable FAKE_GPU as words "key=value" between spaces:
//   gpus=2  driver=12040  lacks=cuMemAlloc  name=NVIDIA_H200 (_ is a space)  sms=132  capability=90  l2_mib=4
//   memory_mib=8192
//   mig=1                the first GPU is a MIG slice of it
//   mps=1                an MPS server runs
//   persisting_l2=65536  bytes of L2 that someone set aside
//   blocking=1           launches wait for their completion, as under a serialising tool
//   ignore_waits=1       cuStreamWaitValue32 does not wait
//   clock_mhz=1980       of the SMs
//   busy_mhz=1500        the same while a kernel, copy or fill runs
//   starve_sentinel=1    there is no room for the sentinel beside the rest
//   exclusive=NAME       kernel NAME needs every SM: it waits until the sentinel has gone
//   host_ns=4096         that the host needs to enqueue a command
//   nvml.FIELD=5         what NVML tells, in its own unit: sm_clock, sm_clock_max, memory_clock, memory_clock_max (MHz),
//                        power, power_limit (mW), temperature (C), energy (mJ), throttle_time (ns); "5@2" is the 2nd time
//   throttle=4           bits of the throttle reasons
//   base_mhz=1590        the base clock of the SMs
//   clock_state=/path    file in which locks of clocks outlive the process: a line "sm 1500" or "memory 3201" each
//   nvml_swapped=1       NVML numbers the GPUs the other way round
//   processes=41,42      other processes on the GPU
//   own_pid=43           how NVML names this process, as in a container
//   unsupported=vgpu     why the range profiler does not work: architecture, vgpu, confidential, wsl, sli, cmp
//   passes=2             that its metrics take
//   no_counts=1          its metrics have no value
//   dropped=3            records that CUPTI says it had no room for, a trace
//   duration.NAME=5000   ns that kernel NAME takes
//   kernel.NAME=700@2    the 2nd run of kernel NAME ends in this error and takes the context along
//   record.NAME=zero@2   the 2nd record of kernel NAME is broken: zero, reversed, missing
//   profile_log=FILE     what a profiler would see between cuProfilerStart and cuProfilerStop, a line each
//   FUNCTION=2@3+        calls of FUNCTION ("cuMemAlloc", "cuptiSubscribe", "nvmlInit_v2") return 2, from the 3rd on
// Without @ it is always; @3 is the 3rd time only; @3+ the 3rd time and after; @/3 every 3rd time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fake {

/// Stamps of events and records are whole steps, as on an H200.
constexpr std::uint64_t timer_step = 32;  // ns
[[nodiscard]] constexpr std::uint64_t in_steps(std::uint64_t ns) {
  return (ns + timer_step - 1) / timer_step * timer_step;
}

struct Gpu {
  int index = 0;  // as the PCI bus orders them
  std::string name;
  std::array<unsigned char, 16> uuid{};  // of the slice, where it is one
  std::string pci;
  bool slice = false;

  /// "GPU-00000000-..." or "MIG-...", as nvidia-smi and CUDA_VISIBLE_DEVICES have it.
  [[nodiscard]] std::string uuid_text() const;
};

struct Activity {
  enum class Kind : std::uint8_t { kernel, copy, fill };
  Kind kind = Kind::kernel;
  const char* name = nullptr;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::uint32_t threads = 0;  // of a block
};

class Machine {
 public:
  /// The one of this process; reads FAKE_GPU when it is first asked for.
  static Machine& instance();
  explicit Machine(const std::string& script) { follow(script); }

  /// Takes another script and forgets the counts; the GPUs stay as they are.
  void follow(const std::string& script);
  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise = "") const;
  [[nodiscard]] long number(const std::string& key, long otherwise) const;

  /// MHz to which the clock of a domain ("sm", "memory") is locked, by whatever process; empty where it is not.
  [[nodiscard]] std::optional<long> lock(const std::string& domain) const;
  void set_lock(const std::string& domain, std::optional<long> mhz);
  /// Of the SMs: clock_mhz, and no more than the lock.
  [[nodiscard]] long sm_clock() const;
  /// The same while a kernel, copy or fill runs.
  [[nodiscard]] long busy_clock() const { return std::min(sm_clock(), number("busy_mhz", sm_clock())); }

  /// Counts one more occurrence of `key`.  return: what the script says about this one; empty where nothing
  std::string event(const std::string& key);
  /// The same for a call of a function or a run of a kernel, as an error number; 0 where all is well.
  int error_of(const std::string& key);
  [[nodiscard]] long count(const std::string& key) const;

  /// GPUs in the order of the PCI bus.
  [[nodiscard]] const std::vector<Gpu>& gpus();

  /// A line for the profile_log, if there is one; kernels and ranges only while it is being profiled.
  void profile(const std::string& line);
  bool profiling = false;

  void record(Activity activity);
  void trace(Activity::Kind kind, bool on);
  [[nodiscard]] std::vector<Activity> take_log();
  /// A copy of the name that lives as long as the process, as CUPTI's do.
  const char* keep(const std::string& name) { return names_.insert(name).first->c_str(); }

  int cupti_sessions = 0;     // open ones; a second one fails
  int profiler_sessions = 0;  // of CUPTI's range profiler

 private:
  [[nodiscard]] std::map<std::string, long> locks() const;

  std::map<std::string, std::string> script_;
  std::map<std::string, long> own_locks_;  // without clock_state
  std::map<std::string, long> counts_;
  std::vector<Gpu> gpus_;
  std::set<Activity::Kind> traced_;
  std::vector<Activity> log_;
  std::set<std::string> names_;
};

}  // namespace fake
