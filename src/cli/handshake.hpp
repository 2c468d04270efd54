// How `warpclock run ./my_bench` learns that a program is one of warpclock's, before it hands over to it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace warpclock::cli {

/// The only word of a command line that asks for the line below.
inline constexpr const char* handshake_word = "--warpclock-handshake";
/// Raised when a program of one version could not be driven by another.
inline constexpr int handshake_version = 1;

/// One line of JSON: handshake and library version, and the names of the program's own benchmarks.
[[nodiscard]] std::string handshake_text(const std::vector<std::string>& benchmarks);

/// The first of `words` that names a program rather than a kernel: a path with a slash to a file that is no kernel
/// source; empty where there is none.
[[nodiscard]] std::string program_among(const std::vector<std::string>& words);

/// Asks a program, at most `patience` long.  return: its benchmarks
///   throws  UsageError for a file that cannot be run, no program of warpclock, or one of another version
[[nodiscard]] std::vector<std::string> ask_program(const std::string& path,
                                                   std::chrono::milliseconds patience = std::chrono::seconds(20));

/// Becomes the program, with `words` as its command line.  throws DeviceError where that fails; returns never
[[noreturn]] void become_program(const std::string& path, const std::vector<std::string>& words);

}  // namespace warpclock::cli
