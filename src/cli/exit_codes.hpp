// What the program's exit status says. Only this folder knows these numbers.
#pragma once

#include <utility>
#include <vector>

namespace warpclock::cli {

enum ExitCode : int {
  ok = 0,
  usage = 2,         // the request cannot be met as it was made; nothing was measured
  refused = 4,       // a device or its environment refused: no driver, no memory, a full disk
  kernel_bad = 5,    // a kernel failed or computed something wrong; the others still ran
  interrupted = 130  // stopped by a signal; what was measured is printed and written
};

/// Each code with one line, for --help and docs/cli.md.
inline const std::vector<std::pair<ExitCode, const char*>>& exit_codes() {
  static const std::vector<std::pair<ExitCode, const char*>> codes{
      {ok, "all was measured"},
      {usage, "usage: the request cannot be met as it was made; nothing was measured"},
      {refused, "a device or its environment refused: no driver, not enough memory, a full disk"},
      {kernel_bad, "a kernel failed or computed something wrong, or a selftest item failed; the others still ran"},
      {interrupted, "interrupted; what was measured is printed and written"},
  };
  return codes;
}

}  // namespace warpclock::cli
