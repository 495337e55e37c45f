#include "sim/explain/path/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/explain/difference/awaited_peers.h"

namespace quintet {

namespace {

// A span or a launch gap, cut to the step.
struct Ended {
  Instant from, to;
  std::int64_t span = -1;
};

PathKind kind_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
      return PathKind::compute;
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      return PathKind::moving;
    case SpanKind::copy:
      return PathKind::copy;
    case SpanKind::host:
      return PathKind::host;
  }
  return PathKind::nothing;
}

// Groups on the pipeline axis are of several stages, whose scripts number their instructions apart.
std::vector<std::int32_t> same_collectives(const Timeline& timeline) {
  std::vector<std::int32_t> same;
  std::map<std::string, std::int32_t> first;
  for (const SpanInfo& info : timeline.infos) {
    const auto own = static_cast<std::int32_t>(same.size());
    const bool shared = info.kind == SpanKind::collective && info.axis == Axis::pipeline;
    same.push_back(shared ? first.try_emplace(info.name, own).first->second : own);
  }
  return same;
}

class Walk {
 public:
  explicit Walk(const Timeline& timeline)
      : timeline_(timeline), peers_(timeline, same_collectives(timeline)) {
    collect();
  }

  std::vector<PathPiece> back_from_the_end() {
    if (timeline_.tracks.empty()) return {};
    track_ = last_to_end();
    at_ = timeline_.end;
    while (at_ > Instant{}) step();
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  void collect() {
    ended_.resize(timeline_.tracks.size());
    const auto add = [this](std::int32_t track, Instant from, Instant to, std::int64_t span) {
      from = std::max(from, Instant{});
      if (from < to && to <= timeline_.end)
        ended_[static_cast<std::size_t>(track)].push_back({from, to, span});
    };
    for (std::size_t number = 0; number < timeline_.spans.size(); ++number) {
      const Span& span = timeline_.spans[number];
      // What lasts beyond the step is cut off by it.
      add(span.track, span.start, std::min(span.end, timeline_.end),
          static_cast<std::int64_t>(number));
    }
    for (const HostGap& gap : timeline_.host_gaps)
      add(gap.track, gap.start, std::min(gap.end, timeline_.end), -1);
    for (std::vector<Ended>& of_track : ended_)
      std::stable_sort(of_track.begin(), of_track.end(),
                       [](const Ended& one, const Ended& other) { return one.to < other.to; });
  }

  std::int32_t last_to_end() const {
    const auto end_of = [](const std::vector<Ended>& of_track) {
      return of_track.empty() ? Instant{} : of_track.back().to;
    };
    const auto latest = std::max_element(
        ended_.begin(), ended_.end(),
        [&](const auto& one, const auto& other) { return end_of(one) < end_of(other); });
    return static_cast<std::int32_t>(latest - ended_.begin());
  }

  const SpanInfo& info_of(std::int64_t span) const {
    const Span& of = timeline_.spans[static_cast<std::size_t>(span)];
    return timeline_.infos[static_cast<std::size_t>(of.info)];
  }

  // Less is better, among those that end together: a launch gap says itself that it is the cause.
  std::tuple<int, std::int64_t> rank_of(const Ended& ended) const {
    if (ended.span < 0) return {0, -1};
    const SpanInfo& info = info_of(ended.span);
    if (info.lane == lane_) return {1, ended.span};
    return {info.kind == SpanKind::compute ? 2 : 3, ended.span};
  }

  // What ended last, at `at_` or before it; none: the rank has done nothing yet.
  const Ended* before() const {
    const std::vector<Ended>& all = ended_[static_cast<std::size_t>(track_)];
    auto after = std::upper_bound(all.begin(), all.end(), at_,
                                  [](Instant at, const Ended& each) { return at < each.to; });
    if (after == all.begin()) return nullptr;
    const Ended* best = &*--after;
    for (; after != all.begin() && (after - 1)->to == best->to; --after)
      if (rank_of(*(after - 1)) < rank_of(*best)) best = &*(after - 1);
    return best;
  }

  void step() {
    const Ended* const cause = before();
    if (cause == nullptr || cause->to < at_) {
      take(PathKind::nothing, -1, cause == nullptr ? Instant{} : cause->to);
      return;
    }
    if (cause->span < 0) return take(PathKind::host, -1, cause->from);
    const SpanInfo& info = info_of(cause->span);
    lane_ = info.lane;
    if (!is_communication(info.kind)) return take(kind_of(info.kind), cause->span, cause->from);
    communicate(*cause);
  }

  // Back to the peer that came last, or to the beginning where nobody was waited for.
  void communicate(const Ended& cause) {
    const Span& span = timeline_.spans[static_cast<std::size_t>(cause.span)];
    if (span.moving <= span.start) return take(PathKind::moving, cause.span, cause.from);
    const Awaited awaited = peers_.of(static_cast<std::size_t>(cause.span));
    // What a receive waits for was sent, at times before it was posted. What takes no time may be
    // followed through every track once: clocks that disagree would have it go round.
    const bool receives = info_of(cause.span).kind == SpanKind::receive;
    const bool at_once = awaited.comes == at_ && jumps_ < timeline_.tracks.size();
    const bool known = awaited.track != nobody && awaited.track != span.track &&
                       (receives || awaited.comes > span.start) && (awaited.comes < at_ || at_once);
    if (!known) {
      if (span.moving > Instant{} && span.moving < at_)
        take(PathKind::moving, cause.span, span.moving);
      if (at_ > cause.from) take(PathKind::waiting, cause.span, cause.from);
      return;
    }
    if (at_once)
      ++jumps_;
    else
      take(PathKind::moving, cause.span, std::max(awaited.comes, Instant{}));
    track_ = awaited.track;
    lane_ = no_lane;
  }

  void take(PathKind kind, std::int64_t span, Instant from) {
    path_.push_back({kind, track_, span, from, at_});
    at_ = from;
    jumps_ = 0;
  }

  static constexpr int no_lane = -1;

  const Timeline& timeline_;
  Peers peers_;
  std::vector<std::vector<Ended>> ended_;  // per track, in order of their ends
  std::vector<PathPiece> path_;
  std::int32_t track_ = 0;
  int lane_ = no_lane;
  std::size_t jumps_ = 0;  // between tracks since time last went back
  Instant at_;
};

std::string name_of(const Timeline& timeline, const PathPiece& piece) {
  if (piece.span < 0) return piece.kind == PathKind::host ? "launch gap" : "nothing shown";
  const Span& span = timeline.spans[static_cast<std::size_t>(piece.span)];
  const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
  if (piece.kind == PathKind::compute) return fmt::format("compute, {}", name_of(info.phase));
  if (is_communication(info.kind))
    return fmt::format("{}, {}{}", name_of(info.axis), name_of(info.kind),
                       piece.kind == PathKind::waiting ? ", waiting" : "");
  return std::string(name_of(info.kind));
}

}  // namespace

