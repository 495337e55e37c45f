// What ranks tell rank 0 about their steps, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/timeline/clock_line.h"
#include "engine/timeline/measured_timeline.h"
#include "sim/base/result.h"

namespace quintet::engine {

// When a rank began a step and when it ended, on its own clock.
struct StepBounds {
  std::int64_t step = 0;
  Clock::time_point begin, end;
  bool operator==(const StepBounds&) const = default;
};

// `from` names the sender in errors: of bytes that are no such list.
std::vector<std::byte> bytes_of(std::span<const StepBounds> steps);
Result<std::vector<StepBounds>> step_bounds(std::span<const std::byte> bytes, Rank from);

// `infos`: how many instructions the program has.
std::vector<std::byte> bytes_of(const RankSpans& spans);
Result<RankSpans> rank_spans(std::span<const std::byte> bytes, Rank from, std::size_t infos);

// What was noted of the spans, which do not tell it.
std::vector<std::byte> note_bytes(const RankSpans& spans);
std::optional<Error> take_notes(std::span<const std::byte> bytes, RankSpans& into);

}  // namespace quintet::engine
