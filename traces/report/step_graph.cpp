#include "traces/report/step_graph.h"

#include <algorithm>
#include <cassert>

#include "sim/explain/stage_activity.h"
#include "traces/report/step_order.h"

namespace quintet {

namespace {

class GraphBuilder {
 public:
  GraphBuilder(const Timeline& timeline, const Workload& workload,
               const std::vector<Exchange>& exchanges)
      : timeline_(timeline), workload_(workload), exchanges_(exchanges) {
    assert(timeline.tracks.size() == workload.ranks.size());
    graph_.tasks.resize(timeline.spans.size());
    graph_.ranks = static_cast<int>(workload.ranks.size());
  }

  StepGraph build() {
    add_exchanges();
    add_gaps();
    spans_ = spans_of_tasks(timeline_, workload_);
    for (std::size_t rank = 0; rank < workload_.ranks.size(); ++rank)
      add_rank(workload_.ranks[rank], static_cast<std::int32_t>(rank));
    Instant last;
    for (const Span& each : timeline_.spans) last = std::max(last, each.end);
    graph_.after_last = timeline_.end - last;
    graph_.order = step_order(graph_, timeline_);
    return std::move(graph_);
  }

 private:
  const Span& span(std::int32_t task) const {
    return timeline_.spans[static_cast<std::size_t>(task)];
  }
  SpanKind kind(std::int32_t task) const {
    return timeline_.infos[static_cast<std::size_t>(span(task).info)].kind;
  }
  GraphTask& at(std::int32_t task) { return graph_.tasks[static_cast<std::size_t>(task)]; }

  void add_exchanges() {
    for (std::size_t number = 0; number < exchanges_.size(); ++number) {
      const Exchange& exchange = exchanges_[number];
      for (const std::int32_t task : exchange.spans) {
        graph_.members.numbers.push_back(task);
        at(task).exchange = static_cast<std::int32_t>(number);
        const bool eager = kind(task) == SpanKind::send && span(task).moving < exchange.last;
        at(task).waits = exchange.spans.size() > 1 && !eager;
      }
      graph_.members.end_item();
    }
  }

  // Those of several streams of a rank may overlap.
  void add_gaps() {
    gaps_.resize(workload_.ranks.size());
    std::vector<HostGap> sorted = timeline_.host_gaps;
    std::stable_sort(sorted.begin(), sorted.end(), [](const HostGap& one, const HostGap& other) {
      return one.start < other.start;
    });
    std::vector<Instant> last(workload_.ranks.size());
    for (const HostGap& gap : sorted) {
      const auto rank = static_cast<std::size_t>(gap.track);
      gaps_[rank].append({std::max(gap.start, last[rank]), gap.end});
      last[rank] = std::max(last[rank], gap.end);
    }
  }

  bool on_thread(const WorkloadTask& task) const {
    const SpanInfo& info = workload_.infos[static_cast<std::size_t>(task.info)];
    return workload_.lanes[static_cast<std::size_t>(info.lane)].kind == LaneKind::host;
  }

  bool tells_launches(const WorkloadRank& rank) const {
    for (std::size_t task = 0; task < rank.tasks.size(); ++task) {
      if (on_thread(rank.tasks[task])) continue;
      for (const std::int32_t other : rank.after_of(task))
        if (on_thread(rank.tasks[static_cast<std::size_t>(other)])) return true;
    }
    return false;
  }

  void add_rank(const WorkloadRank& rank, std::int32_t number) {
    last_of_lane_.assign(workload_.lanes.size(), -1);
    const std::vector<std::int32_t>& spans = spans_[static_cast<std::size_t>(number)];
    for (std::size_t i = 0; i < spans.size(); ++i) {
      GraphTask& task = at(spans[i]);
      task.rank = number;
      task.is_host = on_thread(rank.tasks[i]);
    }
    std::vector<std::size_t> order(spans.size());  // tasks as spans are
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t one, std::size_t other) { return spans[one] < spans[other]; });
    sort_by_end(rank, spans);
    for (const std::size_t i : order) add_task(rank, spans, i);
  }

  // What may hold up others, by end: of all tasks, and of those that are no thread's.
  void sort_by_end(const WorkloadRank& rank, const std::vector<std::int32_t>& spans) {
    by_end_ = spans;
    std::sort(by_end_.begin(), by_end_.end());
    std::stable_sort(by_end_.begin(), by_end_.end(), [this](std::int32_t one, std::int32_t other) {
      return span(one).end < span(other).end;
    });
    device_by_end_ = by_end_;
    std::erase_if(device_by_end_, [this](std::int32_t task) { return at(task).is_host; });
    launches_told_ = tells_launches(rank);
  }

