#include "sim/model/state_bytes.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

// ZeRO (arXiv 1910.02054): 7.5e9 parameters on 64 ranks, 16-bit gradients, in GB.
TEST(StateBytes, AreZerosTable_F6) {
  const StateTypes types{.weights = DataType::fp16, .gradients = DataType::fp16};
  const auto gigabytes = [&](const StateSharding& sharding) {
    return 7.5 * state_bytes_per_parameter(types, sharding).total().value;
  };
  EXPECT_DOUBLE_EQ(gigabytes({}), 120);
  EXPECT_DOUBLE_EQ(gigabytes({.optimizer = 64}), 31.40625);
  EXPECT_DOUBLE_EQ(gigabytes({.gradients = 64, .optimizer = 64}), 16.640625);
  EXPECT_DOUBLE_EQ(gigabytes({.weights = 64, .gradients = 64, .optimizer = 64}), 1.875);
}

// Megatron-LM keeps fp32 gradients; 18 bytes unsharded.
TEST(StateBytes, AreTheDistributedOptimizers_F7) {
  const auto bytes = [](int ranks) {
    return state_bytes_per_parameter({}, {.optimizer = ranks}).total();
  };
  EXPECT_EQ(bytes(1), Bytes{18});
  EXPECT_EQ(bytes(8), Bytes{7.5});
  EXPECT_EQ(bytes(64), Bytes{6.1875});
}

// All in fp32 with momentum: weight, gradient, one moment; with AdamW two (arXiv 1910.02054, 3.1:
// 16 bytes). There is no copy of weights that are in fp32 themselves.
TEST(StateBytes, InFp32HaveNoCopyOfTheWeights) {
  StateTypes types{.weights = DataType::fp32, .gradients = DataType::fp32, .rule = UpdateRule::sgd};
  for (const bool master : {false, true}) {
    types.master_weights = master;
    types.rule = UpdateRule::sgd;
    EXPECT_EQ(state_bytes_per_parameter(types, {}), (StateBytes{Bytes{4}, Bytes{4}, Bytes{4}}));
    types.rule = UpdateRule::adamw;
    EXPECT_EQ(state_bytes_per_parameter(types, {}), (StateBytes{Bytes{4}, Bytes{4}, Bytes{8}}));
  }
}

}  // namespace
}  // namespace quintet
