// The rules of breakdown.h at work: what each rank's spans ask for, and who gets which instant.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/explain/stage_activity.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct Claim {
  Interval time;
  const SpanInfo* info = nullptr;  // none: a host gap
  std::int64_t span = -1;          // likewise
};
using Claims = std::vector<Claim>;

// What one track asks for.
struct RankClaims {
  Claims compute, gaps, moving, waiting, starved, sending, copy, host;
  std::array<Claims, axis_count> moving_by_axis;
  Interval pipeline_work{{INT64_MAX}, {INT64_MIN}};  // first forward to last backward
};

// Which spans and host gaps of a timeline are each track's. Nothing is kept per span where they
// come by track, as timelines promise.
class TrackRanges {
 public:
  explicit TrackRanges(const Timeline& timeline);

  // What a track asks for. One at a time: those of a long step are as large as its spans. The infos
  // are the timeline's.
  RankClaims claims(std::size_t track) const;

 private:
  struct Ranges {
    std::vector<std::size_t> begins;  // per track, and where the last one's end
    std::vector<std::size_t> order;   // of items by track; empty: they come so
  };
  template <class Item>
  static Ranges ranges_of(const std::vector<Item>& items, std::size_t tracks);
  // Tells `each` the numbers of the track's items.
  template <class Each>
  static void visit(const Ranges& ranges, std::size_t track, Each each);

  const Timeline& timeline_;
  Ranges spans_, gaps_;
};

// The parts of a step, or of some time of it, that no rule has taken yet, in order of time.
class Untaken {
 public:
  explicit Untaken(Interval of) : gaps_{of} {}

  const std::vector<Interval>& gaps() const { return gaps_; }

  // Gives each free instant to the claim that began first, and tells `taken` about every piece.
  template <class Taken>
  void take(Claims& claims, Taken taken) {
    const auto earlier = [](const Claim& left, const Claim& right) {
      return left.time.begin < right.time.begin;
    };
    if (!std::is_sorted(claims.begin(), claims.end(), earlier))
      std::stable_sort(claims.begin(), claims.end(), earlier);
    std::vector<Interval> left;
    auto claim = claims.cbegin();
    for (const Interval& gap : gaps_) take_from(gap, claim, claims.cend(), left, taken);
    gaps_ = std::move(left);
  }

 private:
  template <class Taken>
  static void take_from(Interval gap, Claims::const_iterator& claim, Claims::const_iterator last,
                        std::vector<Interval>& left, Taken taken) {
    while (gap.begin < gap.end) {
      while (claim != last && claim->time.end <= gap.begin) ++claim;
      const Instant begin = claim == last ? gap.end : std::min(claim->time.begin, gap.end);
      if (begin > gap.begin) left.push_back({gap.begin, begin});
      gap.begin = std::max(gap.begin, begin);
      if (gap.begin == gap.end) return;
      const Instant end = std::min(claim->time.end, gap.end);
      taken(*claim, Interval{gap.begin, end});
      gap.begin = end;
    }
  }

  std::vector<Interval> gaps_;
};

enum class Rule { compute, gap, moving, waiting, starved, sending, copy, host };

// Rules 1 to 8, in their order: `taken(rule, claim, interval)` hears of every piece.
template <class Taken>
void apply_rules(RankClaims& claims, Untaken& untaken, Taken taken) {
  const std::array<std::pair<Rule, Claims*>, 8> order{{{Rule::compute, &claims.compute},
                                                       {Rule::gap, &claims.gaps},
                                                       {Rule::moving, &claims.moving},
                                                       {Rule::waiting, &claims.waiting},
                                                       {Rule::starved, &claims.starved},
                                                       {Rule::sending, &claims.sending},
                                                       {Rule::copy, &claims.copy},
                                                       {Rule::host, &claims.host}}};
  for (const auto& [rule, ruled] : order)
    untaken.take(*ruled, [&taken, rule = rule](const Claim& claim, Interval time) {
      taken(rule, claim, time);
    });
}

}  // namespace quintet
