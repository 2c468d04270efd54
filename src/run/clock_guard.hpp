// The process that undoes a clock lock when its owner ends without: by an exception that nobody caught, a signal, a
// crash, SIGKILL. It is this very program in a session of its own, waiting for a pipe to close.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/clock_wish.hpp"
#include "run/clock_record.hpp"

namespace warpclock {

/// Takes the lock of a domain away although another process has set it.  throws DeviceError
using ClockReset = std::function<void(ClockDomain)>;
/// A ClockReset for a device that need not be opened for measuring.
///   throws  DeviceError where the device cannot be reached
using ClockResets = std::function<ClockReset(const std::string& backend, const std::string& identity)>;

/// The guard as its owner sees it.
class ClockGuard {
 public:
  /// Starts it and waits until it says that it could undo a lock.
  ///   program  to be run as `program clock-guard --folder F --backend B --identity I`
  ///   throws   DeviceError saying why there is none
  ClockGuard(const std::string& program, const std::string& folder, const std::string& backend,
             const std::string& identity, const ClockClaim& claim);
  /// Lets it go, and waits (bounded) for its end.
  ~ClockGuard();
  ClockGuard(const ClockGuard&) = delete;
  ClockGuard& operator=(const ClockGuard&) = delete;

  [[nodiscard]] int pid() const { return pid_; }
  /// False where something has ended it.
  [[nodiscard]] bool alive();

 private:
  int pid_ = 0;  // 0: has ended
  int pipe_ = -1;
};

/// What the guard does: says on stdout that it is ready, waits until stdin closes, and undoes what the record names
/// then. A record that is gone has been seen to by its owner.
///   return  exit status: 0 where nothing of ours is locked any more
[[nodiscard]] int guard_clocks(const std::string& folder, const std::string& backend, const std::string& identity,
                               const ClockResets& resets);

/// Undoes the locks that runs left behind whose guard was ended too. A record of an earlier boot is deleted; one whose
/// owner or guard lives, or that another machine wrote, is left alone.
///   return  a line for each that was found
[[nodiscard]] std::vector<std::string> recover_clocks(const std::string& folder, const ClockResets& resets);

}  // namespace warpclock
