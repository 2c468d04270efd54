// What is written down about a clock lock, so that it can be undone whatever happens to the process that has set it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "device/clock_wish.hpp"

namespace warpclock {

/// The locks of one GPU by one process. A file of its own in the state folder.
struct ClockRecord {
  std::string backend;                       // "cuda"
  std::string identity;                      // "GPU-...": never an index, which another start may order otherwise
  int owner = 0;                             // process that has locked
  int guard = 0;                             // process that undoes it should the owner end without
  std::map<ClockDomain, std::string> locks;  // by domain what was asked for: "base", "max", "1500 MHz"
  std::string boot;                          // a lock does not outlive the boot in which it was set
  std::string host;                          // a home folder may be shared by machines

  /// True where it may still be in force on this machine, as it runs now.
  [[nodiscard]] bool of_this_boot() const;
  /// True where it was written on this machine, whenever.
  [[nodiscard]] bool of_this_host() const;
};

/// A record of this process, on this machine and in this boot.
[[nodiscard]] ClockRecord new_clock_record(const std::string& backend, const std::string& identity);

[[nodiscard]] std::string clock_record_path(const std::string& folder, const std::string& identity);

/// throws DataError
void write_clock_record(const std::string& path, const ClockRecord& record);
/// return  empty where there is no such file;  throws DataError for one that is no record
[[nodiscard]] std::optional<ClockRecord> read_clock_record(const std::string& path);

/// The right to a GPU's record. Owner and guard share it; it ends when both of them have, however they ended: the
/// system takes it back, which no process id could tell for sure (ids are used again, and differ in containers).
class [[nodiscard]] ClockClaim {
 public:
  /// return  empty where a living process has it;  throws DataError where the folder cannot keep claims
  static std::optional<ClockClaim> take(const std::string& folder, const std::string& identity);
  ClockClaim(ClockClaim&& other) noexcept;
  ClockClaim& operator=(ClockClaim&&) = delete;
  ~ClockClaim();

  /// The descriptor that holds it; a process that inherits it holds it too.
  [[nodiscard]] int file() const { return file_; }

 private:
  explicit ClockClaim(int file) : file_(file) {}
  int file_;
};

/// $XDG_STATE_HOME/warpclock or ~/.local/state/warpclock; empty where neither is known.
[[nodiscard]] std::string state_folder();

}  // namespace warpclock
