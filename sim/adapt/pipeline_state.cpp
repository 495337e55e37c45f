#include "sim/adapt/pipeline_state.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace quintet {

namespace {

enum class PassPart { forward, input_gradient, weight_gradient, backward };

std::optional<PassPart> part_of(const SpanInfo& info) {
  if (info.kind != SpanKind::compute) return std::nullopt;
  switch (info.phase) {
    case Phase::forward:
      return PassPart::forward;
    case Phase::recompute:
    case Phase::input_gradient:
      return PassPart::input_gradient;
    case Phase::weight_gradient:
      return PassPart::weight_gradient;
    case Phase::backward:
      return PassPart::backward;
    case Phase::update:
      return std::nullopt;
  }
  return std::nullopt;
}

struct Extent {
  Instant begin, end;
};

Seconds median(std::vector<Duration> times) {
  if (times.empty()) return {};
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return seconds(*middle);
}

class Reading {
 public:
  Reading(const Timeline& timeline, int stages)
      : timeline_(timeline), stages_(static_cast<std::size_t>(stages)) {
    for (const Span& span : timeline.spans) add(span);
  }

  PipelineState state() const {
    PipelineState state;
    state.stages.resize(stages_);
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      const Seconds whole = usual(stage, PassPart::backward);
      state.stages[stage] = {usual(stage, PassPart::forward),
                             usual(stage, PassPart::input_gradient) + 0.5 * whole,
                             usual(stage, PassPart::weight_gradient) + 0.5 * whole,
                             {}};
    }
    state.rest = seconds(timeline_.end - last_);
    state.messages.resize(links());
    state.sends.resize(links());
    for (const auto& [flow, send] : sends_) add_message(flow, *send, state);
    return state;
  }

 private:
  std::size_t stage_of(const Span& span) const {
    return static_cast<std::size_t>(timeline_.tracks[static_cast<std::size_t>(span.track)].stage);
  }

  void add(const Span& span) {
    const SpanInfo& info = timeline_.infos[static_cast<std::size_t>(span.info)];
    if (info.kind == SpanKind::send && span.flow >= 0) sends_[span.flow] = &span;
    if (info.kind == SpanKind::receive && span.flow >= 0) receives_[span.flow] = &span;
    const std::optional<PassPart> part = part_of(info);
    if (!part || span.micro_batch < 0) return;
    const auto [pass, fresh] = passes_.try_emplace(
        {span.track, *part, span.micro_batch, span.chunk}, Extent{span.start, span.end});
    pass->second.begin = std::min(pass->second.begin, span.start);
    pass->second.end = std::max(pass->second.end, span.end);
    last_ = std::max(last_, span.end);
  }

  Seconds usual(std::size_t stage, PassPart part) const {
    std::vector<Duration> times;
    for (const auto& [pass, extent] : passes_) {
      const auto& [track, of, micro_batch, chunk] = pass;
      const int its = timeline_.tracks[static_cast<std::size_t>(track)].stage;
      if (of == part && static_cast<std::size_t>(its) == stage)
        times.push_back(extent.end - extent.begin);
    }
    return median(std::move(times));
  }

  std::size_t links() const { return stages_ > 0 ? stages_ - 1 : 0; }

  void add_message(std::int32_t flow, const Span& send, PipelineState& state) const {
    const auto receive = receives_.find(flow);
    if (receive == receives_.end()) return;
    const std::size_t from = stage_of(send), to = stage_of(*receive->second);
    const bool neighbours = from + 1 == to || to + 1 == from;
    // Nobody knows when a message arrived that lay there before its receiver came.
    if (!neighbours || receive->second->start > send.start) return;
    const std::size_t link = std::min(from, to);
    lower(state.messages[link], seconds(receive->second->end - send.start));
    lower(state.sends[link], seconds(send.end - send.start));
  }

  static void lower(std::optional<Seconds>& least, Seconds took) {
    least = least ? std::min(*least, took) : took;
  }

  const Timeline& timeline_;
  const std::size_t stages_;
  std::map<std::tuple<std::int32_t, PassPart, std::int32_t, std::int16_t>, Extent> passes_;
  Instant last_;  // the end of the last pass
  std::map<std::int32_t, const Span*> sends_, receives_;
};

}  // namespace

PipelineState pipeline_state(const Timeline& timeline, int stages) {
  return Reading(timeline, stages).state();
}

}  // namespace quintet
