#include "traces/pytorch_et/match_nodes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "traces/trace/name_table.h"

namespace quintet::pytorch_et {
namespace {

bool can_match(const TraceEvent& event) {
  return event.kind == EventKind::operation || event.kind == EventKind::annotation;
}

std::vector<std::int32_t> by_number(const RankTrace& trace, const ExecutionTrace& execution) {
  std::unordered_map<std::int64_t, std::int32_t> numbered;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    const bool on_thread =
        trace.rows[static_cast<std::size_t>(event.row)].kind == RecordedRow::Kind::thread;
    if (can_match(event) && on_thread && event.external >= 0)
      numbered.emplace(event.external, static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> event_of(execution.nodes.size(), -1);
  for (std::size_t i = 0; i < execution.nodes.size(); ++i) {
    const ExecutionNode& node = execution.nodes[i];
    const auto found = numbered.find(node.record);
    if (node.record < 0 || found == numbered.end()) continue;
    const TraceEvent& event = trace.events[static_cast<std::size_t>(found->second)];
    if (trace.names[static_cast<std::size_t>(event.name)] ==
        execution.names[static_cast<std::size_t>(node.name)]) {
      event_of[i] = found->second;
      numbered.erase(found);  // a damaged file may have a number twice
    }
  }
  return event_of;
}

// What ran on one thread, in order, and the names' numbers, which both sides share.
struct Sequence {
  std::vector<std::int32_t> things, names;
};

// Events of a row are in order of their instants. Where clocks have whole microseconds, what began
// in the same one has its numbers to tell which was first.
void order_by_number(std::vector<std::int32_t>& events, const RankTrace& trace) {
  const auto number = [&](std::int32_t i) {
    return trace.events[static_cast<std::size_t>(i)].external;
  };
  if (std::any_of(events.begin(), events.end(), [&](std::int32_t i) { return number(i) < 0; }))
    return;
  std::stable_sort(events.begin(), events.end(), [&](std::int32_t left, std::int32_t right) {
    return number(left) < number(right);
  });
}

std::vector<Sequence> sequences_of(const RankTrace& trace, NameTable& names) {
  std::map<std::int32_t, Sequence> rows;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    const bool on_thread =
        trace.rows[static_cast<std::size_t>(event.row)].kind == RecordedRow::Kind::thread;
    if (!can_match(event) || !on_thread) continue;
    rows[event.row].things.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<Sequence> sequences;
  for (auto& [row, sequence] : rows) {
    order_by_number(sequence.things, trace);
    for (const std::int32_t i : sequence.things)
      sequence.names.push_back(names.index_of(
          trace.names[static_cast<std::size_t>(trace.events[static_cast<std::size_t>(i)].name)]));
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

std::vector<Sequence> sequences_of(const ExecutionTrace& execution, NameTable& names) {
  std::map<std::int32_t, Sequence> threads;
  for (std::size_t i = 0; i < execution.nodes.size(); ++i)
    if (execution.nodes[i].record >= 0)
      threads[execution.nodes[i].thread].things.push_back(static_cast<std::int32_t>(i));
  std::vector<Sequence> sequences;
  for (auto& [thread, sequence] : threads) {
    const auto node = [&](std::int32_t i) { return execution.nodes[static_cast<std::size_t>(i)]; };
    std::stable_sort(sequence.things.begin(), sequence.things.end(),
                     [&](std::int32_t left, std::int32_t right) {
                       return node(left).record < node(right).record;
                     });
    for (const std::int32_t i : sequence.things)
      sequence.names.push_back(
          names.index_of(execution.names[static_cast<std::size_t>(node(i).name)]));
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

std::int64_t found_in(const std::vector<std::int32_t>& matches) {
  return std::count_if(matches.begin(), matches.end(), [](std::int32_t i) { return i >= 0; });
}

// Each thread goes with the row of which it matches most, each row with one thread.
std::vector<std::int32_t> by_order(const RankTrace& trace, const ExecutionTrace& execution) {
  NameTable names;
  const auto rows = sequences_of(trace, names);
  const auto threads = sequences_of(execution, names);
  std::vector<std::int32_t> event_of(execution.nodes.size(), -1);
  std::vector<bool> taken(rows.size());
  for (const Sequence& thread : threads) {
    std::vector<std::int32_t> best;
    std::size_t best_row = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (taken[row]) continue;
      auto matches = aligned(thread.names, rows[row].names);
      if (!best.empty() && found_in(matches) <= found_in(best)) continue;
      best = std::move(matches);
      best_row = row;
    }
    if (found_in(best) == 0) continue;
    taken[best_row] = true;
    for (std::size_t i = 0; i < best.size(); ++i)
      if (best[i] >= 0)
        event_of[static_cast<std::size_t>(thread.things[i])] =
            rows[best_row].things[static_cast<std::size_t>(best[i])];
  }
  return event_of;
}

}  // namespace

std::vector<std::int32_t> aligned(const std::vector<std::int32_t>& left,
                                  const std::vector<std::int32_t>& right) {
  std::vector<std::int32_t> place(left.size(), -1);
  std::size_t i = 0, k = 0;
  const auto equal = [&](std::size_t at_left, std::size_t at_right) {
    return at_left < left.size() && at_right < right.size() && left[at_left] == right[at_right];
  };
  while (i < left.size() && k < right.size()) {
    if (left[i] == right[k]) {
      place[i++] = static_cast<std::int32_t>(k++);
      continue;
    }
    // The fewest on one side after which both go on alike, two in a row unless one ends.
    std::size_t skipped = 1;
    for (; skipped <= most_missing; ++skipped) {
      const auto goes_on = [&](std::size_t at_left, std::size_t at_right) {
        const bool is_last = at_left + 1 == left.size() || at_right + 1 == right.size();
        return equal(at_left, at_right) && (is_last || equal(at_left + 1, at_right + 1));
      };
      if (goes_on(i + skipped, k)) {
        i += skipped;
        break;
      }
      if (goes_on(i, k + skipped)) {
        k += skipped;
        break;
      }
    }
    if (skipped > most_missing) ++i, ++k;
  }
  return place;
}

Matches matched_nodes(const RankTrace& trace, const ExecutionTrace& execution) {
  const auto nodes = std::count_if(execution.nodes.begin(), execution.nodes.end(),
                                   [](const ExecutionNode& node) { return node.record >= 0; });
  Matches matches{JoinedTraces::By::number, by_number(trace, execution)};
  if (2 * found_in(matches.event_of) >= nodes) return matches;
  auto ordered = by_order(trace, execution);
  if (found_in(ordered) > found_in(matches.event_of))
    matches = {JoinedTraces::By::order, std::move(ordered)};
  return matches;
}

}  // namespace quintet::pytorch_et
