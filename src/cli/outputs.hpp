// Where the results go: files that are checked before anything is measured, and at most one of them on stdout.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace warpclock::cli {

/// One of --json, --csv, --md.
struct Output {
  std::string flag;  // "--json"
  std::string path;  // "-" is stdout
  std::function<std::string()> render;
};

class Outputs {
 public:
  /// throws UsageError for two on stdout, two in one file, one that cannot be written;
  /// missing folders are created
  explicit Outputs(std::vector<Output> outputs);

  /// True if stdout belongs to one of them, and nothing else may be printed there.
  [[nodiscard]] bool take_stdout() const;
  /// Writes all of them, whatever fails; the files first, since a closed pipe must not cost them.
  ///   return  what went wrong, a line each
  [[nodiscard]] std::vector<std::string> write(std::ostream& out) const;

 private:
  std::vector<Output> outputs_;
};

}  // namespace warpclock::cli
