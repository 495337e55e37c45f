#include "traces/workload/rank_tasks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "traces/workload/inferred_order.h"

namespace quintet {

namespace {

class Drafting {
 public:
  Drafting(const RankTrace& trace, const TraceWindow& window) : trace_(trace), window_(window) {}

  RankTasks drafted() {
    note_waits();
    add_calls();
    add_operations();
    add_stream_work();
    number_rows();
    depend_on_calls();
    follow_calls();
    InferredOrder order(trace_, window_.from, by_row_, made_.drafts);
    if (!made_.tells_of_events) order.infer_from_times();
    order.let_threads_take_turns();
    made_.inferred = order.inferred();
    put_in_order();
    return std::move(made_);
  }

 private:
  const TraceEvent& event(std::int32_t draft) const {
    return trace_
        .events[static_cast<std::size_t>(made_.drafts[static_cast<std::size_t>(draft)].event)];
  }
  TaskDraft& draft(std::int32_t number) { return made_.drafts[static_cast<std::size_t>(number)]; }
  const std::string& name(const TraceEvent& of) const {
    return trace_.names[static_cast<std::size_t>(of.name)];
  }
  const RecordedRow& row(std::int32_t number) const {
    return trace_.rows[static_cast<std::size_t>(number)];
  }

  // Facts of waits may stand on the call or on the stream that waits; both have its correlation.
  void note_waits() {
    for (const TraceEvent& each : trace_.events) {
      if ((each.kind != EventKind::block && each.kind != EventKind::call) || each.facts < 0)
        continue;
      const RecordedWait& wait = trace_.waits[static_cast<std::size_t>(each.facts)];
      if (each.correlation >= 0) waits_[each.correlation] = &wait;
      if (wait.kind == RecordedWait::Kind::stream_waits_event && wait.recorded_by >= 0)
        made_.tells_of_events = true;
    }
  }

  // A call within another one of its thread is that one.
  void add_calls() {
    std::int32_t last = -1;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const TraceEvent& each = trace_.events[i];
      if (!is_call(each.kind) || row(each.row).kind != RecordedRow::Kind::thread) continue;
      if (each.start < window_.from || each.start >= window_.to) continue;
      const bool inside = last >= 0 && draft(last).row == each.row && each.start < draft(last).end;
      if (!inside) last = add(i, each);
      if (each.correlation >= 0) call_of_.emplace(each.correlation, last);
    }
  }

  // What the framework does between its calls is work of the CPU: of each outermost operation the
  // part in which its thread makes no call.
  void add_operations() {
    std::map<std::int32_t, std::vector<std::int32_t>> calls;  // by row, in order of start
    for (std::size_t i = 0; i < made_.drafts.size(); ++i)
      calls[made_.drafts[i].row].push_back(static_cast<std::int32_t>(i));
    std::map<std::int32_t, std::int64_t> covered;  // by row: until when
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const TraceEvent& each = trace_.events[i];
      if (each.kind != EventKind::operation || each.start < window_.from ||
          each.start >= window_.to)
        continue;
      const auto of_row = calls.find(each.row);
      if (of_row == calls.end()) continue;  // a thread that launches nothing
      std::int64_t& until = covered.try_emplace(each.row, each.start).first->second;
      if (each.end() <= until && each.start < until) continue;
      add_between_calls(i, std::max(each.start, until), of_row->second);
      until = std::max(until, each.end());
    }
  }

  void add_between_calls(std::size_t number, std::int64_t from,
                         const std::vector<std::int32_t>& calls) {
    const TraceEvent& operation = trace_.events[number];
    auto next = std::partition_point(calls.begin(), calls.end(),
                                     [&](std::int32_t call) { return draft(call).end <= from; });
    while (from < operation.end()) {
      const bool is_last = next == calls.end() || draft(*next).start >= operation.end();
      const std::int64_t to = is_last ? operation.end() : draft(*next).start;
      if (to > from)
        made_.drafts.push_back(
            {from, to, static_cast<std::int32_t>(number), operation.row, false, {}});
      if (is_last) break;
      from = std::max(from, draft(*next).end);
      ++next;
    }
  }

  std::int32_t add(std::size_t number, const TraceEvent& each) {
    made_.drafts.push_back(
        {each.start, each.end(), static_cast<std::int32_t>(number), each.row, false, {}});
    return static_cast<std::int32_t>(made_.drafts.size()) - 1;
  }

