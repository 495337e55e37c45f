#include "sim/explain/difference/awaited_peers.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

namespace quintet {

Peers::Peers(const Timeline& timeline, std::vector<std::int32_t> same)
    : timeline_(timeline), same_(std::move(same)) {
  for (std::size_t number = 0; number < timeline.spans.size(); ++number) {
    const std::int32_t flow = timeline.spans[number].flow;
    if (flow < 0) continue;
    if (kind_of(number) == SpanKind::send) sends_[flow] = number;
    if (kind_of(number) == SpanKind::receive) receives_[flow] = number;
  }
  find_members();
}

Awaited Peers::of(std::size_t number) const {
  switch (kind_of(number)) {
    case SpanKind::send:
      return other_end(receives_, number);
    case SpanKind::receive:
      return other_end(sends_, number);
    case SpanKind::collective:
      return last_to_come(number);
    case SpanKind::compute:
    case SpanKind::copy:
    case SpanKind::host:
      break;
  }
  return {};
}

Awaited Peers::other_end(const Ends& ends, std::size_t number) const {
  const auto found = ends.find(timeline_.spans[number].flow);
  if (found == ends.end()) return {};
  const Span& other = timeline_.spans[found->second];
  return {other.track, other.start};
}

// Several groups may do the same: the own one is that whose last member comes when data begins to
// move, or just before.
Awaited Peers::last_to_come(std::size_t number) const {
  const auto place =
      std::lower_bound(places_.begin(), places_.end(), number,
                       [](const Place& each, std::size_t span) { return each.span < span; });
  assert(place != places_.end() && place->span == number);
  const auto at = [this](std::size_t index) {
    return coming_.begin() + static_cast<std::ptrdiff_t>(begins_[index]);
  };
  const auto first = at(place->collective), end = at(place->collective + 1);
  const auto after =
      std::upper_bound(first, end, timeline_.spans[number].moving,
                       [](Instant time, const Coming& each) { return time < each.start; });
  if (after == first) return {};
  return {(after - 1)->track, (after - 1)->start};
}

std::vector<bool> Peers::infos_with_waiting() const {
  std::vector<bool> waits(timeline_.infos.size(), false);
  for (const Span& span : timeline_.spans) {
    const auto info = static_cast<std::size_t>(span.info);
    if (timeline_.infos[info].kind == SpanKind::collective && span.start < span.moving)
      waits[static_cast<std::size_t>(collective_of(span))] = true;
  }
  return waits;
}

// The n-th of those alike on its track, as span_keys() has it.
void Peers::number_occurrences(std::vector<Member>& members) const {
  std::sort(members.begin(), members.end(), [](const Member& one, const Member& other) {
    return std::tie(one.key, one.track, one.span) < std::tie(other.key, other.track, other.span);
  });
  SpanKey before{.info = -1};
  std::int32_t track = -1, occurrence = 0;
  for (Member& each : members) {
    occurrence = each.key == before && each.track == track ? occurrence + 1 : 0;
    before = each.key;
    track = each.track;
    each.key.occurrence = occurrence;
  }
}

void Peers::find_members() {
  const std::vector<bool> waits = infos_with_waiting();
  std::vector<Member> members;
  for (std::size_t number = 0; number < timeline_.spans.size(); ++number) {
    const Span& span = timeline_.spans[number];
    if (!waits[static_cast<std::size_t>(collective_of(span))]) continue;
    members.push_back(
        {{collective_of(span), span.layer, span.micro_batch, span.chunk, span.bucket, 0},
         span.track,
         span.start,
         number});
  }
  number_occurrences(members);
  std::sort(members.begin(), members.end(), [](const Member& one, const Member& other) {
    return std::tie(one.key, one.start, one.span) < std::tie(other.key, other.start, other.span);
  });
  for (std::size_t index = 0; index < members.size(); ++index) {
    if (index == 0 || members[index].key != members[index - 1].key) begins_.push_back(index);
    coming_.push_back({members[index].start, members[index].track});
    places_.push_back({members[index].span, begins_.size() - 1});
  }
  begins_.push_back(members.size());
  std::sort(places_.begin(), places_.end(),
            [](const Place& one, const Place& other) { return one.span < other.span; });
}

}  // namespace quintet
