#include "sim/explain/pictures/step_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sim/base/text_table.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/shown_times.h"
#include "sim/picture/fill_bars.h"
#include "sim/picture/lanes.h"

namespace quintet {

namespace {

ShownNumber shown_time(Duration time, int decimals) {
  return {milliseconds(time), fixed(milliseconds(time), decimals),
          fmt::to_string(time.picoseconds)};
}

ShownNumber shown_time(Seconds time, int decimals) {
  return {1e3 * time.value, fixed(1e3 * time.value, decimals), fmt::format("{}", time.value)};
}

// What sums to the step: rows of level 0 but the last.
std::vector<BreakdownRow> parts_of(const RankBreakdown& mean) {
  std::vector<BreakdownRow> parts = rows_of(mean);
  parts.pop_back();
  std::erase_if(parts, [](const BreakdownRow& row) { return row.level != 0; });
  return parts;
}

// Computing has the plain colour; seven parts, seven looks.
constexpr std::array looks{Look::blue, Look::vermillion, Look::yellow, Look::purple,
                           Look::sky,  Look::green,      Look::grey,   Look::orange};

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

ShownNumber shown_size(Bytes size) {
  return {size.value / gibibyte, fixed(size.value / gibibyte, 2),
          fmt::format("{:.0f}", size.value)};
}

StackedBar memory_bar(const RankMemory& rank) {
  StackedBar bar{fmt::format("stage {}, rank {}", rank.stage, rank.rank.value), {}, {}, {}};
  for (const Bytes size : {rank.weights, rank.gradients, rank.optimizer, rank.activations,
                           rank.logits, rank.communication, rank.framework})
    bar.parts.push_back(shown_size(size));
  bar.whole = shown_size(total(rank));
  return bar;
}

}  // namespace

StackedBars step_bars(const PictureName& picture, std::span<const StepBar> steps) {
  StackedBars all{picture.name, picture.title, "ms", {}, {}, "step"};
  Duration longest;
  for (const StepBar& step : steps) longest = std::max(longest, step.mean.step);
  const int decimals = std::min(3, decimals_for(milliseconds(longest)));
  for (const StepBar& step : steps) {
    StackedBar bar{step.name, {}, shown_time(step.mean.step, decimals), {}};
    const std::vector<BreakdownRow> parts = parts_of(step.mean);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (all.parts.size() <= part) all.parts.push_back({parts[part].name, looks.at(part)});
      bar.parts.push_back(shown_time(parts[part].time, decimals));
    }
    if (step.interval)
      bar.interval = {shown_time(step.interval->first, decimals),
                      shown_time(step.interval->second, decimals)};
    all.bars.push_back(std::move(bar));
  }
  return all;
}

Picture ranks_picture(const PictureName& picture, const Timeline& timeline) {
  Lanes lanes{picture.name, picture.title, "ms", {}, milliseconds(timeline.end - Instant{})};
  for (const Track& track : timeline.tracks)
    lanes.lanes.push_back(
        {(track.rank.value < 10000 ? "rank " : "") + fmt::to_string(track.rank.value),
         {{"computes", Look::blue, {}}, {"moves data", Look::vermillion, {}}}});
  for (const Span& span : timeline.spans) {
    const SpanKind kind = timeline.infos[static_cast<std::size_t>(span.info)].kind;
    const bool computes = kind == SpanKind::compute;
    if ((!computes && !is_communication(kind)) ||
        static_cast<std::size_t>(span.track) >= most_lanes)
      continue;
    lanes.lanes[static_cast<std::size_t>(span.track)].strips[computes ? 0 : 1].spans.emplace_back(
        milliseconds(span.moving - Instant{}), milliseconds(span.end - Instant{}));
  }
  Picture drawn = draw(lanes);
  const bool folded = std::any_of(timeline.tracks.begin(), timeline.tracks.end(),
                                  [](const Track& track) { return track.ranks > 1; });
  if (folded) drawn.notes.push_back("A rank stands for all that do the same at the same time.");
  return drawn;
}

std::optional<Picture> memory_picture(const PictureName& picture, const MemoryReport& memory) {
  if (memory.capacity.value <= 0 || memory.ranks.empty()) return std::nullopt;
  FillBars bars{picture.name, picture.title, "GiB", {}, {}, shown_size(memory.capacity),
                "capacity"};
  constexpr std::array kinds{"weights", "gradients",     "optimizer", "activations",
                             "logits",  "communication", "framework"};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    bars.parts.push_back({kinds.at(kind), looks.at(kind)});
  std::map<int, RankMemory> fullest_of_stage;
  for (const RankMemory& rank : memory.ranks) {
    const auto [known, is_new] = fullest_of_stage.try_emplace(rank.stage, rank);
    if (!is_new && total(known->second) < total(rank)) known->second = rank;
  }
  for (const auto& [stage, rank] : fullest_of_stage) bars.bars.push_back(memory_bar(rank));
  return draw(bars);
}

}  // namespace quintet
