#include "traces/nsight/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/base/units.h"
#include "traces/nsight/database_file.h"

namespace quintet::nsight {
namespace {

constexpr int longest_value = 16 << 20;  // no name and no payload comes near it

std::string quoted(const std::string& name) {
  std::string made = "\"";
  for (const char each : name) made += each == '"' ? "\"\"" : std::string(1, each);
  return made + "\"";
}

// With what a URI gives a meaning of its own spelled out. Immutable: no lock, no journal beside it.
std::string address_of(const std::filesystem::path& file) {
  std::string made = "file:";
  for (const char each : std::filesystem::absolute(file).string())
    made += each == '%' || each == '?' || each == '#'
                ? fmt::format("%{:02X}", static_cast<unsigned char>(each))
                : std::string(1, each);
  return made + "?immutable=1";
}

}  // namespace

void CloseDatabase::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}
void CloseStatement::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

std::int64_t TableRow::needed(int column) const {
  if (const auto value = integer(column)) return *value;
  if (!wrong_)
    wrong_ = fmt::format("row {}, column {}: expected an integer, found {}", number(),
                         sqlite3_column_name(statement_, column + 1),
                         sqlite3_column_type(statement_, column + 1) == SQLITE_NULL
                             ? "nothing"
                             : in_quotes(text(column)));
  return 0;
}

std::int64_t TableRow::instant(int column) const {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  const std::int64_t time = needed(column);
  if (time > -most && time < most) return time;
  if (!wrong_)
    wrong_ = fmt::format("row {}, column {}: expected nanoseconds below 2^61, found {}", number(),
                         sqlite3_column_name(statement_, column + 1), time);
  return 0;
}

std::optional<std::int64_t> TableRow::integer(int column) const {
  if (sqlite3_column_type(statement_, column + 1) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, column + 1);
}

std::string_view TableRow::bytes(int column) const {
  const void* const start = sqlite3_column_blob(statement_, column + 1);
  if (start == nullptr) return {};
  return {static_cast<const char*>(start),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column + 1))};
}

std::string_view TableRow::text(int column) const {
  const unsigned char* const start = sqlite3_column_text(statement_, column + 1);
  if (start == nullptr) return {};
  return {reinterpret_cast<const char*>(start),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column + 1))};
}

std::int64_t TableRow::number() const {
  return sqlite3_column_int64(statement_, 0);
}

Result<Database> Database::open(const std::filesystem::path& file) {
  const Result<std::size_t> size = size_of_database(file);
  if (!size) return size.error();
  Database database(file.string());
  database.size_ = *size;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(address_of(file).c_str(), &handle,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  database.handle_.reset(handle);
  if (code != SQLITE_OK)
    return Error{database.where_, fmt::format("cannot be opened: {}", sqlite3_errstr(code))};
  if (auto error = database.prepare()) return *error;
  return database;
}

Result<Database> Database::open(std::span<const char> bytes, const std::string& where) {
  if (auto error = not_a_database(where, {bytes.data(), bytes.size()}, bytes.size())) return *error;
  Database database(where);
  database.size_ = bytes.size();
  database.image_.assign(bytes.data(), bytes.size());
  // In memory there is no write-ahead log: read as what has none, as an immutable file is.
  if (database.image_.size() > 19) database.image_[18] = database.image_[19] = 1;
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, nullptr);
  database.handle_.reset(handle);
  const auto size = static_cast<sqlite3_int64>(database.image_.size());
  if (code == SQLITE_OK)
    code = sqlite3_deserialize(handle, "main",
                               reinterpret_cast<unsigned char*>(database.image_.data()), size, size,
                               SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK)
    return Error{where, fmt::format("cannot be opened: {}", sqlite3_errstr(code))};
  if (auto error = database.prepare()) return *error;
  return database;
}

Error Database::damaged(const std::string& table) const {
  return Error{table.empty() ? where_ : where_ + ": table " + shown(table),
               "cannot be read to its end: " + shown(sqlite3_errmsg(handle_.get()), 100) +
                   "; export it again with `nsys export --type sqlite`"};
}

// Which tables there are, with their columns. A view may compute whatever its maker wants.
std::optional<Error> Database::prepare() {
  sqlite3* const handle = handle_.get();
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_value);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  for (const char* const pragma : {"PRAGMA cell_size_check=ON", "PRAGMA query_only=ON"})
    sqlite3_exec(handle, pragma, nullptr, nullptr, nullptr);
  std::vector<std::string> names;
  if (auto error =
          each("sqlite_master", {}, {"name", "type", "rootpage"}, [&](const TableRow& row) {
            if (row.text(1) == "table" && row.integer(2).value_or(0) > 0)
              names.emplace_back(row.text(0));
          }))
    return error;
  for (const std::string& name : names)
    if (auto error = prepare_columns(name)) return error;
  return std::nullopt;
}

