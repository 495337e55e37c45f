#include "traces/report/small_collectives.h"

#include <algorithm>
#include <cmath>

namespace quintet {

namespace {

constexpr double latency_share_when_merged = 0.2;
constexpr double latency_share_from = 0.5;
constexpr std::int64_t few = 8;

// Per task, when the first that computes or copies and waits for its end starts.
std::vector<Instant> first_needed(const Timeline& timeline, const StepGraph& graph) {
  std::vector<Instant> first(graph.tasks.size(), end_of_time);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Span& span = timeline.spans[i];
    const SpanKind kind = timeline.infos[static_cast<std::size_t>(span.info)].kind;
    if (kind != SpanKind::compute && kind != SpanKind::copy) continue;
    graph.before.visit(static_cast<std::int32_t>(i), [&](std::int32_t other) {
      Instant& needed = first[static_cast<std::size_t>(other)];
      needed = std::min(needed, span.start);
    });
  }
  return first;
}

class SmallOnes {
 public:
  SmallOnes(const Timeline& timeline, const std::vector<Exchange>& exchanges,
            const GroupCollectives& group, const std::vector<Instant>& needed)
      : timeline_(timeline), exchanges_(exchanges), group_(group), needed_(needed) {}

  SmallCollectives find() {
    SmallCollectives made;
    made.worth = group_.fit->half_size() * (1 / latency_share_when_merged - 1);
    std::vector<std::int32_t> small;
    Seconds time;
    for (std::size_t i = 0; i < group_.of.size(); ++i) {
      const Exchange& exchange = at(i);
      if (exchange.size >= made.worth || !is_free(i)) continue;
      small.push_back(group_.of[i]);
      made.bytes += exchange.size;
      time += group_.fit->time(exchange.size);
    }
    made.count = static_cast<std::int64_t>(small.size());
    if (made.count == 0) return made;
    made.latency_share = static_cast<double>(made.count) * (group_.fit->latency / time);
    made.merged = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(made.bytes.value / made.worth.value)));
    made.saved = duration(group_.fit->latency * static_cast<double>(made.count - made.merged));
    add_change(small, made);
    return made;
  }

 private:
  const Exchange& at(std::size_t i) const {
    return exchanges_[static_cast<std::size_t>(group_.of[i])];
  }

  // Could have left with the one before or after it of its group.
  bool is_free(std::size_t i) const {
    return (i > 0 && waits_for_nothing_between(at(i - 1), at(i))) ||
           (i + 1 < group_.of.size() && waits_for_nothing_between(at(i), at(i + 1)));
  }

  bool waits_for_nothing_between(const Exchange& one, const Exchange& other) const {
    const auto first = static_cast<std::size_t>(one.spans.front());
    const auto second = static_cast<std::size_t>(other.spans.front());
    return needed_[first] > timeline_.spans[second].start;
  }

  void add_change(const std::vector<std::int32_t>& small, SmallCollectives& made) const {
    const Seconds latency =
        group_.fit->latency * (static_cast<double>(made.merged) / static_cast<double>(made.count));
    for (const std::int32_t index : small) {
      const Exchange& exchange = exchanges_[static_cast<std::size_t>(index)];
      const Seconds whole = group_.fit->time(exchange.size);
      const double factor = (whole - group_.fit->latency + latency) / whole;
      for (const std::int32_t span : exchange.spans) made.change.spans.push_back({span, factor});
    }
  }

  const Timeline& timeline_;
  const std::vector<Exchange>& exchanges_;
  const GroupCollectives& group_;
  const std::vector<Instant>& needed_;
};

}  // namespace

std::vector<SmallCollectives> small_collectives(const Timeline& timeline,
                                                const std::vector<Exchange>& exchanges,
                                                const std::vector<GroupCollectives>& groups,
                                                const StepGraph& graph) {
  const std::vector<Instant> needed = first_needed(timeline, graph);
  std::vector<SmallCollectives> found;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].fit) continue;
    SmallCollectives made = SmallOnes(timeline, exchanges, groups[i], needed).find();
    made.group = i;
    const bool many = made.count >= few && made.merged < made.count;
    if (many && made.latency_share >= latency_share_from) found.push_back(std::move(made));
  }
  return found;
}

}  // namespace quintet
