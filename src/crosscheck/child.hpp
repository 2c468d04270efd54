// A program run as a child process, with what it prints.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace warpclock {

struct ChildResult {
  int exit_code = 0;         // where it ended by itself
  int signal = 0;            // which ended it; 0: none
  bool interrupted = false;  // it was ended because the caller was interrupted
  std::string out, err;      // at most child_output_limit each; more is read and dropped
};

inline constexpr std::size_t child_output_limit = std::size_t{64} << 20U;

/// Runs words[0] (a path) with the others as its arguments, and waits. It gets a process group of its own, stdin from
/// nowhere and this process's environment. Where `interrupted` becomes true the whole group is ended.
///   throws  DeviceError where it cannot be started
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& words, const std::function<bool()>& interrupted);

}  // namespace warpclock
