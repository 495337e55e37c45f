#include "sim/explain/difference/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "sim/explain/difference/comparison.h"

namespace quintet {

namespace {

// What of the step each layer of the stack is to explain. Once data moves, a timeline does not show
// what ccl, intra_inter, host_net and network add to it.
std::vector<DifferencePart> by_stack(const RankBreakdown& predicted,
                                     const RankBreakdown& measured) {
  const auto collectives = [](const RankBreakdown& rank) {
    return std::accumulate(rank.exposed.begin(), rank.exposed.end(), Duration{}) -
           rank.exposed[static_cast<std::size_t>(Axis::pipeline)];
  };
  const auto between_stages = [](const RankBreakdown& rank) {
    return rank.exposed[static_cast<std::size_t>(Axis::pipeline)];
  };
  const auto part = [&](const char* name, auto row) {
    return DifferencePart{name, {row(predicted), row(measured)}};
  };
  using Row = const RankBreakdown&;
  return {part("kernels (below the stack)", [](Row rank) { return rank.compute; }),
          part("parallelism: bubble, waiting for peers",
               [](Row rank) { return rank.bubble + rank.waiting; }),
          part("ccl, intra_inter, network: collectives move", collectives),
          part("network: between stages", between_stages),
          part("host_net: copies, host", [](Row rank) { return rank.copy + rank.host; }),
          part("idle", [](Row rank) { return rank.idle; })};
}

RankTime rank_count(const Timeline& timeline) {
  return std::accumulate(timeline.tracks.begin(), timeline.tracks.end(), RankTime{0},
                         [](RankTime sum, const Track& track) { return sum + track.ranks; });
}

// Where every rank's host is known.
std::vector<HostDifference> by_host(const Timeline& measured,
                                    const std::vector<RankDifference>& ranks) {
  std::map<std::string, std::array<std::vector<RankBreakdown>, 2>> hosts;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string& host = measured.tracks[i].host;
    if (host.empty()) return {};
    if (!hosts.contains(host)) order.push_back(host);
    hosts[host][0].push_back(ranks[i].predicted);
    hosts[host][1].push_back(ranks[i].measured);
  }
  std::vector<HostDifference> all;
  for (const std::string& host : order)
    all.push_back({host, mean(hosts[host][0]), mean(hosts[host][1])});
  return all;
}

std::string count_text(const Timeline& timeline) {
  return fmt::to_string(static_cast<std::int64_t>(rank_count(timeline)));
}

// What the sums over ranks can hold; a file may say anything.
std::optional<Error> too_much(const Timeline& timeline) {
  constexpr RankTime most_ranks = 100'000'000, most_time = RankTime{1} << 61;
  if (rank_count(timeline) > most_ranks)
    return Error{"quintetTracks", "stand for more than 100 million ranks"};
  RankTime time = rank_time(timeline.end - Instant{}, 1);
  for (const Span& span : timeline.spans) time += rank_time(span.end - span.start, 1);
  for (const Duration cpu : timeline.cpu) time += rank_time(cpu, 1);
  if (time > most_time)
    return Error{"traceEvents", "last longer than 26 days together: too long to compare"};
  return std::nullopt;
}

std::string shown(const Timeline& timeline, std::size_t info) {
  if (info >= timeline.infos.size()) return "nothing";
  const SpanInfo& found = timeline.infos[info];
  if (!is_communication(found.kind))
    return fmt::format("\"{}\" ({})", found.name, name_of(found.kind));
  return fmt::format("\"{}\" ({}, {}, {} bytes)", found.name, name_of(found.kind),
                     name_of(found.axis), static_cast<std::int64_t>(found.size.value));
}

// How a collective goes is the executor's business, not the program's.
bool is_same(SpanInfo left, const SpanInfo& right) {
  left.detail = right.detail;
  return left == right;
}

std::optional<Error> other_program(const Timeline& predicted, const Timeline& measured) {
  const std::size_t most = std::max(predicted.infos.size(), measured.infos.size());
  for (std::size_t i = 0; i < most; ++i)
    if (i >= predicted.infos.size() || i >= measured.infos.size() ||
        !is_same(predicted.infos[i], measured.infos[i]))
      return Error{fmt::format("quintetInfos[{}]", i),
                   fmt::format("the two are not of one program: predicted has {}, measured {}; "
                               "expected the same plan and model in both",
                               shown(predicted, i), shown(measured, i))};
  if (rank_count(predicted) != rank_count(measured))
    return Error{"quintetTracks",
                 fmt::format("predicted are {} ranks, measured {}; expected the same plan in both",
                             count_text(predicted), count_text(measured))};
  return std::nullopt;
}

// The predicted track that shows a measured one.
std::optional<std::size_t> shown_by(const Timeline& predicted, const Track& track) {
  std::optional<std::size_t> best;
  const auto distance = [&](std::size_t index) {
    const std::int32_t ahead = track.rank.value - predicted.tracks[index].rank.value;
    return std::pair(ahead < 0, std::abs(static_cast<std::int64_t>(ahead)));
  };
  for (std::size_t i = 0; i < predicted.tracks.size(); ++i)
    if (predicted.tracks[i].stage == track.stage && (!best || distance(i) < distance(*best)))
      best = i;
  return best;
}

}  // namespace

Result<Difference> difference(const Timeline& predicted, const Timeline& measured) {
  if (const auto other = other_program(predicted, measured)) return *other;
  if (measured.tracks.empty()) return Error{"quintetTracks", "there is no rank to compare"};
  for (const Timeline* const side : {&predicted, &measured})
    if (const auto wrong = too_much(*side)) return *wrong;
  const std::vector<RankBreakdown> predicted_ranks = breakdowns(predicted);
  const std::vector<RankBreakdown> measured_ranks = breakdowns(measured);
  Comparison comparison(predicted, measured);
  std::vector<RankBreakdown> counterparts;
  Difference made;
  made.step = {predicted.end - Instant{}, measured.end - Instant{}};
  for (std::size_t i = 0; i < measured.tracks.size(); ++i) {
    const Track& track = measured.tracks[i];
    const auto found = shown_by(predicted, track);
    if (!found)
      return Error{"quintetTracks",
                   fmt::format("no predicted rank has stage {}, which measured rank {} has",
                               track.stage, track.rank.value)};
    counterparts.push_back(predicted_ranks[*found]);
    counterparts.back().ranks = track.ranks;
    made.per_rank.push_back({track.rank, predicted.tracks[*found].rank, track.stage,
                             counterparts.back(), measured_ranks[i]});
    comparison.add_rank(*found, i);
  }
  made.predicted = mean(counterparts);
  made.measured = mean(measured_ranks);
  made.stack = by_stack(made.predicted, made.measured);
  comparison.finish(made);
  made.per_host = by_host(measured, made.per_rank);
  made.causes = causes(predicted, measured, made);
  return made;
}

}  // namespace quintet
