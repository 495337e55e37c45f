#include "traces/workload/own_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace quintet {

namespace {

constexpr std::array<std::pair<std::string_view, CollectiveKind>, 6> collective_words{{
    {"all-reduce", CollectiveKind::all_reduce},
    {"reduce-scatter", CollectiveKind::reduce_scatter},
    {"all-gather", CollectiveKind::all_gather},
    {"all-to-all", CollectiveKind::all_to_all},
    {"broadcast", CollectiveKind::broadcast},
    {"reduce", CollectiveKind::reduce},
}};

LaneKind kind_of_lane(const Timeline& timeline, int lane) {
  for (const SpanInfo& info : timeline.infos) {
    if (info.lane != lane) continue;
    if (is_communication(info.kind)) return LaneKind::communication;
    if (info.kind == SpanKind::copy) return LaneKind::copy;
    if (info.kind == SpanKind::host) return LaneKind::host;
    return LaneKind::compute;
  }
  return LaneKind::compute;
}

std::optional<Error> refusal(const Timeline& timeline, const std::string& where) {
  for (const Track& track : timeline.tracks)
    if (track.ranks > 1)
      return Error{where,
                   fmt::format("its track of rank {} stands for {} ranks, and a replay needs "
                               "each: write it with --trace-ranks 0-N",
                               track.rank.value, track.ranks)};
  if (!timeline.causes)
    return Error{
        where,
        "does not say what its spans waited for: it shows only some tracks, was written by "
        "quintet jobs or by an older quintet; write it again with quintet simulate --trace "
        "--trace-ranks or quintet run --timeline"};
  return std::nullopt;
}

class Conversion {
 public:
  explicit Conversion(const Timeline& timeline) : timeline_(timeline) {}

  Workload workload() {
    made_.name = timeline_.name;
    made_.recorded = true;
    made_.end = timeline_.end;
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane)
      made_.lanes.push_back(
          {kind_of_lane(timeline_, static_cast<int>(lane)), timeline_.lanes[lane]});
    made_.infos = timeline_.infos;
    name_groups();
    note_ends_of_messages();
    for (std::size_t first = 0, track = 0; track < timeline_.tracks.size(); ++track)
      first = add_rank(track, first);
    complete_groups(made_);
    return std::move(made_);
  }

 private:
  void name_groups() {
    for (const std::vector<Rank>& group : timeline_.causes->groups) {
      WorkloadGroup& fresh = made_.groups.emplace_back();
      fresh.name = fmt::format("{}", made_.groups.size() - 1);
      for (const Rank rank : group) fresh.members.push_back(rank.value);
    }
  }

  void note_ends_of_messages() {
    for (const Span& span : timeline_.spans) {
      if (span.flow < 0) continue;
      auto& [from, to] = ends_[span.flow];
      (info(span).kind == SpanKind::send ? from : to) = span.track;
    }
  }

  const SpanInfo& info(const Span& span) const {
    return timeline_.infos[static_cast<std::size_t>(span.info)];
  }

  std::size_t add_rank(std::size_t track, std::size_t first) {
    const Track& own = timeline_.tracks[track];
    WorkloadRank& rank = made_.ranks.emplace_back();
    rank.rank = own.rank;
    rank.stage = own.stage;
    rank.role = own.role;
    rank.host = own.host;
    std::size_t span = first;
    for (; span < timeline_.spans.size() &&
           timeline_.spans[span].track == static_cast<std::int32_t>(track);
         ++span)
      rank.add(task_of(rank, span), earlier(timeline_.causes->after[span], span - first));
    return span;
  }

  // Clocks of two ranks may differ, those of one do not: what a span waited for began before it.
  static std::vector<std::int32_t> earlier(std::vector<std::int32_t> others, std::size_t position) {
    std::erase_if(others,
                  [&](std::int32_t other) { return static_cast<std::size_t>(other) >= position; });
    return others;
  }

  WorkloadTask task_of(WorkloadRank& rank, std::size_t number) {
    const Span& span = timeline_.spans[number];
    WorkloadTask task{.info = span.info,
                      .start = span.start,
                      .moving = span.moving,
                      .end = span.end,
                      .layer = span.layer,
                      .micro_batch = span.micro_batch,
                      .chunk = span.chunk,
                      .bucket = span.bucket};
    const std::optional<TaskPeers> peers = peers_of(number);
    if (peers) {
      task.peers = static_cast<std::int32_t>(rank.peers.size());
      rank.peers.push_back(*peers);
    }
    if (!is_communication(info(span).kind)) task.work = span.end - span.start;
    return task;
  }

  std::optional<TaskPeers> peers_of(std::size_t number) {
    const Span& span = timeline_.spans[number];
    if (info(span).kind == SpanKind::collective) {
      const std::int32_t group = timeline_.causes->group[number];
      if (group < 0) return std::nullopt;
      return TaskPeers{.collective = collective_named(info(span).name),
                       .group = group,
                       .sequence = timeline_.causes->use[number]};
    }
    const auto ends = ends_.find(span.flow);
    if (span.flow < 0 || ends == ends_.end()) return std::nullopt;
    const auto& [from, to] = ends->second;
    if (from < 0 || to < 0) return std::nullopt;
    return TaskPeers{.sequence = 0, .peer = span.track == from ? to : from, .tag = span.flow};
  }

  const Timeline& timeline_;
  Workload made_;
  struct Ends {
    std::int32_t from = -1, to = -1;
  };
  std::unordered_map<std::int32_t, Ends> ends_;  // by flow: tracks
};

}  // namespace

CollectiveKind collective_named(std::string_view name) {
  for (const auto& [word, kind] : collective_words)
    if (name.starts_with(word)) return kind;
  return CollectiveKind::all_reduce;
}

Result<Workload> workload_of(const Timeline& timeline, const std::string& where) {
  if (const auto error = refusal(timeline, where)) return *error;
  return Conversion(timeline).workload();
}

}  // namespace quintet
