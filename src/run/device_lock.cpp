#include "run/device_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/errors.hpp"

namespace warpclock {
namespace {

std::string lock_file(const DeviceInfo& info, const std::string& folder) {
  std::string name = info.identity;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return folder + "/warpclock-" + name + ".lock";
}

/// What the holder wrote about itself: "process 4711".
std::string holder(int file) {
  std::array<char, 32> text{};
  const auto n = ::pread(file, text.data(), text.size() - 1, 0);
  return n > 0 ? fmt::format("process {}", std::string_view(text.data(), static_cast<std::size_t>(n)))
               : "another process";
}

}  // namespace

DeviceLock::DeviceLock(const DeviceInfo& info, const std::string& folder) {
  const auto path = lock_file(info, folder);
  // Another user's lock is opened for reading: that is enough to lock and to see who holds it.
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) {
    problem_ = fmt::format("{} is not locked against other warpclocks: {}: {}", info.id, path, std::strerror(errno));
    return;
  }
  static_cast<void>(::fchmod(file_, 0666));  // whatever the umask is: others lock the same file
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const auto who = holder(file_);
    ::close(file_);
    file_ = -1;
    throw DeviceError(fmt::format(
        "{} is being measured by {}; wait for it to end, or share the device and its figures with --no-lock", info.id,
        who));
  }
  const auto pid = std::to_string(::getpid());
  const bool written = ::ftruncate(file_, 0) == 0 && ::pwrite(file_, pid.data(), pid.size(), 0) > 0;
  static_cast<void>(written);  // only the message of others would name nobody
}

DeviceLock::~DeviceLock() {
  if (file_ >= 0) ::close(file_);
}

std::string lock_folder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder.string();
}

}  // namespace warpclock
