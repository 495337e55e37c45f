#include "calibrate/probes/step_margins.h"

#include <algorithm>
#include <map>

#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

// These are the gaps on each rank's compute lane, in order of start. What took no time launched no
// kernel.
std::vector<Seconds> gaps_between(const Timeline& timeline) {
  std::map<std::int32_t, std::vector<Span>> tracks;
  for (const Span& span : timeline.spans)
    if (timeline.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::compute &&
        span.end > span.start)
      tracks[span.track].push_back(span);
  std::vector<Seconds> gaps;
  for (auto& [track, spans] : tracks) {
    std::sort(spans.begin(), spans.end(),
              [](const Span& left, const Span& right) { return left.start < right.start; });
    for (std::size_t next = 1; next < spans.size(); ++next)
      gaps.push_back(std::max(Seconds{}, seconds(spans[next].start - spans[next - 1].end)));
  }
  return gaps;
}

Seconds first_start(const Timeline& timeline) {
  Instant first = timeline.end;
  for (const Span& span : timeline.spans)
    if (span.end > span.start) first = std::min(first, span.start);
  return seconds(first - Instant{});
}

// From the first step's beginning to the last span's end, in the median recorded step: what is left
// of its time comes after the last kernel.
Seconds until_last_end(const Measurement& measurement) {
  std::vector<Seconds> times;
  for (const StepTime& each : measurement.steps) times.push_back(seconds(each.time));
  return lower_median(std::move(times));
}

}  // namespace

std::optional<StepMargins> margins_of(const Timeline& timeline, const MeasuredSteps& measured) {
  const std::vector<Seconds> gaps = gaps_between(timeline);
  if (gaps.empty() || !timeline.measurement || timeline.measurement->steps.empty() ||
      !measured.device || !(measured.device->unrecorded > Seconds{}))
    return std::nullopt;
  const Seconds after = measured.device->recorded - until_last_end(*timeline.measurement);
  const Seconds between = median(measured) - measured.device->unrecorded;
  return StepMargins{lower_median(gaps), first_start(timeline) + std::max(Seconds{}, after) +
                                       std::max(Seconds{}, between)};
}

std::optional<StepMargins> median_margins(const std::vector<StepMargins>& all) {
  if (all.empty()) return std::nullopt;
  std::vector<Seconds> gaps, around;
  for (const StepMargins& each : all) {
    gaps.push_back(each.gap);
    around.push_back(each.around);
  }
  return StepMargins{lower_median(std::move(gaps)), lower_median(std::move(around))};
}

}  // namespace quintet::calibrate
