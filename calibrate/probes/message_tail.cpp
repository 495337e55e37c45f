#include "calibrate/probes/message_tail.h"

#include <algorithm>
#include <cstddef>

#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

SpanKind kind_of(const Timeline& timeline, const Span& span) {
  return timeline.infos[static_cast<std::size_t>(span.info)].kind;
}

struct OwnThreads {
  Duration computed;
  int operators = 0;
};

OwnThreads own_threads(const Timeline& timeline) {
  OwnThreads all;
  for (std::size_t index = 0; index < timeline.spans.size(); ++index) {
    all.computed = all.computed + timeline.cpu[index];
    if (kind_of(timeline, timeline.spans[index]) == SpanKind::compute) ++all.operators;
  }
  return all;
}

std::optional<Duration> processors_in_step(const Measurement& measurement) {
  for (const StepTime& each : measurement.steps)
    if (each.step == measurement.step && each.processors > Duration{}) return each.processors;
  return std::nullopt;
}

// Sums of losses and norms are as small; they come once in a step.
constexpr Bytes few{1024};

}  // namespace

// A thread that lost its core in between shows more: the median knows of none.
Duration time_between_operators(const Timeline& timeline) {
  if (timeline.cpu.size() != timeline.spans.size()) return {};
  std::vector<Duration> times;
  const Span* before = nullptr;
  Duration computed;
  for (std::size_t index = 0; index < timeline.spans.size(); ++index) {
    const Span& span = timeline.spans[index];
    if (kind_of(timeline, span) != SpanKind::compute) continue;
    if (before != nullptr && before->track == span.track)
      times.push_back(span.start - before->start - computed);
    before = &span;
    computed = timeline.cpu[index];
  }
  return times.empty() ? Duration{} : std::max(Duration{}, lower_median(std::move(times)));
}

std::optional<BesideOperators> beside_operators(const Timeline& timeline) {
  if (!timeline.measurement || timeline.cpu.size() != timeline.spans.size()) return std::nullopt;
  const std::optional<Duration> processors = processors_in_step(*timeline.measurement);
  if (!processors) return std::nullopt;
  BesideOperators found;
  for (const Span& span : timeline.spans) {
    const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
    if (info.kind == SpanKind::send) {
      ++found.messages;
      found.size = info.size;
    } else if (info.kind == SpanKind::collective && info.size > few) {
      return std::nullopt;
    }
  }
  if (found.messages == 0) return std::nullopt;
  const OwnThreads own = own_threads(timeline);
  const Duration between{own.operators * time_between_operators(timeline).picoseconds};
  found.time = std::max(Seconds{}, seconds(*processors - own.computed - between));
  return found;
}

void set_message_tail(const std::vector<BesideOperators>& runs, ProcessorCosts& costs) {
  std::vector<Seconds> tails;
  for (const BesideOperators& run : runs) {
    const Seconds priced = costs.message_work + run.size / costs.message_rate;
    tails.push_back(std::max(Seconds{}, run.time / run.messages - priced));
  }
  if (!tails.empty()) costs.message_tail = lower_median(std::move(tails));
}

}  // namespace quintet::calibrate
