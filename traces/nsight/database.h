// A database that somebody else made, read table by table, row by row. Nothing it holds is trusted:
// views and virtual tables are not looked at, rows that come twice and values that are too long are
// errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"

struct sqlite3;
struct sqlite3_stmt;

namespace quintet::nsight {

struct CloseDatabase {
  void operator()(sqlite3* database) const;
};
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

// The columns that were asked for, in that order. What is said of `needed` ones: where they hold
// something else, that is kept and reading ends with it.
class TableRow {
 public:
  explicit TableRow(sqlite3_stmt* statement) : statement_(statement) {}

  // An integer that has to be there.
  std::int64_t needed(int column) const;
  // One that is nanoseconds, so that sums of two do not overflow.
  std::int64_t instant(int column) const;
  // None: NULL, another type, or no such column in this version.
  std::optional<std::int64_t> integer(int column) const;
  std::string_view text(int column) const;   // empty likewise
  std::string_view bytes(int column) const;  // text or a blob
  std::int64_t number() const;               // its rowid

  const std::optional<std::string>& wrong() const { return wrong_; }

 private:
  sqlite3_stmt* statement_;
  mutable std::optional<std::string> wrong_;
};

class Database {
 public:
  static Result<Database> open(const std::filesystem::path& file);
  // `bytes` outlive it.
  static Result<Database> open(std::span<const char> bytes, const std::string& where);

  bool has(const std::string& table) const { return columns_.count(table) > 0; }
  bool has(const std::string& table, const std::string& column) const;
  std::vector<std::string> tables() const;
  // The highest number of a row: how many there are at most.
  std::int64_t rows(const std::string& table) const;

  // Every row, in order; nothing where there is no such table. Its columns: `needed`, which are an
  // error when they are not there, then `others`.
  std::optional<Error> each(const std::string& table, const std::vector<std::string>& needed,
                            const std::vector<std::string>& others,
                            const std::function<void(const TableRow&)>& take) const;

  // `column` of the row of `table` whose number is asked for.
  Result<Statement> find_by_number(const std::string& table, const std::string& column) const;

  // Of the tables that will be read: how far that is, is told from here on.
  void tell(const ReadingProgress& progress, const std::vector<std::string>& tables);

  const std::string& where() const { return where_; }
  Error damaged(const std::string& table) const;

 private:
  explicit Database(std::string where) : where_(std::move(where)) {}
  std::optional<Error> prepare();
  std::optional<Error> prepare_columns(const std::string& table);
  Result<Statement> all_of(const std::string& table, const std::vector<std::string>& needed,
                           const std::vector<std::string>& others) const;
  void step_on() const;

  std::string where_;
  std::string image_;  // writable where SQLite asks for that; else empty
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
  std::map<std::string, std::set<std::string>> columns_;
  ReadingProgress progress_;
  std::int64_t rows_in_all_ = 0;
  std::size_t size_ = 0;
  mutable std::int64_t rows_read_ = 0;
};

}  // namespace quintet::nsight
