#include "store/sqlite.hpp"

#include <fmt/format.h>

#include <cmath>
#include <system_error>
#include <utility>

#include "core/errors.hpp"

namespace warpclock::store {
namespace {

/// What the operating system said to SQLite, if anything.
std::string system_reason(sqlite3* connection) {
  const int error = connection == nullptr ? 0 : sqlite3_system_errno(connection);
  return error == 0 ? "" : " (" + std::generic_category().message(error) + ")";
}

std::string explain(const std::string& file, sqlite3* connection, int code) {
  switch (code & 0xFF) {  // the primary code; the higher bits say more about it
    case SQLITE_FULL:
      return fmt::format("cannot write '{}': the disk is full", file);
    case SQLITE_IOERR:
      return fmt::format("cannot read or write '{}': {}{}", file, sqlite3_errstr(code), system_reason(connection));
    case SQLITE_CORRUPT:
      return fmt::format("'{0}' is damaged; see what with: sqlite3 '{0}' 'PRAGMA integrity_check'", file);
    case SQLITE_NOTADB:
      return fmt::format("'{}' is no SQLite database; give another file", file);
    case SQLITE_READONLY:
      return fmt::format("cannot write '{}': it is read-only", file);
    case SQLITE_CANTOPEN:
      return fmt::format("cannot open '{}'{}", file, system_reason(connection));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("'{}' is kept busy by another process; try again later", file);
    default:
      return fmt::format("'{}': {}", file, connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection));
  }
}

/// Ends a transaction that may have ended already: a failed write can have rolled it back.
void roll_back(Connection& connection) noexcept {
  if (!connection.in_transaction()) return;
  try {
    connection.execute("ROLLBACK");
  } catch (const DataError&) {
    // SQLite rolls back when the file is opened again.
  }
}

}  // namespace

void fail(const std::string& file, sqlite3* connection, int code) { throw DataError(explain(file, connection, code)); }

Statement::Statement(sqlite3* connection, std::string_view sql, std::string file) : file_(std::move(file)) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  if (code != SQLITE_OK) fail(file_, connection, code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(file_, sqlite3_db_handle(statement_.get()), code);
}

void Statement::bind(int index, std::int64_t value) { check(sqlite3_bind_int64(statement_.get(), index, value)); }

void Statement::bind(int index, double value) { check(sqlite3_bind_double(statement_.get(), index, value)); }

void Statement::bind(int index, std::string_view text) {
  // A view without memory would be NULL and not the empty text.
  const char* data = text.data() == nullptr ? "" : text.data();
  check(sqlite3_bind_text64(statement_.get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int index, std::span<const std::byte> blob) {
  if (blob.empty()) return check(sqlite3_bind_zeroblob(statement_.get(), index, 0));
  check(sqlite3_bind_blob64(statement_.get(), index, blob.data(), blob.size(), SQLITE_STATIC));
}

void Statement::bind(int index, std::nullopt_t) { check(sqlite3_bind_null(statement_.get(), index)); }

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  auto* connection = sqlite3_db_handle(statement_.get());
  const int extended = sqlite3_extended_errcode(connection);
  const auto message = explain(file_, connection, extended);
  reset();
  throw DataError(message);
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

bool Statement::null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::optional<double> Statement::number(int column) const {
  if (null(column)) return std::nullopt;
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  return {data, data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Connection::Connection(const std::string& file, int flags, const std::string& uri) : file_(file) {
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(uri.empty() ? file.c_str() : uri.c_str(), &made, flags, nullptr);
  connection_.reset(made);
  if (code != SQLITE_OK) fail(file_, made, code);
  sqlite3_extended_result_codes(made, 1);
}

void Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(file_, connection_.get(), code);
}

std::string Connection::text(std::string_view sql) {
  auto statement = prepare(sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Connection::integer(std::string_view sql) {
  auto statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

Transaction::Transaction(Connection& connection) : connection_(connection) { connection_.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() { roll_back(connection_); }

void Transaction::commit() { connection_.execute("COMMIT"); }

Snapshot::Snapshot(Connection& connection) : connection_(connection) { connection_.execute("BEGIN"); }

Snapshot::~Snapshot() { roll_back(connection_); }

}  // namespace warpclock::store
