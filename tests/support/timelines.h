// Timelines built by hand and at random.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "sim/timeline/timeline.h"

namespace quintet {

// Infos of the hand-made timelines, by index.
enum class On : std::int32_t {
  forward,
  backward,
  update,
  tensor_all_reduce,
  data_all_reduce,
  receive,
  send,
  copy,
  host_work,
  context_receive,
};

inline Timeline small_world(std::int64_t end) {
  Timeline timeline{.name = "small world"};
  timeline.lanes = {"compute", "tensor", "gradients", "receive", "send", "copy", "host"};
  const auto compute = [](std::string name, OperatorKind work, Phase phase) {
    return SpanInfo{.name = std::move(name), .work = work, .phase = phase};
  };
  const auto moves = [](std::string name, SpanKind kind, Axis axis, int lane) {
    return SpanInfo{
        .name = std::move(name), .kind = kind, .axis = axis, .size = {4096.0}, .lane = lane};
  };
  timeline.infos = {
      compute("mlp up forward", OperatorKind::mlp_up, Phase::forward),
      compute("attention backward", OperatorKind::attention, Phase::backward),
      compute("optimizer update", OperatorKind::optimizer_update, Phase::update),
      moves("all-reduce attention", SpanKind::collective, Axis::tensor, 1),
      moves("all-reduce gradients", SpanKind::collective, Axis::data, 2),
      moves("receive activation", SpanKind::receive, Axis::pipeline, 3),
      moves("send activation", SpanKind::send, Axis::pipeline, 4),
      moves("copy gradients", SpanKind::copy, Axis::data, 5),
      moves("load data", SpanKind::host, Axis::data, 6),
      moves("receive keys", SpanKind::receive, Axis::context, 3),
  };
  timeline.end = {end};
  return timeline;
}

inline std::int32_t add_track(Timeline& timeline, int stage, int ranks = 1) {
  const auto track = static_cast<std::int32_t>(timeline.tracks.size());
  timeline.tracks.push_back({Rank{track * 8}, ranks, stage, "stage " + std::to_string(stage)});
  return track;
}

inline Span& add_span(Timeline& timeline, std::int32_t track, On what, std::int64_t start,
                      std::int64_t moving, std::int64_t end) {
  Span span;
  span.info = static_cast<std::int32_t>(what);
  span.track = track;
  span.start = {start};
  span.moving = {moving};
  span.end = {end};
  timeline.spans.push_back(span);
  return timeline.spans.back();
}

inline Span& add_span(Timeline& timeline, std::int32_t track, On what, std::int64_t start,
                      std::int64_t end) {
  return add_span(timeline, track, what, start, start, end);
}

struct RandomSize {
  int tracks = 4;
  int spans_per_track = 40;
  std::int64_t end = 1000;
};

// As a run would bring it home.
inline Timeline measured(Timeline timeline) {
  for (const Span& span : timeline.spans) {
    timeline.cpu.push_back({(span.end.picoseconds - span.start.picoseconds) / 2});
    timeline.notes.push_back(timeline.notes.size() % 2 == 0 ? "2 pieces, \"busy\" 3.1 us" : "");
  }
  timeline.measurement =
      Measurement{.step = 8,
                  .steps = {{7, {90'000'000}}, {8, {95'500'000}}, {9, {120'000'001}}},
                  .clock_bound = {42'000},
                  .deviations = {{"network.routing", "\"spray\"", "the fabric decides"}},
                  .recording = Recording{.by = "CUPTI 13.0.1",
                                         .instead = "\"why\"",
                                         .steps_with = 8,
                                         .steps_without = 7,
                                         .with = {95'000'000},
                                         .without = {94'000'001},
                                         .cost = {17},
                                         .pieces = std::int64_t{1} << 40,
                                         .in_spans = 12345,
                                         .lost = 3}};
  return timeline;
}

// Anything goes: spans of one lane may overlap, start before 0 and last beyond the end.
inline Timeline random_timeline(std::uint32_t seed, RandomSize size) {
  std::mt19937 random(seed);
  const auto upto = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  Timeline timeline = small_world(size.end);
  for (int i = 0; i < size.tracks; ++i) {
    const std::int32_t track =
        add_track(timeline, static_cast<int>(upto(2)), 1 + static_cast<int>(upto(5)));
    if (i % 2 == 1) timeline.tracks.back().host = "host \"" + std::to_string(i) + "\"";
    std::int64_t start = -upto(size.end / 10);
    for (int span = 0; span < size.spans_per_track; ++span) {
      start += upto(2 * size.end / size.spans_per_track);
      const std::int64_t moving = start + upto(size.end / 30);
      const auto what = static_cast<On>(upto(9));
      const bool waits = is_communication(timeline.infos[static_cast<std::size_t>(what)].kind);
      Span& added = add_span(timeline, track, what, start, waits ? moving : start,
                             moving + upto(size.end / 30));
      added.layer = static_cast<std::int32_t>(upto(5)) - 1;
      added.micro_batch = static_cast<std::int32_t>(upto(5)) - 1;
      added.chunk = static_cast<std::int16_t>(upto(2));
      added.bucket = static_cast<std::int16_t>(upto(3) - 1);
    }
    const std::int64_t gap = upto(size.end);
    timeline.host_gaps.push_back({track, {gap}, {gap + upto(size.end / 10)}});
  }
  return timeline;
}

}  // namespace quintet