// Generated columns, which compute too, are as if they were not there.
std::optional<Error> Database::prepare_columns(const std::string& table) {
  sqlite3_stmt* made = nullptr;
  const std::string question = "PRAGMA table_xinfo(" + quoted(table) + ")";
  sqlite3_prepare_v2(handle_.get(), question.c_str(), -1, &made, nullptr);
  const Statement statement(made);
  if (made == nullptr) return damaged(table);
  std::set<std::string>& columns = columns_[table];
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(made)) == SQLITE_ROW)
    if (const auto* name = sqlite3_column_text(made, 1); name && sqlite3_column_int(made, 6) == 0)
      columns.emplace(reinterpret_cast<const char*>(name));
  if (code != SQLITE_DONE) return damaged(table);
  return std::nullopt;
}

bool Database::has(const std::string& table, const std::string& column) const {
  const auto found = columns_.find(table);
  return found != columns_.end() && found->second.count(column) > 0;
}

std::vector<std::string> Database::tables() const {
  std::vector<std::string> names;
  for (const auto& [name, columns] : columns_) names.push_back(name);
  return names;
}

std::int64_t Database::rows(const std::string& table) const {
  sqlite3_stmt* made = nullptr;
  const std::string question = "SELECT max(rowid) FROM " + quoted(table) + " NOT INDEXED";
  sqlite3_prepare_v2(handle_.get(), question.c_str(), -1, &made, nullptr);
  const Statement statement(made);
  if (made == nullptr || sqlite3_step(made) != SQLITE_ROW) return 0;
  return sqlite3_column_int64(made, 0);
}

void Database::tell(const ReadingProgress& progress, const std::vector<std::string>& tables) {
  progress_ = progress;
  rows_in_all_ = 0, rows_read_ = 0;
  for (const std::string& table : tables)
    if (has(table)) rows_in_all_ = saturating_sum(rows_in_all_, rows(table));
}

void Database::step_on() const {
  if (++rows_read_ % 8192 != 0 || !progress_ || rows_in_all_ <= 0) return;
  const double part =
      static_cast<double>(std::min(rows_read_, rows_in_all_)) / static_cast<double>(rows_in_all_);
  progress_(static_cast<std::size_t>(part * static_cast<double>(size_)), size_);
}

Result<Statement> Database::all_of(const std::string& table, const std::vector<std::string>& needed,
                                   const std::vector<std::string>& others) const {
  const bool is_schema = table == "sqlite_master";
  std::string question = "SELECT rowid";
  for (const std::string& column : needed) {
    if (!has(table, column))
      return Error{
          where_ + ": table " + table,
          "has no column " + column + "; expected one, as all versions of Nsight Systems write it"};
    question += ", " + quoted(column);
  }
  for (const std::string& column : others)
    question += is_schema || has(table, column) ? ", " + quoted(column) : ", NULL";
  question += " FROM " + quoted(table) + " NOT INDEXED";
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), question.c_str(), -1, &made, nullptr) != SQLITE_OK)
    return damaged(table);
  return Statement(made);
}

std::optional<Error> Database::each(const std::string& table,
                                    const std::vector<std::string>& needed,
                                    const std::vector<std::string>& others,
                                    const std::function<void(const TableRow&)>& take) const {
  if (table != "sqlite_master" && !has(table)) return std::nullopt;
  const Result<Statement> all = all_of(table, needed, others);
  if (!all) return all.error();
  const TableRow row(all->get());
  std::optional<std::int64_t> last;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(all->get())) == SQLITE_ROW) {
    // A damaged tree may lead round in a circle.
    if (last && row.number() <= *last)
      return Error{where_ + ": table " + table,
                   fmt::format("is damaged: row {} comes after row {}", row.number(), *last)};
    last = row.number();
    take(row);
    if (row.wrong()) return Error{where_ + ": table " + table, *row.wrong()};
    step_on();
  }
  if (code != SQLITE_DONE) return damaged(table);
  return std::nullopt;
}

Result<Statement> Database::find_by_number(const std::string& table,
                                           const std::string& column) const {
  sqlite3_stmt* made = nullptr;
  const std::string question =
      "SELECT " + quoted(column) + " FROM " + quoted(table) + " NOT INDEXED WHERE rowid = ?";
  if (sqlite3_prepare_v2(handle_.get(), question.c_str(), -1, &made, nullptr) != SQLITE_OK)
    return damaged(table);
  return Statement(made);
}

}  // namespace quintet::nsight
