#include "cli/outputs.hpp"

#include <algorithm>
#include <filesystem>

#include "core/errors.hpp"
#include "store/atomic_file.hpp"

namespace warpclock::cli {
namespace {

bool is_stdout(const Output& output) { return output.path == "-"; }

/// The same file under two names is still the same file.
std::filesystem::path normal(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored);
}

void require_distinct(const std::vector<Output>& outputs) {
  for (auto a = outputs.begin(); a != outputs.end(); ++a) {
    const auto b = std::find_if(outputs.begin(), a, [&](const Output& other) {
      return a->path == other.path || (!is_stdout(*a) && !is_stdout(other) && normal(a->path) == normal(other.path));
    });
    if (b == a || a->path == "/dev/null") continue;
    throw UsageError(b->flag + " and " + a->flag + " cannot both go to '" + a->path +
                     "'; give one of them a file of its own");
  }
}

}  // namespace

Outputs::Outputs(std::vector<Output> outputs) : outputs_(std::move(outputs)) {
  for (const auto& output : outputs_) {
    // "--json -q" would otherwise write a file called -q.
    if (output.path.starts_with("-") && !is_stdout(output)) {
      throw UsageError(output.flag + ": '" + output.path + "' looks like an option; give a file (or ./" + output.path +
                       ") or - for stdout");
    }
  }
  require_distinct(outputs_);
  for (const auto& output : outputs_) {
    if (is_stdout(output)) continue;
    try {
      check_writable(output.path);
    } catch (const DataError& error) {
      throw UsageError(output.flag + ": " + error.what());
    }
  }
}

bool Outputs::take_stdout() const { return std::ranges::any_of(outputs_, is_stdout); }

std::vector<std::string> Outputs::write(std::ostream& out) const {
  std::vector<std::string> problems;
  for (const auto& output : outputs_) {
    if (is_stdout(output)) continue;
    try {
      write_atomically(output.path, output.render());
    } catch (const DataError& error) {
      problems.push_back(output.flag + ": " + error.what());
    }
  }
  for (const auto& output : outputs_) {
    if (is_stdout(output)) out << output.render();
  }
  return problems;
}

}  // namespace warpclock::cli
