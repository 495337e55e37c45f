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

Duration mean_start(const Timeline& timeline, const Exchange& exchange) {
  Duration starting;
  for (const std::int32_t span : exchange.spans) {
    const Instant moving = timeline.spans[static_cast<std::size_t>(span)].moving;
    if (moving > exchange.last) starting += moving - exchange.last;
  }
  return {starting.picoseconds / static_cast<std::int64_t>(exchange.spans.size())};
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
    for (const auto& [key, of] : by_kind_) groups.push_back(group(key.first, key.second, of));
    for (GroupCollectives& each : groups)
      if (!each.fit && all_recorded(each)) fit_otherwise(each);
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
      made.axis = exchange.axis;
      made.waiting += mean_wait(timeline_, exchange);
      made.starting += mean_start(timeline_, exchange);
      add_last(timeline_, exchange, last);
      times.push_back({exchange.size, seconds(exchange.time)});
    }
    made.of = std::move(of);
    if (made.moving > Duration{})
      made.bus_bandwidth = made.bytes / seconds(made.moving) * bus_factor(kind, made.members);
    if (all_recorded(made)) made.fit = latency_fit(times);
    for (const auto& [rank, member] : last) made.last.push_back(member);
    sort_by_waited(made.last);
    return made;
  }

  // Bytes a second, as bus bandwidth, of the fastest of the group's that are so large.
  Bandwidth fastest(const GroupCollectives& made, Bytes from) const {
    Bandwidth most;
    for (const auto& [key, of] : by_kind_)
      for (const std::int32_t index : of) {
        const Exchange& exchange = exchanges_[static_cast<std::size_t>(index)];
        if (key.first != made.group || exchange.size < from || exchange.time <= Duration{})
          continue;
        most = std::max(most, exchange.size / seconds(exchange.time) *
                                  bus_factor(exchange.collective, made.members));
      }
    return most;
  }

  void fit_otherwise(GroupCollectives& made) const {
    const double factor = bus_factor(made.kind, made.members);
    if (!(factor > 0) || !(made.bytes > Bytes{})) return;
    const Seconds mean = seconds(made.moving) / static_cast<double>(made.count);
    const Bytes size = made.bytes / static_cast<double>(made.count);
    const Bandwidth rate = fastest(made, size * 4);
    if (rate > Bandwidth{}) {
      LatencyFit fit{.seconds_a_byte = factor / rate.value};
      fit.latency = mean - Seconds{size.value * fit.seconds_a_byte};
      // Less is what two runs of the same differ by.
      if (fit.latency > mean * 0.3) made.fit = fit;
    } else if (size < assumed_half_size) {
      const double a_byte = mean.value / (size + assumed_half_size).value;
      made.fit = LatencyFit{{assumed_half_size.value * a_byte}, a_byte, true};
    }
  }

  // Where others take part whose traces are not here, times hold waiting for them.
  bool all_recorded(const GroupCollectives& made) const {
    return std::all_of(made.of.begin(), made.of.end(), [&](std::int32_t index) {
      return exchanges_[static_cast<std::size_t>(index)].spans.size() ==
             static_cast<std::size_t>(made.members);
    });
  }

  const Timeline& timeline_;
  const Workload& workload_;
  const std::vector<Exchange>& exchanges_;
  std::map<std::pair<std::int32_t, CollectiveKind>, std::vector<std::int32_t>> by_kind_;
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
