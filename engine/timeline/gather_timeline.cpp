#include "engine/timeline/gather_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "engine/network/transport/transport.h"
#include "engine/timeline/span_bytes.h"
#include "sim/program/tasks.h"

namespace quintet::engine {

namespace {

using Bytes = std::vector<std::byte>;
using Number = std::array<std::byte, sizeof(std::int64_t)>;
constexpr std::uint64_t sizes = label_in(LabelSpace::timeline, 0);
constexpr std::uint64_t contents = label_in(LabelSpace::timeline, 1);
constexpr std::uint64_t choice = label_in(LabelSpace::timeline, 2);
constexpr std::int64_t none_chosen = -1;

Number bytes_of_number(std::int64_t value) {
  Number bytes;
  std::memcpy(bytes.data(), &value, bytes.size());
  return bytes;
}

std::int64_t number_of(const Number& bytes) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

// Messages between rank 0 and one other.
class Line {
 public:
  Line(const JobClock& clock, Rank peer) : clock_(clock), peer_(peer) {}

  std::optional<Error> give(std::uint64_t label, std::span<const std::byte> bytes) const {
    return clock_.peers().give(peer_, label, bytes);
  }
  std::optional<Error> take(std::uint64_t label, std::span<std::byte> bytes) const {
    return clock_.peers().take(peer_, label, bytes);
  }

  std::optional<Error> give_sized(const Bytes& bytes) const {
    if (auto failed = give(sizes, bytes_of_number(static_cast<std::int64_t>(bytes.size()))))
      return failed;
    return give(contents, bytes);
  }
  Result<Bytes> take_sized() const {
    constexpr std::int64_t most = std::int64_t{1} << 34;
    Number size;
    if (const auto failed = take(sizes, size)) return *failed;
    if (number_of(size) < 0 || number_of(size) > most)
      return Error{fmt::format("rank {}", peer_.value),
                   fmt::format("announced {} bytes of spans", number_of(size))};
    Bytes bytes(static_cast<std::size_t>(number_of(size)));
    if (const auto failed = take(contents, bytes)) return *failed;
    return bytes;
  }

 private:
  const JobClock& clock_;
  Rank peer_;
};

std::vector<StepBounds> bounds_of(std::span<const MeasuredStep> steps) {
  std::vector<StepBounds> bounds;
  for (const MeasuredStep& step : steps) {
    Instant end;
    for (const Span& span : step.spans.spans) end = std::max(end, span.end);
    bounds.push_back({step.step, step.origin, step.origin + Nanoseconds(end.picoseconds / 1000)});
  }
  return bounds;
}

std::optional<Error> send_home(const JobClock& clock, std::span<const MeasuredStep> steps) {
  const Line line(clock, Rank{0});
  if (auto failed = line.give_sized(bytes_of(bounds_of(steps)))) return failed;
  Number chosen;
  if (auto failed = line.take(choice, chosen)) return failed;
  if (number_of(chosen) == none_chosen)
    return Error{"rank 0", "refused the spans: the ranks do not tell of the same steps"};
  assert(static_cast<std::size_t>(number_of(chosen)) < steps.size());
  const RankSpans& spans = steps[static_cast<std::size_t>(number_of(chosen))].spans;
  if (auto failed = line.give_sized(bytes_of(spans))) return failed;
  return line.give_sized(note_bytes(spans));
}

class Gathering {
 public:
  Gathering(const JobClock& clock, const Program& program, std::span<const MeasuredStep> steps)
      : clock_(clock), program_(program), steps_(steps) {}

  Result<Timeline> timeline(std::vector<PlanDeviation> deviations);

 private:
  std::optional<Error> take_bounds();
  std::optional<Error> add_bounds(Rank rank, const std::vector<StepBounds>& bounds);
  std::size_t median() const;
  std::optional<Error> tell(std::int64_t chosen) const;
  Result<RankSpans> spans_of(Rank rank, std::size_t chosen) const;
  void move_to_rank_0(RankSpans& spans, Clock::time_point origin, Clock::time_point begin) const;
  Measurement measurement(std::size_t chosen) const;
  int world() const { return clock_.peers().world(); }
  Nanoseconds time(std::size_t step) const { return whole_[step].end - whole_[step].begin; }