std::string_view name_of(PathKind kind) {
  switch (kind) {
    case PathKind::compute:
      return "compute";
    case PathKind::moving:
      return "communication";
    case PathKind::waiting:
      return "waiting";
    case PathKind::copy:
      return "copy";
    case PathKind::host:
      return "host";
    case PathKind::nothing:
      return "nothing";
  }
  return "";
}

std::vector<PathPiece> critical_path(const Timeline& timeline) {
  return Walk(timeline).back_from_the_end();
}

std::vector<PathShare> path_shares(const Timeline& timeline, const std::vector<PathPiece>& path) {
  std::map<std::string, PathShare> by_name;
  for (const PathPiece& piece : path) {
    const std::string name = name_of(timeline, piece);
    PathShare& share = by_name.try_emplace(name, PathShare{name, piece.kind, {}, 0}).first->second;
    share.time += piece.to - piece.from;
    ++share.pieces;
  }
  std::vector<PathShare> shares;
  for (auto& [name, share] : by_name) shares.push_back(std::move(share));
  std::stable_sort(shares.begin(), shares.end(), [](const PathShare& one, const PathShare& other) {
    return one.time > other.time;
  });
  return shares;
}

std::size_t longest_piece(const Timeline& timeline, const std::vector<PathPiece>& path,
                          const PathShare& share) {
  std::size_t longest = 0;
  Duration most{-1};
  for (std::size_t number = 0; number < path.size(); ++number) {
    const Duration length = path[number].to - path[number].from;
    if (length <= most || name_of(timeline, path[number]) != share.name) continue;
    longest = number;
    most = length;
  }
  return longest;
}

}  // namespace quintet
