#include "crosscheck/ncu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

namespace warpclock {
namespace {

namespace fs = std::filesystem;

bool executable(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0;
}

/// Newest first, by the numbers of their names: 2025.10 is newer than 2025.3.
std::vector<fs::path> releases_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) found.push_back(entry.path());
  std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
    return ::strverscmp(a.filename().c_str(), b.filename().c_str()) > 0;
  });
  return found;
}

/// "--clock-control" of "--clock-control=base"; the whole word where there is no equals sign.
std::string option_of(const std::string& word) { return word.substr(0, word.find('=')); }

/// What `more` says behind an option, as the next word or after an equals sign; the last one counts.
std::optional<std::string> value_in(const std::vector<std::string>& more, const std::string& option) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (more[i] == option && i + 1 < more.size()) value = more[i + 1];
    if (more[i].starts_with(option + "=")) value = more[i].substr(option.size() + 1);
  }
  return value;
}

bool mentions(const std::vector<std::string>& more, const std::string& option) {
  return std::ranges::any_of(more, [&](const std::string& word) { return option_of(word) == option; });
}

/// What an ncu says starts with "==ERROR==" (or "==WARNING=="); the first such line of both streams, without that.
std::string first_said(const ChildResult& child, const std::string& mark) {
  for (const auto* text : {&child.out, &child.err}) {
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(mark)) return line.substr(std::min(line.size(), line.find_first_not_of(" ", mark.size())));
    }
  }
  return "";
}

std::string last_line(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("==")) last = line;
  }
  return last;
}

bool says(const ChildResult& child, const std::string& words) {
  return child.out.find(words) != std::string::npos || child.err.find(words) != std::string::npos;
}

/// What stops ncu here whatever it is to profile.
void require_able(const ChildResult& child) {
  if (says(child, "ERR_NVGPUCTRPERM")) {
    throw NcuRefused(
        "ncu may not read the GPU's counters (ERR_NVGPUCTRPERM): run as root, or have the driver's option "
        "NVreg_RestrictProfilingToAdminUsers=0 set (https://developer.nvidia.com/ERR_NVGPUCTRPERM); in a container "
        "also "
        "give it CAP_SYS_ADMIN");
  }
  for (const char* reason : {"Failed to initialize the profiler", "Profiling is not supported on",
                             "driver resource was "
                             "unavailable",
                             "unrecognised option", "unrecognized option"}) {
    if (says(child, reason)) throw NcuRefused("ncu refused: " + first_said(child, "==ERROR=="));
  }
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      word = word.value_or("");  // "" is a word too
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (word) words.push_back(*word);
      word.reset();
    } else {
      word = word.value_or("") + c;
    }
  }
  if (quote != 0) throw UsageError(fmt::format("--ncu-args: the quote {} is not closed in: {}", quote, text));
  if (word) words.push_back(*word);
  return words;
}

std::string find_ncu(const std::string& given, const std::string& path, const std::string& cuda_home) {
  if (!given.empty()) {
    if (executable(given)) return fs::absolute(given).string();
    throw UsageError("--ncu: " + given + " is no executable file; give the path of Nsight Compute's ncu");
  }
  std::vector<fs::path> candidates;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty()) candidates.push_back(fs::path(folder) / "ncu");
  }
  if (!cuda_home.empty()) candidates.push_back(fs::path(cuda_home) / "bin/ncu");
  candidates.emplace_back("/usr/local/cuda/bin/ncu");
  for (const auto& release : releases_below("/opt/nvidia/nsight-compute")) candidates.push_back(release / "ncu");
  const auto found = std::ranges::find_if(candidates, executable);
  return found == candidates.end() ? "" : found->string();
}

NcuCommand ncu_command(const std::string& ncu, const std::vector<std::string>& more) {
  const std::string metrics = fmt::format("{},{},{},{},{}", ncu_metric::time, ncu_metric::cycles, ncu_metric::clock,
                                          ncu_metric::dram_read, ncu_metric::dram_written);
  const std::vector<std::pair<std::string, std::string>> defaults{
      {"--profile-from-start", "off"}, {"--clock-control", "none"}, {"--cache-control", "all"},
      {"--metrics", metrics},          {"--print-units", "base"},   {"--page", "raw"}};
  NcuCommand command{.words = {ncu, "--csv"}};
  for (const auto& [option, value] : defaults) {
    if (!mentions(more, option)) command.words.insert(command.words.end(), {option, value});
  }
  command.words.insert(command.words.end(), more.begin(), more.end());
  command.settings = {.clock_control = value_in(more, "--clock-control").value_or("none"),
                      .cache_control = value_in(more, "--cache-control").value_or("all"),
                      .graph_profiling = value_in(more, "--graph-profiling").value_or("node")};
  return command;
}

std::vector<NcuKernel> launches_of(const ChildResult& child) {
  require_able(child);
  if (child.signal != 0) {
    throw DeviceError(fmt::format("ncu was ended by signal {} ({})", child.signal, ::strsignal(child.signal)));
  }
  const auto error = first_said(child, "==ERROR==");
  const auto launches = parse_ncu_csv(child.out);
  if (!launches.empty() && child.exit_code == 0) return launches;
  if (child.exit_code != 0) {
    const auto own = last_line(child.err);  // what `warpclock profile` said before it ended
    throw DeviceError(fmt::format("ncu or the program under it failed (exit code {}): {}", child.exit_code,
                                  !own.empty()     ? own
                                  : !error.empty() ? error
                                                   : "it said nothing"));
  }
  if (!error.empty()) throw DeviceError("ncu failed: " + error);
  if (says(child, "No kernels were profiled")) {
    throw DeviceError(
        "ncu saw no kernel between cuProfilerStart and Stop: the call launches none, or --ncu-args filters them out");
  }
  throw DataError("ncu printed no table; see what it prints with the same --ncu-args");
}

}  // namespace warpclock
