#include "sim/host_net/processor_messages.h"

#include <algorithm>

namespace quintet {

MessageLatency processor_message_latency(const CostTable& costs) {
  if (!costs.processors) return {};
  const ProcessorCosts& processors = *costs.processors;
  return {processors.message_latency,
          std::max(Seconds{}, processors.crowded_latency - processors.message_latency)};
}

double processor_message_work(const CostTable& costs, double messages, Bytes size, double moved) {
  if (!costs.processors || size <= Bytes{} || moved <= 0) return 1;
  const ProcessorCosts& processors = *costs.processors;
  const Bytes worth = processors.message_rate * (messages * processors.message_work);
  return 1 + worth / (moved * size);
}

}  // namespace quintet
