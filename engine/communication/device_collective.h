// A collective among buffers of one device's memory.
#pragma once

#include <span>

#include "engine/communication/communication_backend.h"
#include "kernels/device.h"

namespace quintet::engine {

// Puts it on the stream. One work per member, in order, of which disagreement()
// (engine/communication/combine.h) says nothing; at most kernels::Combine::most_terms. The same
// bits as combine() there.
void queue_collective(kernels::Device& device, kernels::Kernels& kernels, kernels::Stream& stream,
                      std::span<const CollectiveCall> members);

}  // namespace quintet::engine