  void add_task(const WorkloadRank& rank, const std::vector<std::int32_t>& spans, std::size_t i) {
    const std::int32_t task = spans[i];
    const SpanInfo& info = workload_.infos[static_cast<std::size_t>(rank.tasks[i].info)];
    std::int32_t& last = last_of_lane_[static_cast<std::size_t>(info.lane)];
    if (workload_.lanes_in_order && last >= 0 && span(last).end <= span(task).start)
      graph_.before.numbers.push_back(last);
    last = task;
    for (const std::int32_t other : rank.after_of(i))
      add_after(task, spans[static_cast<std::size_t>(other)]);
    add_unexplained(task);
    set_times(task);
    graph_.before.end_item();
    graph_.held_up_by.end_item();
  }

  void add_after(std::int32_t task, std::int32_t other) {
    const bool launches = at(other).is_host && !at(task).is_host;
    if (launches && span(other).start <= span(task).start) {
      graph_.before.numbers.push_back(other);
      at(task).early = std::max(at(task).early, span(other).end - span(task).start);
    } else if (span(other).end <= span(task).start)
      graph_.before.numbers.push_back(other);
    else if (span(other).end <= span(task).end && !is_communication(kind(task)))
      graph_.held_up_by.numbers.push_back(other);
  }

  // Of what was added to the list since its last item; of threads' work so much less.
  Instant last_end(const NumberLists& lists, bool device_only, Duration early = {}) const {
    Instant last;
    for (auto i = static_cast<std::size_t>(lists.begin.back()); i < lists.numbers.size(); ++i) {
      const bool is_host = graph_.tasks[static_cast<std::size_t>(lists.numbers[i])].is_host;
      const Duration less = is_host ? early : Duration{};
      if (!device_only || !is_host)
        last = std::max(last, Instant{} + (span(lists.numbers[i]).end - Instant{} - less));
    }
    return last;
  }

  // Threads are told by their calls what they wait for; only their lane holds them up otherwise.
  void add_unexplained(std::int32_t task) {
    if (at(task).is_host) return;
    const Instant start = span(task).start,
                  explained = last_end(graph_.before, false, at(task).early);
    const std::vector<std::int32_t>& others = launches_told_ ? device_by_end_ : by_end_;
    auto after = std::upper_bound(
        others.begin(), others.end(), start,
        [this](Instant when, std::int32_t other) { return when < span(other).end; });
    while (after != others.begin()) {
      const std::int32_t other = *--after;
      if (span(other).end <= explained) return;
      const bool earlier = span(other).start < start || other < task;
      if (other == task || !earlier) continue;
      graph_.before.numbers.push_back(other);
      return;
    }
  }

  void set_times(std::int32_t task) {
    GraphTask& made = at(task);
    const Span& its = span(task);
    const Instant all = last_end(graph_.before, false, made.early),
                  device = last_end(graph_.before, true);
    const Instant held = last_end(graph_.held_up_by, false);
    made.delay = its.start - all;
    if (kind(task) == SpanKind::compute || (launches_told_ && !made.is_host))
      made.gap = gaps_[static_cast<std::size_t>(made.rank)].within(
          {device, launches_told_ ? std::min(its.start, all) : its.start});
    made.device_delay = its.start - device - made.gap;
    const Instant moved = std::max(its.moving, its.start);
    const Instant gate =
        made.waits ? exchanges_[static_cast<std::size_t>(made.exchange)].last : its.start;
    made.lag = moved - gate;
    made.work = its.end - std::max(moved, held);
  }

  const Timeline& timeline_;
  const Workload& workload_;
  const std::vector<Exchange>& exchanges_;
  StepGraph graph_;
  std::vector<IntervalSet> gaps_;                 // per rank
  std::vector<std::vector<std::int32_t>> spans_;  // per rank and task
  std::vector<std::int32_t> last_of_lane_, by_end_, device_by_end_;
  bool launches_told_ = false;
};

}  // namespace

StepGraph step_graph(const Timeline& timeline, const Workload& workload,
                     const std::vector<Exchange>& exchanges) {
  return GraphBuilder(timeline, workload, exchanges).build();
}

}  // namespace quintet
