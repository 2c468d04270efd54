// SQLite's C interface (https://sqlite.org/cinterface.html) behind owning handles. Every failure is a DataError on one
// line that names the file.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpclock::store {

/// A prepared statement. What is bound must live until the statement has been stepped through.
class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql, std::string file);

  void bind(int index, std::int64_t value);
  void bind(int index, double value);  // NaN becomes NULL
  void bind(int index, std::string_view text);
  void bind(int index, const std::string& text) { bind(index, std::string_view(text)); }
  void bind(int index, const char* text) { bind(index, std::string_view(text)); }
  void bind(int index, std::span<const std::byte> blob);
  void bind(int index, std::nullopt_t);
  template <class Value>
  void bind(int index, const std::optional<Value>& value) {
    value ? bind(index, *value) : bind(index, std::nullopt);
  }

  /// Starts anew with these values; rows come from step().
  template <class... Values>
  Statement& with(const Values&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
    return *this;
  }
  /// Runs it to its end, for statements that give no rows.
  template <class... Values>
  void run(const Values&... values) {
    with(values...);
    while (step()) {
    }
    reset();
  }

  /// The next row, if there is one.  throws DataError
  bool step();
  void reset();

  // Of the current row; columns count from 0. Views live until the next step.
  [[nodiscard]] bool null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<double> number(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  void check(int code) const;

  std::string file_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Connection {
 public:
  /// `flags` as for sqlite3_open_v2, `uri` in the place of the file where it is not empty.  throws DataError
  Connection(const std::string& file, int flags, const std::string& uri = "");

  [[nodiscard]] Statement prepare(std::string_view sql) { return {connection_.get(), sql, file_}; }
  /// One or more statements without rows.
  void execute(const std::string& sql);
  /// First column of the first row; empty where there is no row.
  [[nodiscard]] std::string text(std::string_view sql);
  [[nodiscard]] std::int64_t integer(std::string_view sql);
  [[nodiscard]] std::int64_t last_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  [[nodiscard]] std::int64_t changes() const { return sqlite3_changes64(connection_.get()); }
  [[nodiscard]] bool read_only() const { return sqlite3_db_readonly(connection_.get(), "main") == 1; }
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> connection_;
};

/// All or nothing: rolled back unless commit() returned. Takes the right to write at once, so that a wait for another
/// writer happens here and nowhere else.
class Transaction {
 public:
  [[nodiscard]] explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  /// throws DataError where it is not on the disk
  void commit();

 private:
  Connection& connection_;
};

/// One state of the file for all that is read while it lives, whatever others write meanwhile.
class Snapshot {
 public:
  [[nodiscard]] explicit Snapshot(Connection& connection);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Connection& connection_;
};

/// Throws the DataError for `code` of `connection`.
[[noreturn]] void fail(const std::string& file, sqlite3* connection, int code);

}  // namespace warpclock::store
