#include "traces/report/retimed.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace quintet {

namespace {

Duration scaled(Duration time, double factor) {
  if (factor == 1) return time;
  return {static_cast<std::int64_t>(std::llround(static_cast<double>(time.picoseconds) * factor))};
}

class Retiming {
 public:
  Retiming(const StepGraph& graph, const Changes& changes)
      : graph_(graph),
        changes_(changes),
        start_(graph.tasks.size()),
        moving_(graph.tasks.size()),
        end_(graph.tasks.size()),
        gap_(graph.tasks.size()) {
    for (const std::int32_t event : graph.order) {
      if (event >= 0)
        set_start(event);
      else
        set_end(-1 - event);
    }
  }

  Duration step() const {
    Instant last;
    for (std::size_t task = 0; task < end_.size(); ++task) {
      // Threads that hold up nobody do not hold up the step either.
      const GraphTask& of = graph_.tasks[task];
      const bool counts = !of.is_host || changes_.gaps[static_cast<std::size_t>(of.rank)] < 0;
      if (counts) last = std::max(last, end_[task]);
    }
    return last + graph_.after_last - Instant{};
  }

  Timeline timeline(const Timeline& recorded) const {
    Timeline made = recorded;
    made.end = Instant{} + step();
    made.host_gaps.clear();
    for (std::size_t task = 0; task < made.spans.size(); ++task) {
      Span& span = made.spans[task];
      span.start = start_[task];
      span.moving = moving_[task];
      span.end = end_[task];
      if (gap_[task] > Duration{})
        made.host_gaps.push_back(
            {span.track, Instant{} + (span.start - Instant{} - gap_[task]), span.start});
    }
    return made;
  }

 private:
  const GraphTask& at(std::int32_t task) const {
    return graph_.tasks[static_cast<std::size_t>(task)];
  }
  enum class Of { all, device };
  // Of threads' work so much less.
  Instant last_end(const NumberLists& lists, std::int32_t task, Of of, Duration early = {}) const {
    Instant last;
    lists.visit(task, [&](std::int32_t other) {
      const bool is_host = at(other).is_host;
      if (is_host && of == Of::device) return;
      const Duration less = is_host ? early : Duration{};
      last = std::max(last, Instant{} + (end_[static_cast<std::size_t>(other)] - Instant{} - less));
    });
    return last;
  }

  void set_start(std::int32_t number) {
    const GraphTask& task = at(number);
    const auto i = static_cast<std::size_t>(number);
    const Instant after_device = last_end(graph_.before, number, Of::device) + task.device_delay;
    const double left = changes_.gaps[static_cast<std::size_t>(task.rank)];
    start_[i] = left < 0 || task.is_host
                    ? last_end(graph_.before, number, Of::all, task.early) + task.delay
                    : after_device + scaled(task.gap, left);
    if (task.gap > Duration{}) gap_[i] = std::min(task.gap, start_[i] - after_device);
  }

  Instant gate(std::int32_t number) const {
    const GraphTask& task = at(number);
    Instant last = start_[static_cast<std::size_t>(number)];
    if (task.waits)
      graph_.members.visit(task.exchange, [&](std::int32_t member) {
        last = std::max(last, start_[static_cast<std::size_t>(member)]);
      });
    return last;
  }

  void set_end(std::int32_t number) {
    const GraphTask& task = at(number);
    const auto i = static_cast<std::size_t>(number);
    moving_[i] = std::max(start_[i], gate(number) + task.lag);
    const Instant held = last_end(graph_.held_up_by, number, Of::all);
    end_[i] = std::max(moving_[i], held) + scaled(task.work, changes_.spans[i]);
  }

  const StepGraph& graph_;
  const Changes& changes_;
  std::vector<Instant> start_, moving_, end_;
  std::vector<Duration> gap_;  // that is left before a task
};

}  // namespace

Changes::Changes(const StepGraph& graph)
    : spans(graph.tasks.size(), 1.0), gaps(static_cast<std::size_t>(graph.ranks), -1.0) {}

void Changes::add(const Change& change, Together together) {
  for (const auto& [span, factor] : change.spans) {
    double& now = spans[static_cast<std::size_t>(span)];
    now = together == Together::product ? now * factor : std::min(now, factor);
  }
  for (const auto& [rank, left] : change.gaps) {
    double& now = gaps[static_cast<std::size_t>(rank)];
    now = now < 0 ? left : std::min(now, left);
  }
}

Duration retimed_step(const StepGraph& graph, const Changes& changes) {
  return Retiming(graph, changes).step();
}

Timeline retimed(const StepGraph& graph, const Timeline& recorded, const Changes& changes) {
  return Retiming(graph, changes).timeline(recorded);
}

}  // namespace quintet
