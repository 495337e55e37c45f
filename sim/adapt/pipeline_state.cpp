#include "sim/adapt/pipeline_state.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
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

// From the first kernel of a pass to its last, and what its kernels alone took.
struct Extent {
  Instant begin, end;
  Duration busy;
};

Extent together(const Extent& one, const Extent& other) {
  return {std::min(one.begin, other.begin), std::max(one.end, other.end), one.busy + other.busy};
}

Duration length(const Extent& pass) {
  return pass.end - pass.begin;
}

struct Split {
  Duration input_gradient, weight_gradient;
};

// Of a backward whose kernels of B and W lie between each other, so that both reach over the whole
// of it. What is no kernel of W is B: tensor ranks exchange only what B needs or makes. Where
// kernels are not told apart (whoever tells of passes alone), both have half.
Split split_backward(const Extent& b, const Extent& w) {
  const Duration whole = length(together(b, w));
  if (b.busy + w.busy <= whole) return {whole - w.busy, w.busy};
  const Duration half{whole.picoseconds / 2};
  return {half, whole - half};
}

bool cross(const Extent& b, const Extent& w) {
  return b.begin < w.end && w.begin < b.end;
}

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
    for (const auto& [key, pass] : passes_) count(key, pass);
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
    for (const auto& [between, least] : least_messages()) {
      std::optional<Seconds>& latest = state.messages[between.link];
      if (latest && *latest >= least.message) continue;
      latest = least.message;
      state.sends[between.link] = least.send;
    }
    return state;
  }

 private:
  struct PassKey {
    std::int32_t track;
    PassPart part;
    std::int32_t micro_batch;
    std::int16_t chunk;
    auto operator<=>(const PassKey&) const = default;
  };
  // Two ranks of neighbouring stages, and the least that a message took between them.
  struct Between {
    std::size_t link;
    std::int32_t before, behind;  // tracks
    auto operator<=>(const Between&) const = default;
  };
  struct Least {
    Seconds message, send;
  };

  std::size_t stage_of(const Span& span) const {
    return static_cast<std::size_t>(timeline_.tracks[static_cast<std::size_t>(span.track)].stage);
  }

  void add(const Span& span) {
    const SpanInfo& info = timeline_.infos[static_cast<std::size_t>(span.info)];
    if (info.kind == SpanKind::send && span.flow >= 0) sends_[span.flow] = &span;
    if (info.kind == SpanKind::receive && span.flow >= 0) receives_[span.flow] = &span;
    const std::optional<PassPart> part = part_of(info);
    if (!part || span.micro_batch < 0) return;
    const Extent kernel{span.start, span.end, span.end - span.start};
    const auto [pass, fresh] =
        passes_.try_emplace({span.track, *part, span.micro_batch, span.chunk}, kernel);
    if (!fresh) pass->second = together(pass->second, kernel);
    last_ = std::max(last_, span.end);
  }

  void count(const PassKey& key, const Extent& pass) {
    const int stage = timeline_.tracks[static_cast<std::size_t>(key.track)].stage;
    const auto add = [&](PassPart part, Duration took) { times_[{stage, part}].push_back(took); };
    const Extent* const b = same_pass(key, PassPart::input_gradient);
    const Extent* const w = same_pass(key, PassPart::weight_gradient);
    const bool crossed = b != nullptr && w != nullptr && cross(*b, *w);
    if (crossed && key.part == PassPart::input_gradient)
      add(key.part, split_backward(*b, *w).input_gradient);
    else if (crossed && key.part == PassPart::weight_gradient)
      add(key.part, split_backward(*b, *w).weight_gradient);
    else
      add(key.part, length(pass));
  }

  const Extent* same_pass(PassKey key, PassPart part) const {
    key.part = part;
    const auto found = passes_.find(key);
    return found == passes_.end() ? nullptr : &found->second;
  }

  Seconds usual(std::size_t stage, PassPart part) const {
    const auto found = times_.find({static_cast<int>(stage), part});
    return found == times_.end() ? Seconds{} : median(found->second);
  }

  std::size_t links() const { return stages_ > 0 ? stages_ - 1 : 0; }

  std::map<Between, Least> least_messages() const {
    std::map<Between, Least> all;
    for (const auto& [flow, send] : sends_) {
      const auto receive = receives_.find(flow);
      if (receive == receives_.end()) continue;
      const Span &sent = *send, &received = *receive->second;
      const std::size_t from = stage_of(sent), to = stage_of(received);
      const bool neighbours = from + 1 == to || to + 1 == from;
      // Nobody knows when a message arrived that lay there before its receiver came.
      if (!neighbours || received.start > sent.start) continue;
      const Least took{seconds(received.end - sent.start), seconds(sent.end - sent.start)};
      const auto [least, fresh] =
          all.try_emplace({std::min(from, to), from < to ? sent.track : received.track,
                           from < to ? received.track : sent.track},
                          took);
      least->second.message = std::min(least->second.message, took.message);
      least->second.send = std::min(least->second.send, took.send);
    }
    return all;
  }

  const Timeline& timeline_;
  const std::size_t stages_;
  std::map<PassKey, Extent> passes_;
  std::map<std::pair<int, PassPart>, std::vector<Duration>> times_;  // by stage
  Instant last_;                                                     // the end of the last pass
  std::map<std::int32_t, const Span*> sends_, receives_;
};

}  // namespace

PipelineState pipeline_state(const Timeline& timeline, int stages) {
  return Reading(timeline, stages).state();
}

}  // namespace quintet
