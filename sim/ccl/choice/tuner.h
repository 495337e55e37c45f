// NCCL's cost model, re-implemented from its published constants as versioned data tables:
// reproduces which algorithm, protocol and channel count NCCL chooses, and the latency and
// bandwidth it believes in. Facts: NCCL 2.28.9 and 2.30.7 src/graph/tuning.cc. What an algorithm
// can and takes is said by its row (sim/ccl/algorithms); here is what holds for all of them.
#pragma once

#include <optional>
#include <vector>

#include "sim/base/units.h"
#include "sim/ccl/nccl/communicator_shape.h"
#include "sim/plan/ccl.h"

namespace quintet {

struct TunerChoice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  int channels = 1;
  Seconds latency;      // NCCL's belief, corrections applied; it does not depend on a forced count
  Bandwidth bandwidth;  // algorithm bandwidth, corrections applied; infinite for a single rank
  Seconds time;         // latency + size / bandwidth
  bool operator==(const TunerChoice&) const = default;
};

// The table entry without size-dependent corrections, or nothing when NCCL rules it out or does not
// have it (our own algorithms; all-to-all).
struct TunerEntry {
  Seconds latency;
  Bandwidth bandwidth;
};
std::optional<TunerEntry> tuner_entry(TunerVersion version, CollectiveKind kind,
                                      Algorithm algorithm, Protocol protocol,
                                      const CommunicatorShape& shape);

// Every allowed choice with its time for this size, in (algorithm, protocol) order. The algorithm,
// protocol and channels of `rule` narrow it; whether its kind and axis match is for the caller.
std::vector<TunerChoice> tuner_choices(TunerVersion version, CollectiveKind kind, Bytes size,
                                       const CommunicatorShape& shape,
                                       const CollectiveRule& rule = {});

// The smallest time, first in (algorithm, protocol) order on ties; nothing when the rule leaves
// nothing.
std::optional<TunerChoice> choose(TunerVersion version, CollectiveKind kind, Bytes size,
                                  const CommunicatorShape& shape, const CollectiveRule& rule = {});

}  // namespace quintet
