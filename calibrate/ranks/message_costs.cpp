#include "calibrate/ranks/message_costs.h"

#include <algorithm>

namespace quintet::calibrate {
namespace {

double messages_of(const RingTiming& timing) {
  return static_cast<double>(timing.count) * timing.ranks * 2 * (timing.ranks - 1);
}

Bytes moved_by(const RingTiming& timing) {
  return timing.size * (2.0 * (timing.ranks - 1) * timing.count);
}

Seconds latency_of(const RingTiming& timing) {
  return timing.time / (timing.count * 2.0 * (timing.ranks - 1));
}

}  // namespace

Result<ProcessorCosts> processor_costs(const RingPair& idle, const RingPair& crowded) {
  if (!(crowded.large.core_time > Seconds{}))
    return Error{"timing messages",
                 "computing lost no core time by them beside what other programs take; wait until "
                 "the machine is idle"};
  ProcessorCosts costs;
  costs.message_work = crowded.small.core_time / messages_of(crowded.small);
  costs.message_latency = latency_of(idle.small);
  costs.crowded_latency = std::max(costs.message_latency, latency_of(crowded.small));
  const Seconds whole = crowded.large.core_time;
  const Seconds by_bytes = whole - costs.message_work * messages_of(crowded.large);
  // Small messages that were measured too dear must not leave the bytes for nothing.
  costs.message_rate = moved_by(crowded.large) / std::max(by_bytes, whole * 0.1);
  return costs;
}

double reached_share(const RingTiming& large, Bandwidth wire, int cores) {
  const Bytes per_rank = moved_by(large) / large.ranks;
  const double rate = (per_rank / large.time).value;
  // Without core time the cores limited nothing.
  const double by_cores =
      large.core_time > Seconds{} ? cores * (per_rank / large.core_time).value : wire.value;
  return std::min(1.0, rate / std::min(wire.value, by_cores));
}

}  // namespace quintet::calibrate
