// What every part of a delegate works with; owned by the DelegatedCommunicator.
#pragma once

#include "engine/communicator/delegate/inner_tickets.h"
#include "engine/communicator/delegate/pinned_blocks.h"
#include "engine/communicator/over_tickets.h"
#include "engine/device/event_pool.h"
#include "kernels/device.h"

namespace quintet::engine {

struct DelegateTools {
  kernels::Device& device;
  EventPool& events;
  PinnedBlocks& pinned;
  InnerTickets& inner;
  OverTickets& over;
};

// Streams of the delegate's own, a pair for each stream of the caller: a copy that has to wait for
// the work of one does not hold up the copies of another.
struct CopyStreams {
  kernels::Stream out, in;  // device to host, host to device
};

}  // namespace quintet::engine
