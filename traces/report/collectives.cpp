#include "traces/report/collectives.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/ccl/schedule.h"

namespace quintet {

namespace {

void sort_by_waited(std::vector<LastMember>& members) {
  std::stable_sort(
      members.begin(), members.end(),
      [](const LastMember& one, const LastMember& other) { return one.waited > other.waited; });
}

void add_last(const Timeline& timeline, const Exchange& exchange,
              std::map<std::int32_t, LastMember>& last) {
  if (exchange.spans.size() < 2) return;
  Duration waited;
  Instant before;
  for (const std::int32_t span : exchange.spans) {
    const Instant start = timeline.spans[static_cast<std::size_t>(span)].start;
    waited += exchange.last - start;
    if (span != exchange.last_span) before = std::max(before, start);
  }
  if (waited == Duration{}) return;
  LastMember& member = last[rank_of(timeline, exchange.last_span)];
  member.rank = rank_of(timeline, exchange.last_span);
  ++member.times;
  member.after_next += exchange.last - before;
  member.waited +=
      Duration{waited.picoseconds / static_cast<std::int64_t>(exchange.spans.size() - 1)};
}

Duration mean_wait(const Timeline& timeline, const Exchange& exchange) {
  Duration waited;
  for (const std::int32_t span : exchange.spans)
    waited += exchange.last - timeline.spans[static_cast<std::size_t>(span)].start;
  return {waited.picoseconds / static_cast<std::int64_t>(exchange.spans.size())};
}

class GroupsMaker {
 public:
  GroupsMaker(const Timeline& timeline, const Workload& workload,
              const std::vector<Exchange>& exchanges)
      : timeline_(timeline), workload_(workload), exchanges_(exchanges) {
    for (std::size_t i = 0; i < exchanges.size(); ++i)
      if (exchanges[i].group >= 0)
        by_kind_[{exchanges[i].group, exchanges[i].collective}].push_back(
            static_cast<std::int32_t>(i));
  }

  std::vector<GroupCollectives> make() {
    std::vector<GroupCollectives> groups;
    for (auto& [key, of] : by_kind_) groups.push_back(group(key.first, key.second, std::move(of)));
    for (GroupCollectives& each : groups)
      if (!each.fit) fit_to_fastest(each);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const GroupCollectives& one, const GroupCollectives& other) {
                       return one.moving > other.moving;
                     });
    return groups;
  }

 private:
  GroupCollectives group(std::int32_t number, CollectiveKind kind, std::vector<std::int32_t> of) {
    GroupCollectives made{.group = number, .kind = kind};
    made.members =
        static_cast<int>(workload_.groups[static_cast<std::size_t>(number)].members.size());
    std::map<std::int32_t, LastMember> last;
    std::vector<SizedTime> times;
    for (const std::int32_t index : of) {
      const Exchange& exchange = exchanges_[static_cast<std::size_t>(index)];
      ++made.count;
      made.bytes += exchange.size;
      made.moving += exchange.time;
      made.waiting += mean_wait(timeline_, exchange);
      add_last(timeline_, exchange, last);
      times.push_back({exchange.size, seconds(exchange.time)});
      note_fastest(exchange, made.members);
    }
    made.of = std::move(of);
    if (made.moving > Duration{})
      made.bus_bandwidth = made.bytes / seconds(made.moving) * bus_factor(kind, made.members);
    made.fit = latency_fit(times);
    for (const auto& [rank, member] : last) made.last.push_back(member);
    sort_by_waited(made.last);
    return made;
  }

  void note_fastest(const Exchange& exchange, int members) {
    if (exchange.time <= Duration{}) return;
    const Bandwidth rate =
        exchange.size / seconds(exchange.time) * bus_factor(exchange.collective, members);
    fastest_[members] = std::max(fastest_[members], rate);
  }

  void fit_to_fastest(GroupCollectives& made) const {
    const double factor = bus_factor(made.kind, made.members);
    const auto fastest = fastest_.find(made.members);
    if (fastest == fastest_.end() || !(factor > 0) || made.count == 0) return;
    LatencyFit fit{.seconds_a_byte = factor / fastest->second.value};
    const auto count = static_cast<double>(made.count);
    const Seconds left =
        seconds(made.moving) / count - Seconds{made.bytes.value / count * fit.seconds_a_byte};
    // Less is what two runs of the same differ by.
    if (left < seconds(made.moving) / count * 0.3) return;
    fit.latency = left;
    made.fit = fit;
  }

  const Timeline& timeline_;
  const Workload& workload_;
  const std::vector<Exchange>& exchanges_;
  std::map<std::pair<std::int32_t, CollectiveKind>, std::vector<std::int32_t>> by_kind_;
  std::map<int, Bandwidth> fastest_;  // bus bandwidth, by number of members
};

}  // namespace

std::vector<GroupCollectives> group_collectives(const Timeline& timeline, const Workload& workload,
                                                const std::vector<Exchange>& exchanges) {
  return GroupsMaker(timeline, workload, exchanges).make();
}

std::vector<LastMember> last_members(const std::vector<GroupCollectives>& groups) {
  std::map<std::int32_t, LastMember> by_rank;
  for (const GroupCollectives& group : groups)
    for (const LastMember& each : group.last) {
      LastMember& sum = by_rank[each.rank];
      sum.rank = each.rank;
      sum.times += each.times;
      sum.after_next += each.after_next;
      sum.waited += each.waited;
    }
  std::vector<LastMember> members;
  for (const auto& [rank, member] : by_rank) members.push_back(member);
  sort_by_waited(members);
  return members;
}

}  // namespace quintet
