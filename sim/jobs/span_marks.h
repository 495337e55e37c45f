// Finds what repeats while the same jobs run (joint_run.h). Inside the room only.
//
// For example two jobs of steps of 30 and 20 that slow nobody: at the begins of the first's steps
// the other is 0, 10, 0, 10, 0 into its own. Marks 0, 2 and 4 are alike, 60 apart: the span is the
// last 60, with 2 steps of the first and 3 of the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

struct SpanMark {
  Instant at;
  std::vector<Duration> into;        // per job: since its step began; below zero: until it begins
  std::vector<std::int64_t> walked;  // per job: steps begun
  std::vector<double> carried;       // per link
};

struct RepeatingSpan {
  Duration length;
  std::vector<std::int64_t> steps;  // per job
  std::vector<double> carried;      // per link
  double unlike = 0;                // 0: its ends are one state
};

class SpanMarks {
 public:
  explicit SpanMarks(int most) : most_(most) {}

  void add(SpanMark mark) { marks_.push_back(std::move(mark)); }
  void clear() { marks_.clear(); }

  // `running`: jobs that count. `usual`: per job a step, by which ends that are nearly alike are
  // judged.
  std::optional<RepeatingSpan> span(const std::vector<bool>& running,
                                    const std::vector<Duration>& usual) const;

 private:
  bool alike(std::size_t one, std::size_t other, const std::vector<bool>& running) const;
  double unlike(std::size_t one, const std::vector<bool>& running,
                const std::vector<Duration>& usual) const;
  bool all_step(std::size_t from, const std::vector<bool>& running) const;
  RepeatingSpan since(std::size_t from, double unlike) const;

  int most_;
  std::vector<SpanMark> marks_;
};

}  // namespace quintet
