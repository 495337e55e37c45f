#include "sim/explain/difference/charges.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/explain/difference/matched_spans.h"
#include "sim/explain/step_claims.h"

namespace quintet {
namespace {

constexpr std::int32_t nobody = -1;
// Longer chains than pipelines have: what leads round in a circle ends here.
constexpr int most_hops = 256;

struct Piece {
  Interval time;
  Charge charge;
  std::int32_t awaited = nobody;  // waits for this track; then `charge` is for want of an answer
};

using Pieces = std::vector<Piece>;

// Whom a waiting span waits for, and until when.
struct Awaited {
  std::int32_t track = nobody;
  Instant comes;
};

class Peers {
 public:
  explicit Peers(const Timeline& timeline) : timeline_(timeline), keys_(span_keys(timeline)) {
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
      const SpanKind kind = kind_of(i);
      if (kind == SpanKind::collective) members_[keys_[i]].push_back(i);
      if (timeline.spans[i].flow < 0) continue;
      if (kind == SpanKind::send) sends_[timeline.spans[i].flow] = i;
      if (kind == SpanKind::receive) receives_[timeline.spans[i].flow] = i;
    }
    for (auto& [key, spans] : members_)
      std::stable_sort(spans.begin(), spans.end(), [&](std::size_t one, std::size_t other) {
        return timeline.spans[one].start < timeline.spans[other].start;
      });
  }

  Awaited of(std::size_t number) const {
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

 private:
  using Ends = std::unordered_map<std::int32_t, std::size_t>;  // by flow

  SpanKind kind_of(std::size_t number) const {
    return timeline_.infos[static_cast<std::size_t>(timeline_.spans[number].info)].kind;
  }
  Awaited at(std::size_t number) const {
    return {timeline_.spans[number].track, timeline_.spans[number].start};
  }
  Awaited other_end(const Ends& ends, std::size_t number) const {
    const auto found = ends.find(timeline_.spans[number].flow);
    return found == ends.end() ? Awaited{} : at(found->second);
  }
  // Several groups may do the same: the own one is that whose last member comes when data begins
  // to move, or just before.
  Awaited last_to_come(std::size_t number) const {
    const std::vector<std::size_t>& spans = members_.at(keys_[number]);
    const Instant moving = timeline_.spans[number].moving;
    const auto after = std::upper_bound(
        spans.begin(), spans.end(), moving,
        [&](Instant time, std::size_t span) { return time < timeline_.spans[span].start; });
    return after == spans.begin() ? Awaited{} : at(*(after - 1));
  }

  const Timeline& timeline_;
  std::vector<SpanKey> keys_;
  std::map<SpanKey, std::vector<std::size_t>> members_;  // in order of start
  Ends sends_, receives_;
};

Charge charge_of(Rule rule, const Claim& claim, std::int32_t track) {
  switch (rule) {
    case Rule::compute:
      return {.deed = Deed::compute,
              .work = claim.info->work,
              .phase = claim.info->phase,
              .track = track};
    case Rule::moving:
    case Rule::sending:
      return {.deed = Deed::moves, .axis = claim.info->axis, .track = track};
    case Rule::waiting:
    case Rule::starved:
      return {.deed = Deed::unexplained, .axis = claim.info->axis, .track = track};
    case Rule::copy:
      return {.deed = Deed::copies, .track = track};
    case Rule::gap:
    case Rule::host:
      break;
  }
  return {.deed = Deed::host, .track = track};
}

class TrackPieces {
 public:
  TrackPieces(std::int32_t track, const Peers& peers) : track_(track), peers_(peers) {}

  void add(Rule rule, const Claim& claim, Interval time) {
    const Charge charge = charge_of(rule, claim, track_);
    if (charge.deed != Deed::unexplained) return pieces_.push_back({time, charge, nobody});
    const Awaited awaited = peers_.of(static_cast<std::size_t>(claim.span));
    if (awaited.track == nobody) return pieces_.push_back({time, charge, nobody});
    const Instant comes =
        awaited.track == track_ ? time.begin : std::clamp(awaited.comes, time.begin, time.end);
    if (time.begin < comes) pieces_.push_back({{time.begin, comes}, charge, awaited.track});
    if (comes < time.end)
      pieces_.push_back(
          {{comes, time.end}, {.deed = Deed::moves, .axis = charge.axis, .track = track_}, nobody});
  }
  // What no rule took; `done`: after the rank's last instruction.
  void add_rest(Interval time, Instant done, std::int32_t last_track) {
    const Charge idle{.deed = Deed::idle, .track = track_};
    const Instant cut = std::clamp(done, time.begin, time.end);
    if (time.begin < cut) pieces_.push_back({{time.begin, cut}, idle, nobody});
    if (cut < time.end)
      pieces_.push_back({{cut, time.end}, idle, last_track == track_ ? nobody : last_track});
  }
  Pieces in_order() && {
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& one, const Piece& other) {
      return one.time.begin < other.time.begin;
    });
    return std::move(pieces_);
  }

 private:
  std::int32_t track_;
  const Peers& peers_;
  Pieces pieces_;
};

// When each track's last instruction ends.
std::vector<Instant> ends_of(const Timeline& timeline) {
  std::vector<Instant> ends(timeline.tracks.size());
  for (const Span& span : timeline.spans) {
    Instant& end = ends[static_cast<std::size_t>(span.track)];
    end = std::max(end, span.end);
  }
  return ends;
}

std::vector<Pieces> pieces_of(const Timeline& timeline) {
  const Peers peers(timeline);
  const std::vector<Instant> ends = ends_of(timeline);
  const auto last =
      static_cast<std::int32_t>(std::max_element(ends.begin(), ends.end()) - ends.begin());
  const TrackRanges ranges(timeline);
  std::vector<Pieces> all;
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    TrackPieces pieces(static_cast<std::int32_t>(track), peers);
    Untaken untaken(timeline.end);
    RankClaims claims = ranges.claims(track);
    apply_rules(claims, untaken, [&](Rule rule, const Claim& claim, Interval time) {
      pieces.add(rule, claim, time);
    });
    for (const Interval& rest : untaken.gaps()) pieces.add_rest(rest, ends[track], last);
    all.push_back(std::move(pieces).in_order());
  }
  return all;
}

// Charges `time` of `track` to those who answer for it.
void charge(const std::vector<Pieces>& all, std::int32_t track, Interval time, int hops,
            Charges& into) {
  const Pieces& pieces = all[static_cast<std::size_t>(track)];
  auto piece =
      std::upper_bound(pieces.begin(), pieces.end(), time.begin,
                       [](Instant begin, const Piece& each) { return begin < each.time.end; });
  for (; piece != pieces.end() && piece->time.begin < time.end; ++piece) {
    const Interval part{std::max(piece->time.begin, time.begin),
                        std::min(piece->time.end, time.end)};
    if (piece->awaited == nobody || hops == most_hops)
      into[piece->charge] += length(part);
    else
      charge(all, piece->awaited, part, hops + 1, into);
  }
}

}  // namespace

std::vector<Charges> charges(const Timeline& timeline) {
  const std::vector<Pieces> pieces = pieces_of(timeline);
  std::vector<Charges> all(timeline.tracks.size());
  for (std::size_t track = 0; track < all.size(); ++track)
    charge(pieces, static_cast<std::int32_t>(track), {Instant{}, timeline.end}, 0, all[track]);
  return all;
}

}  // namespace quintet