  // Of the window is what a call of it launched; without a recorded call what began in it.
  void add_stream_work() {
    std::unordered_map<std::int64_t, bool> launched;
    for (const TraceEvent& each : trace_.events)
      if (is_call(each.kind) && each.correlation >= 0) launched[each.correlation] = true;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const TraceEvent& each = trace_.events[i];
      if (!is_on_stream(each.kind) || row(each.row).kind != RecordedRow::Kind::stream) continue;
      const auto call = call_of_.find(each.correlation);
      const bool known = each.correlation >= 0 && launched.contains(each.correlation);
      if (known ? call == call_of_.end() : each.start < window_.from || each.start >= window_.to)
        continue;
      const std::int32_t fresh = add(i, each);
      if (known)
        launched_by_[call->second].push_back(fresh);
      else
        ++made_.without_launch;
    }
  }

  // Per row its drafts in order; what a profiler lets overlap by its rounding does not.
  void number_rows() {
    by_row_.resize(trace_.rows.size());
    for (std::size_t i = 0; i < made_.drafts.size(); ++i)
      by_row_[static_cast<std::size_t>(made_.drafts[i].row)].push_back(
          static_cast<std::int32_t>(i));
    for (std::vector<std::int32_t>& drafts : by_row_) {
      std::stable_sort(drafts.begin(), drafts.end(), [&](std::int32_t left, std::int32_t right) {
        return draft(left).start < draft(right).start;
      });
      for (std::size_t i = 1; i < drafts.size(); ++i) {
        TaskDraft& own = draft(drafts[i]);
        own.start = std::max(own.start, draft(drafts[i - 1]).end);
        own.end = std::max(own.end, own.start);
      }
      places_.resize(made_.drafts.size());
      for (std::size_t i = 0; i < drafts.size(); ++i)
        places_[static_cast<std::size_t>(drafts[i])] = i;
    }
  }

  // Work on a stream is after its call, unless the call returned only when that was done: then it
  // is after what the thread did before, and the call after it.
  void depend_on_calls() {
    for (const auto& [call, launched] : launched_by_)
      for (const std::int32_t work : launched) {
        const bool returned_late =
            draft(work).end <= draft(call).end && event(work).kind != EventKind::kernel;
        if (!returned_late) {
          draft(work).after.push_back(call);
          continue;
        }
        draft(call).after.push_back(work);
        draft(call).returns_late = true;
        if (const std::int32_t before = before_on_row(call); before >= 0)
          draft(work).after.push_back(before);
      }
  }

  std::int32_t before_on_row(std::int32_t number) {
    const std::size_t place = places_[static_cast<std::size_t>(number)];
    return place == 0 ? -1 : by_row_[static_cast<std::size_t>(draft(number).row)][place - 1];
  }

  // In the order in which calls were made: what each stream had been given when an event was
  // recorded or waited for.
  void follow_calls() {
    std::vector<std::int32_t> calls;
    for (std::size_t row_number = 0; row_number < by_row_.size(); ++row_number)
      if (trace_.rows[row_number].kind == RecordedRow::Kind::thread)
        calls.insert(calls.end(), by_row_[row_number].begin(), by_row_[row_number].end());
    std::stable_sort(calls.begin(), calls.end(), [&](std::int32_t left, std::int32_t right) {
      return draft(left).start < draft(right).start;
    });
    for (const std::int32_t call : calls) follow(call);
  }

  void follow(std::int32_t call) {
    const TraceEvent& of = event(call);
    if (const auto wait = waits_.find(of.correlation); wait != waits_.end())
      take_wait(call, *wait->second);
    else if (of.kind == EventKind::block)
      wait_by_name(call);
    if (name(of).find("EventRecord") != std::string::npos && of.correlation >= 0)
      recorded_[of.correlation] = last_on_;
    const auto launched = launched_by_.find(call);
    if (launched == launched_by_.end()) return;
    for (const std::int32_t work : launched->second) {
      std::vector<std::int32_t>& waiting = waiting_[draft(work).row];
      for (const std::int32_t other : waiting) draft(work).after.push_back(other);
      waiting.clear();
      last_on_[draft(work).row] = work;
    }
  }

  using LastOn = std::map<std::int32_t, std::int32_t>;  // by row: a draft

  void take_wait(std::int32_t call, const RecordedWait& wait) {
    switch (wait.kind) {
      case RecordedWait::Kind::device:
        for (const auto& [stream, last] : last_on_) return_after(call, last);
        break;
      case RecordedWait::Kind::stream:
        if (const std::int32_t last = last_on_stream(last_on_, wait.stream); last >= 0)
          return_after(call, last);
        else
          wait_by_name(call);
        break;
      case RecordedWait::Kind::event:
        if (const std::int32_t last = behind_event(wait); last >= 0)
          return_after(call, last);
        else
          wait_by_name(call);
        break;
      case RecordedWait::Kind::stream_waits_event:
        if (const std::int32_t last = behind_event(wait); last >= 0)
          waiting_[row_of_stream(wait.stream)].push_back(last);
        break;
    }
  }

  void return_after(std::int32_t call, std::int32_t work) {
    draft(call).after.push_back(work);
    draft(call).returns_late = true;
  }

  std::int32_t behind_event(const RecordedWait& wait) const {
    const auto snapshot = recorded_.find(wait.recorded_by);
    return snapshot == recorded_.end() ? -1 : last_on_stream(snapshot->second, wait.recorded_on);
  }

  std::int32_t last_on_stream(const LastOn& last_on, std::int64_t stream) const {
    for (const auto& [number, last] : last_on)
      if (row(number).id == stream) return last;
    return -1;
  }

  std::int32_t row_of_stream(std::int64_t stream) const {
    for (std::size_t i = 0; i < trace_.rows.size(); ++i)
      if (trace_.rows[i].kind == RecordedRow::Kind::stream && trace_.rows[i].id == stream)
        return static_cast<std::int32_t>(i);
    return -1;
  }

  // Of a call whose stream nobody tells: what ended last of all that it may have waited for.
  void wait_by_name(std::int32_t call) {
    const bool all = name(event(call)).find("DeviceSynchronize") != std::string::npos ||
                     name(event(call)).find("CtxSynchronize") != std::string::npos;
    std::int32_t latest = -1;
    for (const auto& [stream, last] : last_on_) {
      if (draft(last).end > draft(call).end + touching_nanoseconds) continue;
      if (all)
        return_after(call, last);
      else if (latest < 0 || draft(last).end > draft(latest).end)
        latest = last;
    }
    if (latest >= 0 && draft(latest).end > draft(call).start) return_after(call, latest);
  }

  void put_in_order() {
    std::vector<std::int32_t> order(made_.drafts.size()), place(made_.drafts.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int32_t number) {
      const TaskDraft& own = draft(number);
      return std::pair(own.returns_late ? own.end : own.start, own.end);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t left, std::int32_t right) { return key(left) < key(right); });
    for (std::size_t i = 0; i < order.size(); ++i)
      place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    std::vector<TaskDraft> sorted;
    sorted.reserve(order.size());
    for (const std::int32_t number : order) {
      TaskDraft& own = sorted.emplace_back(std::move(draft(number)));
      const auto here = static_cast<std::int32_t>(sorted.size()) - 1;
      for (std::int32_t& other : own.after) other = place[static_cast<std::size_t>(other)];
      std::erase_if(own.after, [here](std::int32_t other) { return other >= here; });
      std::sort(own.after.begin(), own.after.end());
      own.after.erase(std::unique(own.after.begin(), own.after.end()), own.after.end());
    }
    made_.drafts = std::move(sorted);
  }

  const RankTrace& trace_;
  const TraceWindow& window_;
  RankTasks made_;
  std::unordered_map<std::int64_t, const RecordedWait*> waits_;    // by correlation
  std::unordered_map<std::int64_t, std::int32_t> call_of_;         // by correlation: a draft
  std::map<std::int32_t, std::vector<std::int32_t>> launched_by_;  // by call
  std::vector<std::vector<std::int32_t>> by_row_;
  std::vector<std::size_t> places_;                    // per draft: where on its row
  LastOn last_on_;                                     // launched so far
  std::unordered_map<std::int64_t, LastOn> recorded_;  // by the call that recorded an event
  std::map<std::int32_t, std::vector<std::int32_t>>
      waiting_;  // by row: what its next work is after
};

}  // namespace

RankTasks rank_tasks(const RankTrace& trace, const TraceWindow& window) {
  return Drafting(trace, window).drafted();
}

}  // namespace quintet
