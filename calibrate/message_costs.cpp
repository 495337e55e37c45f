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

}  // namespace

ProcessorCosts processor_costs(const RingTiming& large, const RingTiming& small) {
  ProcessorCosts costs;
  costs.message_work = small.core_time / messages_of(small);
  costs.message_latency = small.time / (small.count * 2.0 * (small.ranks - 1));
  const Seconds by_bytes = large.core_time - costs.message_work * messages_of(large);
  // Small messages that were measured too dear must not leave the bytes for nothing.
  costs.message_rate = moved_by(large) / std::max(by_bytes, large.core_time * 0.1);
  return costs;
}

double wire_share(const RingTiming& large, Bandwidth wire) {
  const Bytes per_rank = moved_by(large) / large.ranks;
  return (per_rank / large.time) / wire;
}

}  // namespace quintet::calibrate
