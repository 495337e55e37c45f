// What NCCL's profiler saw, noted on the spans of the instructions that asked NCCL for it. Pure.
#pragma once

#include <span>

#include "engine/nccl/plugins/profile_log.h"
#include "engine/timeline/measured_timeline.h"

namespace quintet::engine {

struct Noted {
  int spans = 0;      // that have a note now
  int unmatched = 0;  // that NCCL carried and that the profile does not tell of in their place
  bool operator==(const Noted&) const = default;
};

// Which of the steps that the communicators were used for, from the first on.
struct StepPlace {
  int index = 0, steps = 1;
};

// The n-th operation of a communicator is the n-th span of it, step by step, since NCCL runs what
// is asked of one communicator in order. `operations`: of one rank, in the order of its profile;
// the last ones may not be written yet. A communicator's spans are left as they are where kinds or
// numbers of the two do not agree, or where the profile lacks an operation among them.
Noted note_operations(const Program& program, std::span<const ProfiledOperation> operations,
                      const StepPlace& step, RankSpans& spans);

// "NCCL RING LL128, 16 channels, 398.0 to 412.3 us, begun within 3.1 us"
std::string note_of(const ProfiledOperation& operation);

}  // namespace quintet::engine
