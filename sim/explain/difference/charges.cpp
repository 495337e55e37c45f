#include "sim/explain/difference/charges.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/explain/difference/awaited_peers.h"
#include "sim/explain/step_claims.h"

namespace quintet {
namespace {

// Longer chains than pipelines have: what leads round in a circle ends here.
constexpr int most_hops = 256;

// Charges but for their tracks, as small numbers: a long step has millions of pieces.
class ChargeNumbers {
 public:
  static constexpr std::size_t phases = static_cast<std::size_t>(Phase::update) + 1;
  static constexpr std::size_t kinds = static_cast<std::size_t>(OperatorKind::stage_total) + 1;
  static constexpr std::size_t deeds = static_cast<std::size_t>(Deed::unexplained) + 1;
  static constexpr std::size_t count = kinds * phases + deeds * axis_count;

  static std::int32_t compute(const SpanInfo& info) {
    return static_cast<std::int32_t>(static_cast<std::size_t>(info.work) * phases +
                                     static_cast<std::size_t>(info.phase));
  }
  // Deeds that use no axis have Charge's own.
  static std::int32_t other(Deed deed, Axis axis = Charge{}.axis) {
    return static_cast<std::int32_t>(kinds * phases + static_cast<std::size_t>(deed) * axis_count +
                                     static_cast<std::size_t>(axis));
  }
  static Charge charge(std::size_t number, std::int32_t track) {
    if (number < kinds * phases)
      return {.deed = Deed::compute,
              .work = static_cast<OperatorKind>(number / phases),
              .phase = static_cast<Phase>(number % phases),
              .track = track};
    const std::size_t rest = number - kinds * phases;
    return {.deed = static_cast<Deed>(rest / axis_count),
            .axis = static_cast<Axis>(rest % axis_count),
            .track = track};
  }
};

// A track's pieces follow one another without a gap: each lasts until the next begins.
struct Piece {
  Instant begin;
  std::int32_t charge = 0;        // ChargeNumbers
  std::int32_t awaited = nobody;  // waits for this track; then `charge` is for want of an answer
};

// From 0; the last one begins at the end of the step and is none.
using Pieces = std::vector<Piece>;

bool earlier(const Piece& one, const Piece& other) {
  return one.begin < other.begin;
}

std::int32_t charge_of(Rule rule, const Claim& claim) {
  switch (rule) {
    case Rule::compute:
      return ChargeNumbers::compute(*claim.info);
    case Rule::moving:
    case Rule::sending:
      return ChargeNumbers::other(Deed::moves, claim.info->axis);
    case Rule::waiting:
    case Rule::starved:
      return ChargeNumbers::other(Deed::unexplained, claim.info->axis);
    case Rule::copy:
      return ChargeNumbers::other(Deed::copies);
    case Rule::gap:
    case Rule::host:
      break;
  }
  return ChargeNumbers::other(Deed::host);
}

// One track's at a time; its memory is used again for the next.
class TrackPieces {
 public:
  explicit TrackPieces(const Peers& peers) : peers_(peers) {}

  void begin(std::int32_t track) {
    track_ = track;
    pieces_.clear();
    runs_.clear();
  }
  void add(Rule rule, const Claim& claim, Interval time) {
    if (runs_.empty() || runs_.back().first != rule) runs_.push_back({rule, pieces_.size()});
    const std::int32_t charge = charge_of(rule, claim);
    if (rule != Rule::waiting && rule != Rule::starved)
      return pieces_.push_back({time.begin, charge, nobody});
    const Awaited awaited = peers_.of(static_cast<std::size_t>(claim.span));
    if (awaited.track == nobody) return pieces_.push_back({time.begin, charge, nobody});
    const Instant comes =
        awaited.track == track_ ? time.begin : std::clamp(awaited.comes, time.begin, time.end);
    if (time.begin < comes) pieces_.push_back({time.begin, charge, awaited.track});
    if (comes < time.end)
      pieces_.push_back({comes, ChargeNumbers::other(Deed::moves, claim.info->axis), nobody});
  }
  // What no rule took; `done`: after the rank's last instruction.
  void add_rest(const std::vector<Interval>& gaps, Instant done, std::int32_t last_track) {
    runs_.push_back({Rule::host, pieces_.size()});
    const std::int32_t idle = ChargeNumbers::other(Deed::idle);
    for (const Interval& time : gaps) {
      const Instant cut = std::clamp(done, time.begin, time.end);
      if (time.begin < cut) pieces_.push_back({time.begin, idle, nobody});
      if (cut < time.end)
        pieces_.push_back({cut, idle, last_track == track_ ? nobody : last_track});
    }
  }
  // Each rule's came in order of time.
  Pieces in_order(Instant end) {
    for (std::size_t run = 1; run < runs_.size(); ++run)
      std::inplace_merge(pieces_.begin(), at(runs_[run].second),
                         run + 1 < runs_.size() ? at(runs_[run + 1].second) : pieces_.end(),
                         earlier);
    const auto alike = [](const Piece& one, const Piece& other) {
      return one.charge == other.charge && one.awaited == other.awaited;
    };
    pieces_.erase(std::unique(pieces_.begin(), pieces_.end(), alike), pieces_.end());
    pieces_.push_back({end, ChargeNumbers::other(Deed::idle), nobody});
    return Pieces(pieces_.begin(), pieces_.end());
  }

