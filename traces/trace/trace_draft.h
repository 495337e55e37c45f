// A RankTrace while a reader fills it: names, rows and groups are found again by what they are, and
// what is left out is counted by its description. For readers whose files give names as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "traces/trace/rank_trace.h"

namespace quintet {

class TraceDraft {
 public:
  TraceDraft(std::string file, std::string format);

  // Indices into the trace's lists; what is met for the first time is added.
  std::int32_t name(std::string_view text);
  std::int32_t row(const RecordedRow& row);
  std::int32_t group(std::string_view name);
  std::int32_t facts(RecordedCommunication communication);
  std::int32_t facts(RecordedCopy copy);
  std::int32_t facts(RecordedWait wait);
  std::int32_t facts(RecordedOperation operation);

  void leave_out(std::string_view what, std::int64_t count = 1);

  RankTrace& trace() { return trace_; }
  const RankTrace& trace() const { return trace_; }
  // In the order that RankTrace promises, with what was left out. The draft is empty afterwards.
  RankTrace finish();

 private:
  struct HashOfText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Numbers = std::unordered_map<std::string, std::int32_t, HashOfText, std::equal_to<>>;
  using RowKey = std::tuple<RecordedRow::Kind, int, std::int64_t, std::string>;

  RankTrace trace_;
  Numbers names_, groups_;
  std::map<RowKey, std::int32_t> rows_;
  std::map<std::string, std::int64_t, std::less<>> left_out_;
};

}  // namespace quintet
