// A recomputed layer's input while it waits for its backward in the host's memory. Each is queued
// on the lane that works now.
#pragma once

#include "engine/device/workplace.h"
#include "engine/operators/activation_states.h"

namespace quintet::engine {

inline void copy_out(Workplace& place, const Buffer& input, LayerState& layer) {
  layer.host_input = place.make_on_host(input.count(), input.type());
  place.copy(layer.host_input.bytes().data(), input.bytes().data(), input.bytes().size());
}

inline void copy_in(Workplace& place, LayerState& layer) {
  layer.kept_input = place.make(layer.host_input.count(), layer.host_input.type());
  place.copy(layer.kept_input.bytes().data(), std::as_const(layer.host_input).bytes().data(),
             layer.host_input.bytes().size());
  layer.host_input = {};
}

}  // namespace quintet::engine
