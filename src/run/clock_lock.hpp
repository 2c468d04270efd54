// Locks of the device's clocks for the length of a run. They are undone whatever the end: here where the run ends by
// itself, by a guard process where this one is ended, by the next start where the guard is ended too.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "run/clock_guard.hpp"
#include "run/clock_record.hpp"

namespace warpclock {

/// How locks are looked after where they would outlive this process.
struct ClockKeeping {
  bool outlive = true;                     // false: they end with the process (the simulator's), so nobody has to look
  std::string folder;                      // for the record; empty: nothing is locked that outlives the process
  std::string program = "/proc/self/exe";  // to be started as guard
};

/// Which locks are in force, and why not where they were asked for.
struct LockedClocks {
  std::optional<double> sm_mhz;
  std::optional<double> memory_mhz;
  std::string problem;  // why a lock that was asked for is not in force; empty where all are, or none was
};

class ClockLock {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// Locks nothing yet. The device must outlive it. `warn` is told once why nothing is locked.
  ClockLock(Device& device, ClockKeeping keeping, Warn warn);
  /// Undoes what is locked; the guard tries once more where that fails.
  ~ClockLock();
  ClockLock(const ClockLock&) = delete;
  ClockLock& operator=(const ClockLock&) = delete;

  /// Locks a clock, or another one instead of the one before. Without permission or support, or where it could not be
  /// undone for sure, nothing is locked, and state().problem says why.
  ///   return  true where it is in force now
  ///   throws  UsageError for a clock that the device does not have
  bool lock(ClockDomain domain, const ClockWish& wish);
  /// Undoes all locks. What went wrong is told by `warn`.
  void unlock();

  [[nodiscard]] const LockedClocks& state() const { return state_; }

 private:
  void keep_watch();
  void refused(ClockDomain domain, const std::string& problem);
  void write_record();

  Device& device_;
  ClockKeeping keeping_;
  Warn warn_;
  LockedClocks state_;
  std::map<ClockDomain, std::string> problems_;
  ClockRecord record_;
  std::optional<ClockClaim> claim_;
  std::unique_ptr<ClockGuard> guard_;
};

}  // namespace warpclock
