#include "engine/adapt/told_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/timeline/measured_timeline.h"
#include "sim/program/groups.h"
#include "sim/program/tasks.h"
#include "sim/timeline/program_infos.h"

namespace quintet::engine {

namespace {

using PassKey = std::tuple<Phase, std::int32_t, std::int32_t>;  // micro-batch, chunk

void widen(ToldPass& pass, const Span& span) {
  pass.start = std::min(pass.start, span.start.picoseconds);
  pass.end = std::max(pass.end, span.end.picoseconds);
  ++pass.spans;
}

ToldPass told(const Span& span) {
  return {span.info, span.micro_batch, span.chunk, 1, span.start.picoseconds, span.end.picoseconds};
}

bool is_message(SpanKind kind) {
  return kind == SpanKind::send || kind == SpanKind::receive;
}

// Compute without a micro-batch (the update) and collectives tell only when the step was over.
std::vector<ToldPass> passes_of(const std::vector<SpanInfo>& infos, std::span<const Span> spans) {
  std::vector<ToldPass> all;
  std::map<PassKey, std::size_t> passes;
  const Span* last = nullptr;
  for (const Span& span : spans) {
    const SpanInfo& info = infos[static_cast<std::size_t>(span.info)];
    if (last == nullptr || last->end < span.end) last = &span;
    if (span.micro_batch < 0 || (info.kind != SpanKind::compute && !is_message(info.kind)))
      continue;
    if (is_message(info.kind)) {
      all.push_back(told(span));
      continue;
    }
    const auto [pass, fresh] =
        passes.try_emplace({info.phase, span.micro_batch, span.chunk}, all.size());
    if (fresh)
      all.push_back(told(span));
    else
      widen(all[pass->second], span);
  }
  if (last != nullptr)
    all.push_back({last->info, -1, 0, 1, last->end.picoseconds, last->end.picoseconds});
  return all;
}

RankSpans spans_of(Rank rank, std::span<const ToldPass> passes) {
  RankSpans spans{rank, {}};
  for (const ToldPass& pass : passes) {
    if (pass.info < 0) break;
    Span span;
    span.info = pass.info;
    span.micro_batch = pass.micro_batch;
    span.chunk = static_cast<std::int16_t>(pass.chunk);
    span.start = span.moving = Instant{pass.start};
    span.end = Instant{pass.end};
    spans.spans.push_back(span);
  }
  return spans;
}

bool are_of(std::span<const ToldPass> passes, std::size_t infos) {
  return std::all_of(passes.begin(), passes.end(), [&](const ToldPass& pass) {
    return pass.info < static_cast<std::int64_t>(infos) && pass.start <= pass.end;
  });
}

// The least that a message took from one track to another, by their own clocks.
using LeastTimes = std::map<std::pair<std::int32_t, std::int32_t>, Duration>;

LeastTimes least_times(const Timeline& timeline) {
  std::map<std::int32_t, const Span*> sends;
  for (const Span& span : timeline.spans)
    if (span.flow >= 0 &&
        timeline.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::send)
      sends[span.flow] = &span;
  LeastTimes least;
  for (const Span& span : timeline.spans) {
    const bool receives =
        timeline.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::receive;
    const auto send = receives ? sends.find(span.flow) : sends.end();
    if (send == sends.end()) continue;
    const Duration took = span.end - send->second->start;
    const auto [known, fresh] = least.try_emplace({send->second->track, span.track}, took);
    if (!fresh) known->second = std::min(known->second, took);
  }
  return least;
}

// By how much every track is to be moved to the clock of the first stage of its pipeline, whose
// step begins with it.
std::vector<Duration> clock_shifts(const Grid& grid, const Timeline& timeline) {
  const LeastTimes least = least_times(timeline);
  std::vector<Duration> shifts(timeline.tracks.size());
  const int stages = size_of(grid, Axis::pipeline);
  for (int stage = 1; stage < stages; ++stage)
    for (std::size_t track = 0; track < shifts.size(); ++track) {
      if (timeline.tracks[track].stage != stage) continue;
      const Rank before = neighbour(grid, timeline.tracks[track].rank, Axis::pipeline, -1);
      const auto here = static_cast<std::int32_t>(track), there = before.value;
      const auto forward = least.find({there, here}), backward = least.find({here, there});
      if (forward == least.end() || backward == least.end()) continue;
      const std::int64_t apart = backward->second.picoseconds - forward->second.picoseconds;
      shifts[track] = shifts[before.index()] + Duration{apart / 2};
    }
  return shifts;
}

}  // namespace

std::size_t told_passes_of(const Parallelism& parallelism) {
  constexpr std::size_t kinds = 4 + 4;  // F, recompute, B and W; sent and received both ways
  return kinds * static_cast<std::size_t>(parallelism.micro_batches) *
             static_cast<std::size_t>(parallelism.virtual_stages) +
         1;
}

std::vector<ToldPass> told_passes(const Program& program, std::span<const Span> spans,
                                  std::size_t count) {
  std::vector<ToldPass> passes = passes_of(program_infos(program), spans);
  passes.resize(count);
  return passes;
}

Result<Timeline> told_timeline(const Program& program, std::span<const ToldPass> all) {
  const auto world = static_cast<std::size_t>(world_size(program.grid));
  const std::size_t each = all.size() / world, infos = all_instructions(program).size();
  std::vector<RankSpans> ranks;
  for (std::size_t rank = 0; rank < world; ++rank) {
    const std::span<const ToldPass> passes = all.subspan(rank * each, each);
    if (!are_of(passes, infos))
      return Error{fmt::format("rank {}", rank), "tells of passes of another program"};
    ranks.push_back(spans_of(id_at<Rank>(rank), passes));
  }
  Timeline timeline = measured_timeline(program, ranks);
  const std::vector<Duration> shifts = clock_shifts(program.grid, timeline);
  timeline.end = {};
  for (Span& span : timeline.spans) {
    const Duration shift = shifts[static_cast<std::size_t>(span.track)];
    span.start = span.start + shift;
    span.moving = span.moving + shift;
    span.end = span.end + shift;
    timeline.end = std::max(timeline.end, span.end);
  }
  return timeline;
}

}  // namespace quintet::engine
