// The results database: one file, safe for several writers and readers at once, each of whose commits is on the disk
// when it returns.
#pragma once

#include <string>

#include "store/sqlite.hpp"

namespace warpclock::store {

/// Where results go unless the user says otherwise: $XDG_DATA_HOME/warpclock/results.db, or under ~/.local/share.
/// Empty where neither can be told.
[[nodiscard]] std::string default_database();

enum class Access {
  write,  // makes the file and its folder where they are missing
  read,   // an older version of the tables is migrated all the same, where the file can be written
};

class Database {
 public:
  /// Opens `file` and brings its tables to this program's version. Each write is one transaction, flushed to the disk
  /// (synchronous FULL); a writer waits for another one up to 30 s. Write-ahead log where the file system takes it,
  /// else a rollback journal.
  ///   throws DataError on one line: cannot be opened or written, is no database, another program's, a newer version's,
  ///   damaged
  Database(const std::string& file, Access access);

  [[nodiscard]] Connection& connection() { return connection_; }
  [[nodiscard]] const std::string& file() const { return connection_.file(); }
  /// "wal" or "delete".
  [[nodiscard]] const std::string& journal() const { return journal_; }

 private:
  Connection connection_;
  std::string journal_;
};

}  // namespace warpclock::store
