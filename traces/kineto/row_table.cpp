#include "traces/kineto/row_table.h"

#include <fmt/format.h>

#include "traces/json_stream/decimal_numbers.h"

namespace quintet::kineto {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

RecordedRow row_of(RecordedRow::Kind kind, std::string_view process, std::string_view thread) {
  RecordedRow row{
      .kind = kind, .device = -1, .id = json_stream::integer_of(thread).value_or(-1), .name = {}};
  if (kind == RecordedRow::Kind::stream)
    row.device = static_cast<int>(json_stream::integer_of(process).value_or(-1));
  return row;
}

std::string usual_name(const RecordedRow& row, std::string_view thread) {
  return fmt::format("{} {}", row.kind == RecordedRow::Kind::stream ? "stream" : "thread", thread);
}

}  // namespace

void RowTable::make_key(RecordedRow::Kind kind, std::string_view process, std::string_view thread) {
  key_.assign(1, kind == RecordedRow::Kind::stream ? 's' : 't');
  key_.append(process).append(1, '\n').append(thread);
}

std::int32_t RowTable::find(RecordedRow::Kind kind, std::string_view process,
                            std::string_view thread) {
  make_key(kind, process, thread);
  return keys_.find(key_);
}

std::int32_t RowTable::row(RecordedRow::Kind kind, std::string_view process,
                           std::string_view thread) {
  make_key(kind, process, thread);
  const std::int32_t row = keys_.index_of(key_);
  if (static_cast<std::size_t>(row) < rows_.size()) return row;
  rows_.push_back(row_of(kind, process, thread));
  return row;
}

std::int32_t RowTable::synchronisations(std::string_view device) {
  const std::int32_t found = row(RecordedRow::Kind::thread, device, "synchronisations");
  rows_[static_cast<std::size_t>(found)].name = fmt::format("GPU {} synchronisations", device);
  return found;
}

void RowTable::give_name(std::string_view process, std::string_view thread, std::string_view name) {
  names_.insert_or_assign(fmt::format("{}\n{}", process, thread), std::string(trimmed(name)));
}

std::vector<RecordedRow> RowTable::take() && {
  const std::vector<std::string> keys = std::move(keys_).take();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    RecordedRow& row = rows_[i];
    if (!row.name.empty()) continue;
    const std::string_view key = std::string_view(keys[i]).substr(1);
    const auto given = names_.find(key);
    const bool is_stream = row.kind == RecordedRow::Kind::stream;
    const bool fits = given != names_.end() && !given->second.empty() &&
                      (is_stream || !std::string_view(given->second).starts_with("stream "));
    row.name = fits ? given->second : usual_name(row, key.substr(key.find('\n') + 1));
  }
  return std::move(rows_);
}

}  // namespace quintet::kineto
