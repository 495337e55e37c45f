#include "sim/explain/stage_activity.h"

#include <algorithm>

namespace quintet {
namespace {

struct Change {
  Instant at;
  int stage = 0;
  int by = 0;  // +1: one more rank of the stage is at work
};

// Spans that touch are joined first: kernels follow each other without a gap, and sorting changes
// is what costs time.
std::vector<Change> changes(const Timeline& timeline) {
  std::vector<Change> found;
  Interval run;
  int stage = 0;
  const auto flush = [&] {
    if (run.begin >= run.end) return;
    found.push_back({run.begin, stage, +1});
    found.push_back({run.end, stage, -1});
  };
  for (const Span& span : timeline.spans) {
    const SpanKind kind = timeline.infos[static_cast<std::size_t>(span.info)].kind;
    const Interval part = active_part(span, kind);
    const int of = timeline.tracks[static_cast<std::size_t>(span.track)].stage;
    if (of == stage && part.begin >= run.begin && part.begin <= run.end) {
      run.end = std::max(run.end, part.end);
      continue;
    }
    flush();
    run = part;
    stage = of;
  }
  flush();
  std::sort(found.begin(), found.end(),
            [](const Change& left, const Change& right) { return left.at < right.at; });
  return found;
}

}  // namespace

Interval active_part(const Span& span, SpanKind kind) {
  return {is_communication(kind) ? span.moving : span.start, span.end};
}

void IntervalSet::append(Interval interval) {
  if (interval.begin >= interval.end) return;
  length_before_.push_back(intervals_.empty() ? Duration{}
                                              : length_before_.back() + (intervals_.back().end -
                                                                         intervals_.back().begin));
  intervals_.push_back(interval);
}

Duration IntervalSet::before(Instant instant) const {
  const auto next =
      std::upper_bound(intervals_.begin(), intervals_.end(), instant,
                       [](Instant at, const Interval& interval) { return at < interval.begin; });
  if (next == intervals_.begin()) return {};
  const auto last = static_cast<std::size_t>(next - intervals_.begin()) - 1;
  const Interval& reached = intervals_[last];
  return length_before_[last] + (std::min(instant, reached.end) - reached.begin);
}

Duration IntervalSet::within(Interval interval) const {
  if (interval.begin >= interval.end) return {};
  return before(interval.end) - before(interval.begin);
}

StageActivity::StageActivity(const Timeline& timeline) {
  for (const Track& track : timeline.tracks) only_[track.stage];
  if (!is_pipeline()) return;
  std::map<int, int> ranks_at_work;
  int stages_at_work = 0;
  std::int64_t sum_of_stages = 0;  // with one at work, this is that one
  Instant since;
  for (const Change& change : changes(timeline)) {
    if (stages_at_work > 0) any_.append({since, change.at});
    if (stages_at_work == 1) only_[static_cast<int>(sum_of_stages)].append({since, change.at});
    int& ranks = ranks_at_work[change.stage];
    const int was_at_work = ranks > 0 ? 1 : 0;
    ranks += change.by;
    const int turned = (ranks > 0 ? 1 : 0) - was_at_work;
    stages_at_work += turned;
    sum_of_stages += turned * change.stage;
    since = change.at;
  }
}

Duration StageActivity::of_others(int stage, Interval interval) const {
  const auto alone = only_.find(stage);
  return any_.within(interval) -
         (alone == only_.end() ? Duration{} : alone->second.within(interval));
}

}  // namespace quintet
