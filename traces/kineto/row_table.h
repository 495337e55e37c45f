// Rows by what the file calls them: a process and a thread, or a device and a stream. Either may be
// any text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/trace/name_table.h"
#include "traces/trace/rank_trace.h"

namespace quintet::kineto {

class RowTable {
 public:
  // A container's process may have the number of a device: the kind tells them apart.
  std::int32_t row(RecordedRow::Kind kind, std::string_view process, std::string_view thread);
  // -1: there is none yet.
  std::int32_t find(RecordedRow::Kind kind, std::string_view process, std::string_view thread);
  // Of what calls waited for, where no call was recorded.
  std::int32_t synchronisations(std::string_view device);
  void give_name(std::string_view process, std::string_view thread, std::string_view name);
  const RecordedRow& operator[](std::int32_t row) const {
    return rows_[static_cast<std::size_t>(row)];
  }
  // With the names given.
  std::vector<RecordedRow> take() &&;

 private:
  void make_key(RecordedRow::Kind kind, std::string_view process, std::string_view thread);
  NameTable keys_;  // each row's
  std::vector<RecordedRow> rows_;
  std::map<std::string, std::string, std::less<>> names_;  // by process and thread
  std::string key_;
};

}  // namespace quintet::kineto
