#include "calibrate/message_costs.h"

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

Result<ProcessorCosts> processor_costs(const RingTiming& large, const RingTiming& small,
                                       const RingTiming& crowded) {
  if (!(large.core_time > Seconds{}))
    return Error{"timing messages",
                 "no core time is left for them beside what other programs take; wait until the "
                 "machine is idle"};
  ProcessorCosts costs;
  costs.message_work = small.core_time / messages_of(small);
  costs.message_latency = latency_of(small);
  costs.crowded_latency = std::max(costs.message_latency, latency_of(crowded));
  const Seconds by_bytes = large.core_time - costs.message_work * messages_of(large);
  // Small messages that were measured too dear must not leave the bytes for nothing.
  costs.message_rate = moved_by(large) / std::max(by_bytes, large.core_time * 0.1);
  return costs;
}

double reached_share(const RingTiming& large, Bandwidth wire, int cores,
                     const ProcessorCosts& costs) {
  const Bytes per_rank = moved_by(large) / large.ranks;
  const Bandwidth by_cores = costs.message_rate * (static_cast<double>(cores) / large.ranks);
  return (per_rank / large.time) / std::min(wire, by_cores);
}

}  // namespace quintet::calibrate
