#include "store/database.hpp"

#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/errors.hpp"
#include "store/schema.hpp"

namespace warpclock::store {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& file) {
  const fs::path path(file);
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The write-ahead log keeps its index in shared memory, which hosts of a network file system do not share
/// (https://sqlite.org/wal.html, "All processes using a database must be on the same host computer").
bool shared_between_hosts(const std::string& file) {
  struct statfs status {};
  if (::statfs(folder_of(file).c_str(), &status) != 0) return true;
  switch (static_cast<std::uint32_t>(status.f_type)) {  // linux/magic.h, and the sources of those that are not there
    case 0x6969U:                                       // NFS
    case 0xFF534D42U:                                   // CIFS
    case 0xFE534D42U:                                   // SMB 2
    case 0x517BU:                                       // SMB
    case 0x01021997U:                                   // 9P
    case 0x65735546U:                                   // FUSE: sshfs, s3fs, and local ones
    case 0x0BD00BD0U:                                   // Lustre
    case 0x47504653U:                                   // GPFS
    case 0x19830326U:                                   // BeeGFS
    case 0x00C36400U:                                   // Ceph
    case 0x5346414FU:                                   // AFS
      return true;
    default:
      return false;
  }
}

Connection open(const std::string& file, Access access) {
  std::error_code error;
  if (file.empty()) throw DataError("the name of the database is empty; give a file");
  if (fs::is_directory(file, error)) throw DataError("'" + file + "' is a folder; give the name of a file");
  if (access == Access::write) {
    fs::create_directories(folder_of(file), error);
    if (error) throw DataError("cannot make the folder of '" + file + "': " + error.message());
    return {file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
  }
  if (!fs::exists(file, error)) throw DataError("there is no file '" + file + "'; 'warpclock run' makes it");
  // In a folder that cannot be written SQLite cannot make the index of a write-ahead log. Without a log there is
  // nothing to read but the file itself, and no writer who could change it.
  const bool log = fs::exists(file + "-wal", error) && fs::file_size(file + "-wal", error) > 0;
  const bool writable = ::access(folder_of(file).c_str(), W_OK) == 0 && ::access(file.c_str(), W_OK) == 0;
  if (writable || log) return {file, SQLITE_OPEN_READWRITE};  // read-only where the file is
  std::string escaped;
  for (const char c : fs::absolute(file).string()) {
    escaped += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  }
  return {file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, "file:" + escaped + "?immutable=1"};
}

/// throws where the file cannot be written, which opening it does not find out
void require_writable(Connection& connection) {
  if (connection.read_only()) fail(connection.file(), nullptr, SQLITE_READONLY);
  Transaction probe(connection);
}

}  // namespace

std::string default_database() {
  // NOLINTBEGIN(concurrency-mt-unsafe): read once, before any thread is started
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
    return std::string(data) + "/warpclock/results.db";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.local/share/warpclock/results.db";
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return {};
}

Database::Database(const std::string& file, Access access) : connection_(open(file, access)) {
  constexpr int longest_wait_ms = 30'000;
  connection_.execute("PRAGMA busy_timeout = " + std::to_string(longest_wait_ms));
  connection_.execute("PRAGMA foreign_keys = ON");
  // Tables first: a file that is not ours must not be changed, not even its journal mode.
  migrate(connection_);
  if (access == Access::write) {
    require_writable(connection_);
    const bool wal = !shared_between_hosts(file);
    connection_.execute("PRAGMA synchronous = FULL");
    // The answer is the mode that is in force, which may be another one. Where others have the file open it cannot be
    // changed, and then they have set it already.
    journal_ = connection_.text("PRAGMA journal_mode");
    if (wal && journal_ != "wal") {
      try {
        journal_ = connection_.text("PRAGMA journal_mode = WAL");
      } catch (const DataError&) {
        journal_ = connection_.text("PRAGMA journal_mode");
      }
    } else if (!wal && journal_ == "wal") {
      journal_ = connection_.text("PRAGMA journal_mode = DELETE");
    }
  } else {
    journal_ = connection_.text("PRAGMA journal_mode");
  }
}

}  // namespace warpclock::store
