#include "sim/explain/difference/comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

Compared mean_of(const Sums& sums, RankTime ranks) {
  return {nearest(sums.predicted, ranks), nearest(sums.measured, ranks)};
}

Duration absolute(Duration time) {
  return time < Duration{} ? Duration{} - time : time;
}

Duration whole(const SpanShare& share) {
  return share.active + share.waiting;
}

std::string name_of_layer(std::int32_t layer) {
  return layer < 0 ? "outside the layers" : fmt::format("layer {}", layer);
}

std::string name_of_axis_part(const std::array<int, 3>& which) {
  if (which[0] == 0) return "computing";
  if (which[0] == 2) return "copies";
  if (which[0] == 3) return "host work";
  return std::string(name_of(static_cast<Axis>(which[1]))) +
         (which[2] == 0 ? ": data moves" : ": waits for peers, bubble");
}

}  // namespace

Comparison::Comparison(const Timeline& predicted, const Timeline& measured)
    : predicted_(predicted),
      measured_(measured),
      predicted_shares_(span_shares(predicted)),
      measured_shares_(span_shares(measured)),
      predicted_spans_(spans_by_track(predicted)),
      measured_spans_(spans_by_track(measured)) {}

Duration Comparison::predicted_share(const SpanPair& pair) const {
  return pair.left == no_span ? Duration{} : whole(predicted_shares_[pair.left]);
}

Duration Comparison::measured_share(const SpanPair& pair) const {
  return pair.right == no_span ? Duration{} : whole(measured_shares_[pair.right]);
}

void Comparison::add_rank(std::size_t predicted_track, std::size_t measured_track) {
  const Track& track = measured_.tracks[measured_track];
  ranks_ += track.ranks;
  for (const SpanPair& pair : matched_spans(predicted_, predicted_spans_[predicted_track],
                                            measured_, measured_spans_[measured_track]))
    add_pair(pair, track);
}

void Comparison::add_pair(const SpanPair& pair, const Track& track) {
  Sums& layer = layers_[pair.key.layer];
  layer.predicted += rank_time(predicted_share(pair), track.ranks);
  layer.measured += rank_time(measured_share(pair), track.ranks);
  add_axis(pair, track.ranks);
  InstructionSums& instruction = instructions_[pair.key.info];
  instruction.time.predicted += rank_time(predicted_share(pair), track.ranks);
  instruction.time.measured += rank_time(measured_share(pair), track.ranks);
  const Compared time{predicted_share(pair), measured_share(pair)};
  if (instruction.spans == 0 ||
      absolute(time.difference()) > absolute(instruction.worst_time.difference())) {
    instruction.worst_rank = track.rank;
    instruction.worst = pair.key;
    instruction.worst_time = time;
  }
  ++instruction.spans;
  if (pair.left == no_span || pair.right == no_span)
    add_unmatched(pair, track);
  else
    add_matched(pair, track);
}

void Comparison::add_axis(const SpanPair& pair, int ranks) {
  const SpanInfo& info = measured_.infos[static_cast<std::size_t>(pair.key.info)];
  const int axis = static_cast<int>(info.axis);
  const auto add = [&](std::array<int, 3> which, Duration SpanShare::*part) {
    Sums& sums = axes_[which];
    if (pair.left != no_span)
      sums.predicted += rank_time(predicted_shares_[pair.left].*part, ranks);
    if (pair.right != no_span)
      sums.measured += rank_time(measured_shares_[pair.right].*part, ranks);
  };
  switch (info.kind) {
    case SpanKind::compute:
      return add({0, 0, 0}, &SpanShare::active);
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      add({1, axis, 0}, &SpanShare::active);
      return add({1, axis, 1}, &SpanShare::waiting);
    case SpanKind::copy:
      return add({2, 0, 0}, &SpanShare::active);
    case SpanKind::host:
      return add({3, 0, 0}, &SpanShare::active);
  }
}

void Comparison::add_unmatched(const SpanPair& pair, const Track& track) {
  const bool predicted = pair.right == no_span;
  const Span& span = predicted ? predicted_.spans[pair.left] : measured_.spans[pair.right];
  unmatched_.push_back(
      {predicted ? Side::predicted : Side::measured, track.rank, pair.key, span.end - span.start});
}

void Comparison::add_matched(const SpanPair& pair, const Track& track) {
  const SpanInfo& info = measured_.infos[static_cast<std::size_t>(pair.key.info)];
  if (info.kind == SpanKind::compute) add_compute(info, pair, track.ranks);
  if (is_communication(info.kind)) add_communication(pair, track.ranks);
}

