// When the stages of a pipeline do something: answers how long, within a gap of one stage, another
// stage was at work. Needed to tell a drained pipeline (bubble) from a step in which nobody works.
#pragma once

#include <map>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

struct Interval {
  Instant begin, end;
  bool operator==(const Interval&) const = default;
};

constexpr Duration length(Interval interval) {
  return interval.end - interval.begin;
}

// When a span does something rather than wait for others.
Interval active_part(const Span& span, SpanKind kind);

// Disjoint intervals in order of time, with the length of all before each.
class IntervalSet {
 public:
  void append(Interval interval);  // not before the end of the last one
  Duration within(Interval interval) const;

 private:
  Duration before(Instant instant) const;

  std::vector<Interval> intervals_;
  std::vector<Duration> length_before_;
};

class StageActivity {
 public:
  explicit StageActivity(const Timeline& timeline);

  bool is_pipeline() const { return only_.size() > 1; }
  // How long inside `interval` at least one stage other than `stage` was at work.
  Duration of_others(int stage, Interval interval) const;

 private:
  IntervalSet any_;
  std::map<int, IntervalSet> only_;  // by stage: this one works and no other does
};

}  // namespace quintet
