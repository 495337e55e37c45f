// Which thread of a Chrome trace shows which span: one row per lane of a track, and further rows
// where spans of one lane overlap. Launch gaps have a row of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

struct TraceRow {
  std::int32_t track = 0;
  std::int32_t lane = 0;    // lanes.size(): launch gaps
  std::int32_t number = 0;  // 0, or 1 .. for spans that overlap those of the rows before
  bool operator==(const TraceRow&) const = default;
};

class TraceRows {
 public:
  explicit TraceRows(const Timeline& timeline);

  const std::vector<TraceRow>& rows() const { return rows_; }  // by track, lane, number
  // Index into rows().
  std::size_t row_of_span(std::size_t span) const { return span_rows_[span]; }
  std::size_t row_of_gap(std::size_t gap) const { return gap_rows_[gap]; }
  std::int64_t process(std::int32_t track) const { return processes_[index(track)]; }
  std::int64_t thread_of_span(std::size_t span) const { return threads_[span_rows_[span]]; }
  std::int64_t thread_of_gap(std::size_t gap) const { return threads_[gap_rows_[gap]]; }
  std::int64_t thread_of_row(std::size_t row) const { return threads_[row]; }

 private:
  static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }
  void number_processes(const Timeline& timeline);
  void number_threads();

  std::vector<TraceRow> rows_;
  std::vector<std::int64_t> threads_;    // per row
  std::vector<std::int64_t> processes_;  // per track
  std::vector<std::size_t> span_rows_, gap_rows_;
};

}  // namespace quintet
