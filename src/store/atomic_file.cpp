#include "store/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/errors.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw DataError("cannot write '" + path + "': " + why);
}

/// Owns a descriptor; close_checked() reports what the destructor would swallow.
class Descriptor {
 public:
  [[nodiscard]] explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  [[nodiscard]] int number() const { return fd_; }
  [[nodiscard]] bool close_checked() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

/// A new, empty file beside the target, removed again unless it was renamed to it.
class TemporaryFile {
 public:
  [[nodiscard]] TemporaryFile(const fs::path& target, const std::string& asked)
      : name_(target.string() + ".tmp-" + std::to_string(::getpid())),
        file_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (!file_.valid()) fail(asked, reason(errno));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(name_.c_str());
  }
  [[nodiscard]] Descriptor& file() { return file_; }
  [[nodiscard]] bool rename_to(const fs::path& target) {
    renamed_ = ::rename(name_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The file behind links, so that a rename replaces the file and not the link to it. A dangling link counts as its end.
fs::path resolve(const std::string& path) {
  std::error_code error;
  fs::path current(path);
  for (int hops = 0; fs::is_symlink(fs::symlink_status(current, error)); ++hops) {
    if (hops == 40) fail(path, reason(ELOOP));  // the kernel's own limit
    const fs::path next = fs::read_symlink(current, error);
    if (error) fail(path, error.message());
    current = next.is_absolute() ? next : current.parent_path() / next;
  }
  return current;
}

void sync_folder(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) ::fsync(fd.number());  // some file systems refuse it; the file itself is already on the disk
}

/// Status of what stands at `target`; empty where nothing does.
std::optional<struct stat> status_of(const fs::path& target) {
  struct stat found {};
  if (::stat(target.c_str(), &found) != 0) return std::nullopt;
  return found;
}

void write_in_place(const fs::path& target, const std::string& asked, std::string_view content) {
  Descriptor file(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid() || !write_all(file.number(), content) || !file.close_checked()) fail(asked, reason(errno));
}

}  // namespace

void check_writable(const std::string& path) {
  if (path.empty()) fail(path, "the name is empty; give a file or -");
  const fs::path target = resolve(path);
  std::error_code error;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  if (error) fail(path, "its folder cannot be created: " + error.message());
  const auto found = status_of(target);
  if (found && S_ISDIR(found->st_mode)) fail(path, "it is a folder; give the name of a file");
  if (found && !S_ISREG(found->st_mode)) {
    if (::access(target.c_str(), W_OK) != 0) fail(path, reason(errno));
    return;
  }
  if (!target.has_filename()) fail(path, "it names a folder; give the name of a file");
  const TemporaryFile probe(target, path);
}

void write_atomically(const std::string& path, std::string_view content) {
  const fs::path target = resolve(path);
  const auto found = status_of(target);
  if (found && !S_ISREG(found->st_mode)) return write_in_place(target, path, content);
  TemporaryFile temporary(target, path);
  Descriptor& file = temporary.file();
  if (found) static_cast<void>(::fchmod(file.number(), found->st_mode & 07777));  // best effort: not our file to guard
  if (!write_all(file.number(), content) || ::fsync(file.number()) != 0 || !file.close_checked() ||
      !temporary.rename_to(target)) {
    fail(path, reason(errno));
  }
  sync_folder(target);
}

}  // namespace warpclock
