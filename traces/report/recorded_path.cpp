#include <algorithm>

#include "traces/report/retimed.h"

namespace quintet {

namespace {

PathKind path_kind(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
      return PathKind::compute;
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      return PathKind::moving;
    case SpanKind::copy:
      return PathKind::copy;
    case SpanKind::host:
      return PathKind::host;
  }
  return PathKind::nothing;
}

// Back from the end, always to what was waited for last.
class WalkBack {
 public:
  WalkBack(const StepGraph& graph, const Timeline& recorded)
      : graph_(graph), recorded_(recorded), at_(recorded.end) {}

  std::vector<PathPiece> run() {
    if (recorded_.spans.empty()) {
      if (!recorded_.tracks.empty()) take(PathKind::nothing, -1, {});
      return std::move(path_);
    }
    const auto last =
        std::max_element(recorded_.spans.begin(), recorded_.spans.end(),
                         [](const Span& one, const Span& other) { return one.end < other.end; });
    task_ = static_cast<std::int32_t>(last - recorded_.spans.begin());
    track_ = last->track;
    take(PathKind::nothing, -1, last->end);
    // Each turn goes to an earlier event of the graph, unless clocks make it go round in a circle.
    for (std::size_t turns = 0; task_ >= 0 && turns < 2 * graph_.tasks.size(); ++turns) {
      back_to_start();
      back_to_cause();
    }
    take(PathKind::nothing, -1, {});
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  const Span& span(std::int32_t task) const {
    return recorded_.spans[static_cast<std::size_t>(task)];
  }

  void take(PathKind kind, std::int32_t task, Instant from) {
    from = std::clamp(from, Instant{}, at_);
    if (from == at_) return;
    path_.push_back({kind, track_, task, from, at_});
    at_ = from;
  }

  // To the start of what ends here, or of the member of its exchange that came last; or to the end
  // of what held it up.
  void back_to_start() {
    for (;;) {
      const GraphTask& of = graph_.tasks[static_cast<std::size_t>(task_)];
      const SpanInfo& info = recorded_.infos[static_cast<std::size_t>(span(task_).info)];
      std::int32_t cause = task_;
      if (of.waits)
        graph_.members.visit(of.exchange, [&](std::int32_t member) {
          if (span(member).start > span(cause).start) cause = member;
        });
      if (cause != task_) {
        take(PathKind::moving, task_, span(cause).start);
        go_to(cause);
        return;
      }
      const std::int32_t held_up_by = last_of(graph_.held_up_by);
      if (held_up_by < 0) return take(path_kind(info.kind), task_, span(task_).start);
      take(path_kind(info.kind), task_, span(held_up_by).end);
      go_to(held_up_by);
    }
  }

  // What the start waited for; between the two the host, as far as gaps say so.
  void back_to_cause() {
    const GraphTask& of = graph_.tasks[static_cast<std::size_t>(task_)];
    const std::int32_t cause = last_of(graph_.before);
    const Instant ended = cause < 0 ? Instant{} : span(cause).end;
    const Duration gap = std::min(of.gap, at_ - std::min(at_, ended));
    take(PathKind::host, -1, Instant{} + (at_ - Instant{} - gap));
    take(PathKind::nothing, -1, ended);
    go_to(cause);
  }

  std::int32_t last_of(const NumberLists& lists) const {
    std::int32_t last = -1;
    lists.visit(task_, [&](std::int32_t other) {
      if (last < 0 || span(other).end > span(last).end) last = other;
    });
    return last;
  }

  void go_to(std::int32_t task) {
    task_ = task;
    if (task >= 0) track_ = span(task).track;
  }

  const StepGraph& graph_;
  const Timeline& recorded_;
  std::vector<PathPiece> path_;
  std::int32_t task_ = -1, track_ = 0;
  Instant at_;
};

}  // namespace

std::vector<PathPiece> recorded_path(const StepGraph& graph, const Timeline& recorded) {
  return WalkBack(graph, recorded).run();
}

}  // namespace quintet
