#include "traces/report/exchanges.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/base/quantile.h"

namespace quintet {

namespace {

// Which exchange a span belongs to.
struct Key {
  std::int32_t group = -1;          // -1: a message
  std::int32_t from = -1, to = -1;  // of messages
  std::int64_t tag = 0, sequence = 0;
  bool counted = false;  // `sequence` is what we counted, not what was recorded
  auto operator<=>(const Key&) const = default;
};

struct Member {
  Key key;
  std::int32_t rank = 0;
  bool receives = false;
  std::int32_t span = 0;
  CollectiveKind collective = CollectiveKind::all_reduce;

  auto order() const { return std::tie(key, receives, rank, span); }
};

const SpanInfo& info_of(const Timeline& timeline, std::int32_t span) {
  const Span& of = timeline.spans[static_cast<std::size_t>(span)];
  return timeline.infos[static_cast<std::size_t>(of.info)];
}

Key key_of(const TaskPeers& peers, SpanKind kind, std::int32_t rank) {
  Key key;
  key.sequence = peers.sequence;
  if (kind == SpanKind::collective) {
    key.group = peers.group;
    return key;
  }
  key.tag = peers.tag;
  key.from = kind == SpanKind::send ? rank : peers.peer;
  key.to = kind == SpanKind::send ? peers.peer : rank;
  return key;
}

bool is_known(const TaskPeers& peers, SpanKind kind) {
  return kind == SpanKind::collective ? peers.group >= 0
                                      : is_communication(kind) && peers.peer >= 0;
}

std::vector<Member> members_of(const Timeline& timeline, const Workload& workload) {
  std::vector<Member> members;
  const std::vector<std::vector<std::int32_t>> spans = spans_of_tasks(timeline, workload);
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank) {
    const WorkloadRank& of = workload.ranks[rank];
    std::map<std::pair<Key, SpanKind>, std::int64_t> counts;
    for (std::size_t task = 0; task < of.tasks.size(); ++task) {
      if (of.tasks[task].peers < 0) continue;
      const std::int32_t span = spans[rank][task];
      const SpanKind kind = info_of(timeline, span).kind;
      const TaskPeers& peers = of.peers[static_cast<std::size_t>(of.tasks[task].peers)];
      if (!is_known(peers, kind)) continue;
      Key key = key_of(peers, kind, static_cast<std::int32_t>(rank));
      if (key.sequence < 0) {
        key.counted = true;
        key.sequence = counts[{key, kind}]++;
      }
      members.push_back({key, static_cast<std::int32_t>(rank), kind == SpanKind::receive, span,
                         peers.collective});
    }
  }
  std::sort(members.begin(), members.end(),
            [](const Member& one, const Member& other) { return one.order() < other.order(); });
  return members;
}

// Whether the receiver waited for the data, or the sender for the receiver: otherwise nobody saw
// how long the message was under way.
bool was_awaited(const Span& send, const Span& receive) {
  return receive.start <= send.start || send.moving >= receive.start;
}

void set_times(const Timeline& timeline, Exchange& exchange) {
  std::vector<Duration> times;
  for (const std::int32_t number : exchange.spans) {
    const Span& span = timeline.spans[static_cast<std::size_t>(number)];
    if (exchange.last_span < 0 || span.start > exchange.last) {
      exchange.last = span.start;
      exchange.last_span = number;
    }
    times.push_back(span.end - span.moving);
  }
  if (exchange.kind == SpanKind::collective) {
    exchange.time = lower_median(std::move(times));
    return;
  }
  if (exchange.spans.size() != 2) return;
  const Span& send = timeline.spans[static_cast<std::size_t>(exchange.spans.front())];
  const Span& receive = timeline.spans[static_cast<std::size_t>(exchange.spans.back())];
  if (was_awaited(send, receive) && receive.end >= exchange.last)
    exchange.time = receive.end - exchange.last;
}

Exchange exchange_of(const Timeline& timeline, const Member* first, const Member* end) {
  const SpanInfo& info = info_of(timeline, first->span);
  Exchange made;
  made.kind = info.kind == SpanKind::collective ? SpanKind::collective : SpanKind::send;
  made.collective = first->collective;
  made.group = first->key.group;
  made.size = info.size;
  for (const Member* member = first; member != end; ++member) made.spans.push_back(member->span);
  set_times(timeline, made);
  return made;
}

bool are_in_order(const Timeline& timeline, std::int32_t first, const WorkloadRank& rank) {
  for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
    const Span& span = timeline.spans[static_cast<std::size_t>(first) + i];
    const WorkloadTask& task = rank.tasks[i];
    if (span.info != task.info || span.start != task.start || span.end != task.end) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<std::int32_t>> spans_of_tasks(const Timeline& timeline,
                                                      const Workload& workload) {
  std::vector<std::vector<std::int32_t>> all;
  const std::vector<std::vector<std::int32_t>> sorted = tasks_of_spans(workload);
  std::int32_t first = 0;
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank) {
    const std::size_t count = workload.ranks[rank].tasks.size();
    const bool as_they_are = are_in_order(timeline, first, workload.ranks[rank]);
    std::vector<std::int32_t>& spans = all.emplace_back(count);
    for (std::size_t place = 0; place < count; ++place) {
      const auto task = as_they_are ? place : static_cast<std::size_t>(sorted[rank][place]);
      spans[task] = first + static_cast<std::int32_t>(place);
    }
    first += static_cast<std::int32_t>(count);
  }
  return all;
}

std::int32_t rank_of(const Timeline& timeline, std::int32_t span) {
  return timeline.spans[static_cast<std::size_t>(span)].track;
}

std::vector<Exchange> exchanges(const Timeline& timeline, const Workload& workload) {
  const std::vector<Member> members = members_of(timeline, workload);
  std::vector<Exchange> made;
  for (auto first = members.begin(); first != members.end();) {
    const auto end = std::find_if(first, members.end(),
                                  [&](const Member& member) { return member.key != first->key; });
    made.push_back(exchange_of(timeline, &*first, &*first + (end - first)));
    first = end;
  }
  std::stable_partition(made.begin(), made.end(),
                        [](const Exchange& each) { return each.group >= 0; });
  return made;
}

}  // namespace quintet
