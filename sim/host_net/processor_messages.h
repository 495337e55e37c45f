// What messages between ranks without GPUs take beside their bytes on the wire. Nothing where the
// costs know of no processors.
#pragma once

#include "sim/cost/cost_table.h"

namespace quintet {

struct MessageLatency {
  Seconds usual;    // from the sender's call to the receiver's
  Seconds crowded;  // more where kernels have taken all cores
};
MessageLatency processor_message_latency(const CostTable& costs);

// How many times longer than with its bytes alone `messages` of `size` bytes in all keep the cores
// that move `moved` bytes for each of them.
double processor_message_work(const CostTable& costs, double messages, Bytes size, double moved);

}  // namespace quintet
