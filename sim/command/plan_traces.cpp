#include "sim/command/plan_traces.h"

#include <fmt/format.h>

#include <cstdio>

#include "sim/timeline/causes_of_spans.h"
#include "sim/timeline/chosen_ranks.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"

namespace quintet {

namespace {

// About 400 MB of trace; viewers in a browser give up at 2 GB of memory (Chromium's limit for one
// tab).
constexpr std::size_t most_spans = 2'000'000;

Timeline chosen_timeline(const TraceWish& wish, const Prediction& prediction) {
  if (wish.ranks.empty()) return with_fewer_tracks(prediction.timeline, most_spans);
  const Result<std::vector<int>> ranks = parse_ranks(wish.ranks);  // missing_rank() has read them
  return with_ranks(prediction.timeline, ranks ? *ranks : std::vector<int>{},
                    prediction.track_of_rank);
}

}  // namespace

std::optional<Error> missing_rank(const TraceWish& wish, const std::vector<PlanInput>& plans) {
  if (wish.ranks.empty()) return std::nullopt;
  if (wish.file.empty()) return Error{"--trace-ranks", "says what --trace shows, add it"};
  const Result<std::vector<int>> ranks = parse_ranks(wish.ranks);
  if (!ranks) return ranks.error();
  for (const PlanInput& input : plans)
    for (const int rank : *ranks)
      if (const int all = world_size(input.plan.parallelism); rank >= all)
        return Error{"--trace-ranks",
                     fmt::format("{} has ranks 0 to {}, found {}", input.file, all - 1, rank)};
  return std::nullopt;
}

std::optional<Error> write_traces(const TraceWish& wish, const ReportInput& report,
                                  const std::vector<std::filesystem::path>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Timeline& whole = report.plans[i].prediction.timeline;
    const Prediction& prediction = report.plans[i].prediction;
    const Timeline timeline = with_causes(chosen_timeline(wish, prediction), prediction.program);
    const auto written = write_chrome_trace(files[i], timeline);
    if (!written) return written.error();
    if (wish.quiet) continue;
    std::fprintf(stderr, "Trace of %s: %s (%zu spans; open it in ui.perfetto.dev)\n",
                 report.plans[i].name.c_str(), files[i].c_str(), timeline.spans.size());
    if (wish.ranks.empty() && timeline.tracks.size() < whole.tracks.size())
      std::fprintf(stderr,
                   "It shows %zu of %zu tracks: all %zu spans would be too much for a viewer.\n",
                   timeline.tracks.size(), whole.tracks.size(), whole.spans.size());
  }
  return std::nullopt;
}

}  // namespace quintet
