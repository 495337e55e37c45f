#include "traces/nccl/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "traces/nccl/nccl_words.h"

namespace quintet {
namespace {

constexpr std::string_view before_peer = "peer ", after_peer = " of its group";

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size() && number >= 0
             ? std::optional(number)
             : std::nullopt;
}

struct Seat {
  std::size_t trace = 0, group = 0;  // indices
  GroupMember member;
};
using Seats = std::map<std::string, std::vector<Seat>>;  // by the group's name

Seats seats_of(const std::vector<RankTrace>& traces) {
  Seats seats;
  for (std::size_t i = 0; i < traces.size(); ++i)
    for (std::size_t k = 0; k < traces[i].groups.size(); ++k)
      if (const auto member = member_of(traces[i].groups[k]))
        seats[traces[i].groups[k].name].push_back({i, k, *member});
  return seats;
}

// Everyone is there, once.
bool is_whole(std::vector<Seat>& seats) {
  std::sort(seats.begin(), seats.end(), [](const Seat& left, const Seat& right) {
    return left.member.rank < right.member.rank;
  });
  for (std::size_t i = 0; i < seats.size(); ++i)
    if (static_cast<std::size_t>(seats[i].member.rank) != i ||
        (seats[i].member.size > 0 &&
         static_cast<std::size_t>(seats[i].member.size) != seats.size()))
      return false;
  return !seats.empty();
}

void number_traces(std::vector<RankTrace>& traces, Seats& seats) {
  const bool some_known = std::any_of(traces.begin(), traces.end(),
                                      [](const RankTrace& trace) { return trace.rank >= 0; });
  if (some_known) return;
  for (auto& [name, all] : seats) {
    if (all.size() != traces.size() || !is_whole(all)) continue;
    for (const Seat& seat : all) {
      traces[seat.trace].rank = seat.member.rank;
      traces[seat.trace].world_size = static_cast<int>(traces.size());
    }
    return;
  }
}

// What depends on how many ranks there are, in a group of which nobody said that.
void set_sizes(RankTrace& trace, std::size_t group, std::size_t ranks) {
  if (trace.groups[group].size > 0) return;
  trace.groups[group].size = static_cast<int>(ranks);
  for (RecordedCommunication& each : trace.communications) {
    const std::int64_t counted = std::max(each.elements_in, each.elements_out);
    if (each.group != static_cast<std::int32_t>(group) || !(each.size < Bytes{}) ||
        !each.type_known || counted < 0 || counted > std::int64_t{1} << 56)
      continue;
    set_counted(each, counted * static_cast<std::int64_t>(size_of(each.type).value), std::nullopt,
                static_cast<std::int64_t>(ranks));
  }
}

void set_peers(RankTrace& trace, std::size_t group, const std::vector<int>& ranks) {
  for (RecordedCommunication& each : trace.communications) {
    const std::string_view detail = each.detail;
    if (each.group != static_cast<std::int32_t>(group) || !detail.starts_with(before_peer) ||
        !detail.ends_with(after_peer))
      continue;
    const auto peer = number_of(
        detail.substr(before_peer.size(), detail.size() - before_peer.size() - after_peer.size()));
    if (peer && static_cast<std::size_t>(*peer) < ranks.size())
      each.peer = ranks[static_cast<std::size_t>(*peer)];
  }
}

}  // namespace

std::string member_text(std::string_view name, GroupMember member) {
  std::string text = fmt::format("{}{}rank {}", name, name.empty() ? "" : ", ", member.rank);
  if (member.size > 0) text += fmt::format(" of {}", member.size);
  return text;
}

std::optional<GroupMember> member_of(const ProcessGroup& group) {
  const std::string_view text = group.description;
  const std::size_t at = text.rfind("rank ");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view numbers = text.substr(at + 5);
  const std::size_t of = numbers.find(" of ");
  const auto number = number_of(numbers.substr(0, of));
  const auto size =
      of == std::string_view::npos ? std::optional(0) : number_of(numbers.substr(of + 4));
  if (!number || !size || (*size > 0 && *number >= *size)) return std::nullopt;
  return GroupMember{*number, *size};
}

std::string peer_text(std::int64_t peer) {
  return fmt::format("{}{}{}", before_peer, peer, after_peer);
}

void agree_on_ranks(std::vector<RankTrace>& traces) {
  Seats seats = seats_of(traces);
  number_traces(traces, seats);
  for (auto& [name, all] : seats) {
    if (!is_whole(all)) continue;
    std::vector<int> ranks;
    for (const Seat& seat : all) ranks.push_back(traces[seat.trace].rank);
    if (std::any_of(ranks.begin(), ranks.end(), [](int rank) { return rank < 0; })) continue;
    for (const Seat& seat : all) {
      ProcessGroup& group = traces[seat.trace].groups[seat.group];
      if (group.ranks.empty()) group.ranks = ranks;
      set_sizes(traces[seat.trace], seat.group, ranks.size());
      set_peers(traces[seat.trace], seat.group, ranks);
    }
  }
}

}  // namespace quintet
