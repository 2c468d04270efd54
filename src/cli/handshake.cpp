#include "cli/handshake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "core/errors.hpp"
#include "core/version.hpp"
#include "suite/user_kernel_words.hpp"

extern char** environ;

namespace warpclock::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t longest_answer = 1U << 20U;

/// The program's end, and what it wrote until then.
struct Answer {
  std::string text;
  bool in_time = true;
};

/// Reads until the pipe is closed, the answer is longer than any, or the time is up.
Answer read_answer(int pipe, std::chrono::milliseconds patience) {
  Answer answer;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  char piece[4096];
  while (answer.text.size() < longest_answer) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{.fd = pipe, .events = POLLIN, .revents = 0};
    const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready == 0) return answer.in_time = false, answer;
    if (ready < 0) continue;  // a signal
    const auto got = ::read(pipe, piece, sizeof piece);
    if (got <= 0) break;
    answer.text.append(piece, static_cast<std::size_t>(got));
  }
  return answer;
}

Answer run_handshake(const std::string& path, std::chrono::milliseconds patience) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw DeviceError("no pipe can be made: " + std::generic_category().message(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = path, word = handshake_word;
  char* words[] = {program.data(), word.data(), nullptr};
  pid_t child = 0;
  const int problem = ::posix_spawn(&child, path.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (problem != 0) {
    ::close(ends[0]);
    throw UsageError(fmt::format("{}: it cannot be run: {}", path, std::generic_category().message(problem)));
  }
  auto answer = read_answer(ends[0], patience);
  ::close(ends[0]);
  ::kill(child, SIGKILL);  // one that goes on after its answer, or never gave one
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

}  // namespace

std::string handshake_text(const std::vector<std::string>& benchmarks) {
  return Json{{"warpclock_handshake", handshake_version}, {"version", version()}, {"benchmarks", benchmarks}}.dump();
}

std::string program_among(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    std::error_code ignored;
    if (word.find('/') == std::string::npos || names_user_kernel(word)) continue;
    if (std::filesystem::is_regular_file(word, ignored)) return word;
  }
  return "";
}

std::vector<std::string> ask_program(const std::string& path, std::chrono::milliseconds patience) {
  if (::access(path.c_str(), X_OK) != 0) {
    throw UsageError(fmt::format("{}: it is neither a kernel nor a program that can be run", path));
  }
  const auto answer = run_handshake(path, patience);
  const auto document = Json::parse(answer.text, nullptr, false);
  const bool known = document.is_object() && document.contains("warpclock_handshake") && document.contains("version") &&
                     document["version"].is_string() && document.contains("benchmarks") &&
                     document["benchmarks"].is_array();
  if (!known) {
    throw UsageError(fmt::format("{}: it is no program linked with warpclock::main{}", path,
                                 answer.in_time ? "" : " (it did not answer in time)"));
  }
  const auto theirs = document["version"].get<std::string>();
  if (document["warpclock_handshake"] != handshake_version || theirs != version()) {
    throw UsageError(
        fmt::format("{}: it is linked with warpclock {} and this is {}; build it again", path, theirs, version()));
  }
  std::vector<std::string> names;
  for (const auto& name : document["benchmarks"]) {
    if (name.is_string()) names.push_back(name);
  }
  return names;
}

void become_program(const std::string& path, const std::vector<std::string>& words) {
  std::vector<std::string> all{path};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (auto& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(path.c_str(), pointers.data());
  throw DeviceError(fmt::format("{}: it cannot be run: {}", path, std::generic_category().message(errno)));
}

}  // namespace warpclock::cli
