#include "sim/model/state_bytes.h"

#include <cassert>

namespace quintet {
namespace {

double moments_of(UpdateRule rule) {
  switch (rule) {
    case UpdateRule::adamw:
    case UpdateRule::lamb:
      return 2;
    case UpdateRule::sgd:
      return 1;
  }
  return 0;
}

}  // namespace

Bytes streamed_bytes_per_parameter(const StateTypes& types) {
  const bool copied = types.master_weights && types.weights != DataType::fp32;
  return (copied ? size_of(DataType::fp32) : Bytes{}) +
         moments_of(types.rule) * size_of(types.moments);
}

StateBytes state_bytes_per_parameter(const StateTypes& types, const StateSharding& sharding) {
  assert(sharding.weights > 0 && sharding.gradients > 0 && sharding.optimizer > 0);
  return {.weights = size_of(types.weights) / sharding.weights,
          .gradients = size_of(types.gradients) / sharding.gradients,
          .optimizer = streamed_bytes_per_parameter(types) / sharding.optimizer};
}

}  // namespace quintet
