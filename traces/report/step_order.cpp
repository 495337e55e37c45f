#include "traces/report/step_order.h"

#include <algorithm>
#include <utility>

namespace quintet {

namespace {

NumberLists reversed(const NumberLists& lists) {
  const std::size_t items = lists.begin.size() - 1;
  NumberLists made;
  made.begin.assign(items + 1, 0);
  for (const std::int32_t number : lists.numbers)
    ++made.begin[static_cast<std::size_t>(number) + 1];
  for (std::size_t i = 0; i < items; ++i) made.begin[i + 1] += made.begin[i];
  made.numbers.resize(lists.numbers.size());
  std::vector<std::int32_t> next(made.begin.begin(), made.begin.end() - 1);
  for (std::size_t item = 0; item < items; ++item)
    lists.visit(static_cast<std::int32_t>(item), [&](std::int32_t number) {
      made.numbers[static_cast<std::size_t>(next[static_cast<std::size_t>(number)]++)] =
          static_cast<std::int32_t>(item);
    });
  return made;
}

// Tells one by one what nothing is waited for any more.
class Ordering {
 public:
  explicit Ordering(const StepGraph& graph)
      : graph_(graph),
        starts_after_(reversed(graph.before)),
        ends_after_(reversed(graph.held_up_by)),
        open_starts_(graph.tasks.size()),
        open_ends_(graph.tasks.size()) {
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const auto task = static_cast<std::int32_t>(i);
      const GraphTask& of = graph.tasks[i];
      open_starts_[i] = graph.before.count(task);
      open_ends_[i] =
          1 + graph.held_up_by.count(task) + (of.waits ? graph.members.count(of.exchange) : 0);
      if (open_starts_[i] == 0) order_.push_back(task);
    }
  }

  std::vector<std::int32_t> run() {
    for (std::size_t next = 0; next < order_.size(); ++next) {
      const std::int32_t event = order_[next];
      if (event >= 0)
        started(event);
      else
        ended(-1 - event);
    }
    return std::move(order_);
  }

  bool has_started(std::size_t task) const { return open_starts_[task] == 0; }
  bool has_ended(std::size_t task) const { return open_ends_[task] == 0; }

 private:
  void release_end(std::int32_t task) {
    if (--open_ends_[static_cast<std::size_t>(task)] == 0) order_.push_back(-1 - task);
  }
  void release_start(std::int32_t task) {
    if (--open_starts_[static_cast<std::size_t>(task)] == 0) order_.push_back(task);
  }
  void started(std::int32_t task) {
    release_end(task);
    const std::int32_t exchange = graph_.tasks[static_cast<std::size_t>(task)].exchange;
    if (exchange < 0) return;
    graph_.members.visit(exchange, [this](std::int32_t member) {
      if (graph_.tasks[static_cast<std::size_t>(member)].waits) release_end(member);
    });
  }
  void ended(std::int32_t task) {
    starts_after_.visit(task, [this](std::int32_t after) { release_start(after); });
    ends_after_.visit(task, [this](std::int32_t after) { release_end(after); });
  }

  const StepGraph& graph_;
  NumberLists starts_after_, ends_after_;
  std::vector<std::int32_t> open_starts_, open_ends_;
  std::vector<std::int32_t> order_;
};

}  // namespace

std::vector<std::int32_t> step_order(const StepGraph& graph, const Timeline& timeline) {
  Ordering ordering(graph);
  std::vector<std::int32_t> order = ordering.run();
  const std::size_t found = order.size();
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const auto task = static_cast<std::int32_t>(i);
    if (!ordering.has_started(i)) order.push_back(task);
    if (!ordering.has_ended(i)) order.push_back(-1 - task);
  }
  const auto when = [&](std::int32_t event) {
    const Span& span = timeline.spans[static_cast<std::size_t>(event < 0 ? -1 - event : event)];
    return event < 0 ? span.end : span.start;
  };
  std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(found), order.end(),
                   [&](std::int32_t one, std::int32_t other) { return when(one) < when(other); });
  return order;
}

}  // namespace quintet
