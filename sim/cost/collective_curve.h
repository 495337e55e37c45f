// Measured collectives and messages of a cost table. Pure.
#pragma once

#include <optional>
#include <span>

#include "sim/cost/cost_table.h"

namespace quintet {

// Time of a collective among `ranks` ranks of one host by the algorithm that the library chose, as
// measured: between two points of the curve the time is a power of the size (a straight line in
// log-log). Nothing where no curve covers the size: smaller than its first point or larger than its
// last.
std::optional<Seconds> measured_collective(CollectiveKind kind, int ranks, Bytes size,
                                           const CommunicationCosts& costs);

// By the all-reduce curve of the nearest number of ranks, among GPUs on one switch, where rings
// reach about the same rate per link whatever their length: times (n-1)/n, and half of it for an
// all-gather or a reduce-scatter, of which a ring's all-reduce consists. On 8 A100 within 20 % from
// 4 MiB on. Nothing for other collectives and where the curve does not cover the size.
std::optional<Seconds> derived_collective(CollectiveKind kind, int ranks, Bytes size,
                                          const CommunicationCosts& costs);

// What a curve must be of to speak for a collective.
struct CurveQuery {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int ranks = 2, hosts = 1;
  std::optional<Algorithm> algorithm{};  // none: the library's choice
  std::optional<Protocol> protocol{};
  std::optional<CurveNetwork> network{};  // between hosts
};

// The curve of exactly this, or null. Networks are alike whose rates differ by 1 % at most and
// whose latencies by 1 % or 1 us.
const CollectiveCurve* curve_for(const CurveQuery& query, const CommunicationCosts& costs);
// The curve of messages inside a host (no network), or between hosts on this one.
const MessageCurve* message_curve_for(const std::optional<CurveNetwork>& network,
                                      const CommunicationCosts& costs);

// On rising points, two or more: between them as above; below the first its time, since a few bytes
// less save nothing, above the last in proportion to the size.
Seconds time_along(std::span<const CurvePoint> points, Bytes size);
bool covers(std::span<const CurvePoint> points, Bytes size);

// The residuals of sizes like this one, or of all where those are not known.
Residuals residuals_at(const Residuals& all, const ResidualsBySize& by_size, Bytes size);

// The residuals of time_along(size): inside the curve they are those given. Outside, time_along
// errs to one side, since times of real collectives rise the steeper the larger they are, up to in
// proportion: d octaves above the last point the real time is at least what the curve's last slope
// s (of log time over log size) leads to, 2^(d (s - 1)) of it; d octaves below the first, 2^(-d s)
// by the first slope. So the lower quantile falls by that, from 10 % below at least, and the upper
// one is 10 % above at least. Where the ends of 22 published curves of NCCL (traces/costs) were cut
// off at every point, 97 to 99 % of what was cut off lies in between, one octave away and eight.
Residuals residuals_along(std::span<const CurvePoint> points, const Residuals& inside, Bytes size);

}  // namespace quintet
