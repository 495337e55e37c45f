// Measured collectives of a cost table. Pure.
#pragma once

#include <optional>

#include "sim/cost/cost_table.h"

namespace quintet {

// Time of a collective among `ranks` ranks of one host, as measured: between two points of the
// curve the time is a power of the size (a straight line in log-log). Nothing where no curve covers
// the size: smaller than its first point or larger than its last.
std::optional<Seconds> measured_collective(CollectiveKind kind, int ranks, Bytes size,
                                           const CommunicationCosts& costs);

// By the all-reduce curve of the nearest number of ranks, among GPUs on one switch, where rings
// reach about the same rate per link whatever their length: times (n-1)/n, and half of it for an
// all-gather or a reduce-scatter, of which a ring's all-reduce consists. On 8 A100 within 20 % from
// 4 MiB on. Nothing for other collectives and where the curve does not cover the size.
std::optional<Seconds> derived_collective(CollectiveKind kind, int ranks, Bytes size,
                                          const CommunicationCosts& costs);

}  // namespace quintet