 private:
  Pieces::iterator at(std::size_t place) {
    return pieces_.begin() + static_cast<std::ptrdiff_t>(place);
  }

  std::int32_t track_ = nobody;
  const Peers& peers_;
  Pieces pieces_;
  std::vector<std::pair<Rule, std::size_t>> runs_;  // where each rule's begin
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
  TrackPieces pieces(peers);
  std::vector<Pieces> all;
  for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
    pieces.begin(static_cast<std::int32_t>(track));
    Untaken untaken({Instant{}, timeline.end});
    RankClaims claims = ranges.claims(track);
    apply_rules(claims, untaken, [&](Rule rule, const Claim& claim, Interval time) {
      pieces.add(rule, claim, time);
    });
    pieces.add_rest(untaken.gaps(), ends[track], last);
    all.push_back(pieces.in_order(timeline.end));
  }
  return all;
}

// What one track's step is charged to.
class Charged {
 public:
  explicit Charged(const std::vector<Pieces>& all)
      : all_(all), sums_(all.size() * ChargeNumbers::count) {}

  Charges of(std::int32_t track, Interval time) {
    charge(track, time, 0);
    Charges charges;
    for (const std::size_t place : touched_)
      charges[ChargeNumbers::charge(place % ChargeNumbers::count,
                                    static_cast<std::int32_t>(place / ChargeNumbers::count))] =
          std::exchange(sums_[place], Duration{});
    touched_.clear();
    return charges;
  }

 private:
  // Charges `time` of `track` to those who answer for it.
  void charge(std::int32_t track, Interval time, int hops) {
    if (time.begin >= time.end) return;
    const Pieces& pieces = all_[static_cast<std::size_t>(track)];
    auto piece = std::upper_bound(pieces.begin(), pieces.end(), Piece{time.begin}, earlier) - 1;
    for (; piece->begin < time.end; ++piece) {
      const Interval part{std::max(piece->begin, time.begin),
                          std::min((piece + 1)->begin, time.end)};
      if (piece->awaited == nobody || hops == most_hops)
        add(track, piece->charge, length(part));
      else
        charge(piece->awaited, part, hops + 1);
    }
  }

  void add(std::int32_t track, std::int32_t number, Duration time) {
    const std::size_t place =
        static_cast<std::size_t>(track) * ChargeNumbers::count + static_cast<std::size_t>(number);
    if (sums_[place] == Duration{}) touched_.push_back(place);
    sums_[place] += time;
  }

  const std::vector<Pieces>& all_;
  std::vector<Duration> sums_;        // by track and number
  std::vector<std::size_t> touched_;  // those that are not 0
};

}  // namespace

std::vector<Charges> charges(const Timeline& timeline, const RepeatedPart& repeated) {
  const std::vector<Pieces> pieces = pieces_of(timeline);
  Charged charged(pieces);
  std::vector<Charges> all;
  for (std::size_t track = 0; track < pieces.size(); ++track) {
    const auto of = [&](Interval time) {
      return charged.of(static_cast<std::int32_t>(track), time);
    };
    all.push_back(of({Instant{}, timeline.end}));
    if (repeated.times == 0) continue;
    for (const auto& [charge, time] : of({repeated.from, repeated.to}))
      all.back()[charge] += Duration{repeated.times * time.picoseconds};
  }
  return all;
}

}  // namespace quintet