void Comparison::add_compute(const SpanInfo& info, const SpanPair& pair, int ranks) {
  const Span& left = predicted_.spans[pair.left];
  const Span& right = measured_.spans[pair.right];
  OperatorSums& sums = operators_[{info.work, info.phase}];
  sums.time.predicted += rank_time(left.end - left.start, ranks);
  sums.time.measured += rank_time(right.end - right.start, ranks);
  if (!measured_.cpu.empty()) sums.cpu += rank_time(measured_.cpu[pair.right], ranks);
  ++sums.spans;
}

void Comparison::add_communication(const SpanPair& pair, int ranks) {
  const Span& left = predicted_.spans[pair.left];
  const Span& right = measured_.spans[pair.right];
  CommunicationSums& sums = moves_[pair.key.info];
  sums.moving.predicted += rank_time(left.end - left.moving, ranks);
  sums.moving.measured += rank_time(right.end - right.moving, ranks);
  sums.waiting.predicted += rank_time(left.moving - left.start, ranks);
  sums.waiting.measured += rank_time(right.moving - right.start, ranks);
  ++sums.spans;
}

// What is on no span's account closes the list.
void Comparison::finish_parts(const std::vector<std::pair<std::string, Sums>>& sums,
                              const Compared& step, std::vector<DifferencePart>& into) const {
  std::vector<RankTime> predicted, measured;
  RankTime predicted_rest = rank_time(step.predicted, 1) * ranks_;
  RankTime measured_rest = rank_time(step.measured, 1) * ranks_;
  for (const auto& [name, each] : sums) {
    into.push_back({name, {}});
    predicted.push_back(each.predicted);
    measured.push_back(each.measured);
    predicted_rest -= each.predicted;
    measured_rest -= each.measured;
  }
  into.push_back({"no instruction: drained pipeline, late launches, idle", {}});
  predicted.push_back(predicted_rest);
  measured.push_back(measured_rest);
  const auto predicted_means = mean_parts(predicted, ranks_, step.predicted);
  const auto measured_means = mean_parts(measured, ranks_, step.measured);
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i].time = {predicted_means[i], measured_means[i]};
}

void Comparison::finish_layers(Difference& into) const {
  std::vector<std::pair<std::string, Sums>> named;
  for (const auto& [layer, sums] : layers_) named.emplace_back(name_of_layer(layer), sums);
  finish_parts(named, into.step, into.layers);
}

void Comparison::finish_axes(Difference& into) const {
  std::vector<std::pair<std::string, Sums>> named;
  for (const auto& [which, sums] : axes_) named.emplace_back(name_of_axis_part(which), sums);
  finish_parts(named, into.step, into.axes);
}

void Comparison::finish_operators(Difference& into) const {
  ThreadTime threads;
  for (const auto& [which, sums] : operators_) {
    OperatorRatio ratio{which.first, which.second, sums.spans, mean_of(sums.time, ranks_), {}};
    if (!measured_.cpu.empty()) ratio.cpu = nearest(sums.cpu, ranks_);
    threads.spans += ratio.time.measured;
    threads.ran += ratio.cpu.value_or(Duration{});
    into.operators.push_back(ratio);
  }
  if (!measured_.cpu.empty()) into.threads = threads;
  std::stable_sort(into.operators.begin(), into.operators.end(),
                   [](const OperatorRatio& left, const OperatorRatio& right) {
                     return left.time.measured > right.time.measured;
                   });
}

void Comparison::finish_moves(Difference& into) const {
  for (const auto& [info, sums] : moves_)
    into.moves.push_back(
        {info, sums.spans, mean_of(sums.moving, ranks_), mean_of(sums.waiting, ranks_)});
  std::stable_sort(into.moves.begin(), into.moves.end(),
                   [](const CommunicationRatio& left, const CommunicationRatio& right) {
                     return left.moving.measured > right.moving.measured;
                   });
}

void Comparison::finish_instructions(Difference& into) const {
  for (const auto& [info, sums] : instructions_)
    into.instructions.push_back({info, sums.spans, mean_of(sums.time, ranks_), sums.worst_rank,
                                 sums.worst, sums.worst_time});
  std::stable_sort(into.instructions.begin(), into.instructions.end(),
                   [](const InstructionDifference& left, const InstructionDifference& right) {
                     return absolute(left.time.difference()) > absolute(right.time.difference());
                   });
}

void Comparison::finish(Difference& into) const {
  into.ranks = static_cast<int>(ranks_);
  finish_layers(into);
  finish_axes(into);
  finish_operators(into);
  finish_moves(into);
  finish_instructions(into);
  into.unmatched = unmatched_;
}

}  // namespace quintet
