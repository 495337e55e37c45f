// What NCCL's messages take beside their bytes, where its tuner is not asked: sends and receives,
// and algorithms that it does not have.
#pragma once

#include "sim/base/units.h"
#include "sim/plan/ccl.h"

namespace quintet {

enum class Reach { inside_host, between_hosts };

// The latency of a ring's step by the Simple protocol (NCCL src/graph/tuning.cc).
Seconds step_latency(TunerVersion version, Reach reach);
// The latency of a send and its receive.
Seconds message_latency(TunerVersion version, Reach reach);

// That NCCL gives to a peer over NVLink or the network.
inline constexpr int channels_per_peer = 2;

// NCCL's network latencies stand for a fabric of a few microseconds: what a path of `latency` has
// beyond it. `factor`: what the machine's latencies are of NCCL's.
Seconds beyond_usual(Seconds latency, double factor);

}  // namespace quintet