  const JobClock& clock_;
  const Program& program_;
  std::span<const MeasuredStep> steps_;
  std::vector<std::vector<Clock::time_point>> origins_;  // by rank and step, on its clock
  std::vector<StepBounds> whole_;                        // by step, of all ranks, on rank 0's
};

// Hears everyone out before it complains: they wait for an answer.
std::optional<Error> Gathering::take_bounds() {
  std::optional<Error> wrong = add_bounds(Rank{0}, bounds_of(steps_));
  for (int rank = 1; rank < world(); ++rank) {
    const auto bytes = Line(clock_, Rank{rank}).take_sized();
    if (!bytes) return bytes.error();
    const auto bounds = step_bounds(*bytes, Rank{rank});
    if (wrong) continue;
    wrong = bounds ? add_bounds(Rank{rank}, *bounds) : bounds.error();
  }
  return wrong;
}

std::optional<Error> Gathering::add_bounds(Rank rank, const std::vector<StepBounds>& bounds) {
  if (bounds.size() != steps_.size())
    return Error{fmt::format("rank {}", rank.value),
                 fmt::format("tells of {} steps, rank 0 of {}", bounds.size(), steps_.size())};
  origins_.emplace_back();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].step != steps_[i].step)
      return Error{
          fmt::format("rank {}", rank.value),
          fmt::format("tells of step {} where rank 0 tells of {}", bounds[i].step, steps_[i].step)};
    origins_.back().push_back(bounds[i].begin);
    const StepBounds here{bounds[i].step, clock_.on_rank_0(rank, bounds[i].begin),
                          clock_.on_rank_0(rank, bounds[i].end)};
    if (whole_.size() <= i) whole_.push_back(here);
    whole_[i].begin = std::min(whole_[i].begin, here.begin);
    whole_[i].end = std::max(whole_[i].end, here.end);
  }
  return std::nullopt;
}

std::size_t Gathering::median() const {
  std::vector<std::size_t> order(whole_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return time(a) < time(b); });
  return order[(order.size() - 1) / 2];
}

std::optional<Error> Gathering::tell(std::int64_t chosen) const {
  for (int rank = 1; rank < world(); ++rank)
    if (auto failed = Line(clock_, Rank{rank}).give(choice, bytes_of_number(chosen))) return failed;
  return std::nullopt;
}

Result<RankSpans> Gathering::spans_of(Rank rank, std::size_t chosen) const {
  if (rank == Rank{0}) {
    RankSpans mine = steps_[chosen].spans;
    mine.rank = rank;
    return mine;
  }
  const Line line(clock_, rank);
  const auto bytes = line.take_sized();
  if (!bytes) return bytes.error();
  const auto notes = line.take_sized();
  if (!notes) return notes.error();
  Result<RankSpans> spans = rank_spans(*bytes, rank, all_instructions(program_).size());
  if (!spans) return spans;
  if (auto wrong = take_notes(*notes, *spans)) return *wrong;
  return spans;
}

void Gathering::move_to_rank_0(RankSpans& spans, Clock::time_point origin,
                               Clock::time_point begin) const {
  const auto moved = [&](Instant at) {
    const Nanoseconds whole(at.picoseconds / 1000);
    const Nanoseconds since = clock_.on_rank_0(spans.rank, origin + whole) - begin;
    return Instant{since.count() * 1000 + at.picoseconds % 1000};
  };
  for (Span& span : spans.spans) {
    span.start = moved(span.start);
    span.moving = moved(span.moving);
    span.end = moved(span.end);
  }
}

Measurement Gathering::measurement(std::size_t chosen) const {
  Measurement made;
  made.step = steps_[chosen].step;
  for (std::size_t i = 0; i < whole_.size(); ++i)
    made.steps.push_back({steps_[i].step, {time(i).count() * 1000}, steps_[i].processors});
  made.clock_bound = {clock_.bound().count() * 1000};
  return made;
}

Result<Timeline> Gathering::timeline(std::vector<PlanDeviation> deviations) {
  if (const auto wrong = take_bounds()) {
    (void)tell(none_chosen);  // what is wrong is known
    return *wrong;
  }
  const std::size_t chosen = median();
  if (const auto failed = tell(static_cast<std::int64_t>(chosen))) return *failed;
  std::vector<RankSpans> all;
  for (int rank = 0; rank < world(); ++rank) {
    Result<RankSpans> spans = spans_of(Rank{rank}, chosen);
    if (!spans) return spans.error();
    move_to_rank_0(*spans, origins_[static_cast<std::size_t>(rank)][chosen], whole_[chosen].begin);
    all.push_back(std::move(*spans));
  }
  Timeline timeline = measured_timeline(program_, all);
  timeline.measurement = measurement(chosen);
  timeline.measurement->deviations = std::move(deviations);
  return timeline;
}

}  // namespace

Result<std::optional<Timeline>> gather_timeline(JobClock& clock, const Program& program,
                                                std::span<const MeasuredStep> steps,
                                                std::vector<PlanDeviation> deviations) {
  assert(!steps.empty());
  if (const auto failed = clock.measure()) return *failed;
  if (clock.peers().rank() != Rank{0}) {
    if (const auto failed = send_home(clock, steps)) return *failed;
    return std::optional<Timeline>();
  }
  Result<Timeline> timeline = Gathering(clock, program, steps).timeline(std::move(deviations));
  if (!timeline) return timeline.error();
  return std::optional(std::move(*timeline));
}

}  // namespace quintet::engine
