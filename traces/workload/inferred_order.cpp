#include "traces/workload/inferred_order.h"

#include <algorithm>

namespace quintet {

// Without events: by what launches and times tell.
void InferredOrder::infer_from_times() {
  std::vector<std::int32_t> work;
  for (std::size_t i = 0; i < drafts_.size(); ++i)
    if (is_on_stream(event(static_cast<std::int32_t>(i)).kind))
      work.push_back(static_cast<std::int32_t>(i));
  std::stable_sort(work.begin(), work.end(), [&](std::int32_t left, std::int32_t right) {
    return launch_time(left) < launch_time(right);
  });
  LastOn last;  // launched so far
  for (const std::int32_t own : work) {
    if (communicates(own)) come_after_computing(own, last);
    last[draft(own).row] = own;
  }
  touch_ends(work);
}

std::int64_t InferredOrder::launch_time(std::int32_t number) {
  for (const std::int32_t other : draft(number).after)
    if (is_call(event(other).kind)) return draft(other).start;
  return draft(number).start;
}

void InferredOrder::come_after_computing(std::int32_t own, const LastOn& last) {
  for (const auto& [stream, other] : last)
    if (stream != draft(own).row && !communicates(other) && draft(other).end <= draft(own).start)
      infer(own, other);
}

void InferredOrder::infer(std::int32_t own, std::int32_t other) {
  draft(own).after.push_back(other);
  ++inferred_;
}

// A kernel that began just as one of another stream ended, and could have begun before.
void InferredOrder::touch_ends(std::vector<std::int32_t>& work) {
  std::stable_sort(work.begin(), work.end(), [&](std::int32_t left, std::int32_t right) {
    return draft(left).end < draft(right).end;
  });
  for (const std::vector<std::int32_t>& drafts : rows_) {
    if (drafts.empty() || !is_on_stream(event(drafts.front()).kind)) continue;
    for (std::size_t i = 0; i < drafts.size(); ++i) {
      const TaskDraft& own = draft(drafts[i]);
      const std::int64_t ready =
          std::max(i == 0 ? from_ : draft(drafts[i - 1]).end, launch_time(drafts[i]));
      if (own.start - ready < 2 * touching_nanoseconds) continue;
      const auto later = std::upper_bound(
          work.begin(), work.end(), own.start,
          [&](std::int64_t when, std::int32_t other) { return when < draft(other).end; });
      if (later == work.begin()) continue;
      const std::int32_t other = *(later - 1);
      if (draft(other).row != own.row && own.start - draft(other).end < touching_nanoseconds)
        infer(drafts[i], other);
    }
  }
}

// In the merged order of all threads' calls: whose thread did nothing since before the call
// before it began.
void InferredOrder::let_threads_take_turns() {
  std::vector<std::int32_t> calls;
  for (std::size_t number = 0; number < rows_.size(); ++number)
    if (trace_.rows[number].kind == RecordedRow::Kind::thread)
      calls.insert(calls.end(), rows_[number].begin(), rows_[number].end());
  std::stable_sort(calls.begin(), calls.end(), [&](std::int32_t left, std::int32_t right) {
    return draft(left).start < draft(right).start;
  });
  std::map<std::int32_t, std::int64_t> free;  // by row: since when
  std::int32_t before = -1;
  for (const std::int32_t call : calls) {
    const auto since = free.find(draft(call).row);
    if (before >= 0 && draft(before).row != draft(call).row &&
        draft(before).end <= draft(call).start &&
        (since == free.end() || since->second <= draft(before).start)) {
      draft(call).after.push_back(before);
      ++inferred_;
    }
    free[draft(call).row] = draft(call).end;
    before = call;
  }
}

}  // namespace quintet
