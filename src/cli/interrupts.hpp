// Ctrl-C: the first one asks the measurement to stop and keep what it has, the second one ends the program at once.
#pragma once

namespace warpclock::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP are caught; one that the caller of the program had set to be ignored
/// (nohup, a job in the background) stays ignored. SIGPIPE is ignored, so that a closed pipe is an error of a write.
class SignalGuard {
 public:
  [[nodiscard]] SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// True from the first signal on.
  [[nodiscard]] static bool interrupted();
};

}  // namespace warpclock::cli
