// A model whose every number can be counted by hand.
#pragma once

#include "sim/model/model.h"
#include "sim/plan/plan.h"

namespace quintet::test {

// Llama's layer with width 8: two heads of 4, both with keys and values, MLP width 16, 32 words.
// Per layer: norms 16, qkv 8 x 24, output 8 x 8, up 8 x 32, down 16 x 8 = 656 parameters, of which
// two tensor ranks hold 336 each (norms whole). Embedding 256, head 256 + its norm 8.
inline Model tiny_model() {
  Model model;
  model.name = "tiny";
  model.layers = 2;
  model.hidden = 8;
  model.heads = 2;
  model.kv_heads = 2;
  model.head_dim = 4;
  model.feed_forward = 16;
  model.vocabulary = 32;
  return model;
}

// Two of each axis, one layer a stage, two micro-batches of one sequence of 4 tokens.
inline Plan tiny_plan() {
  Plan plan;
  plan.name = "tiny";
  plan.parallelism.tensor = 2;
  plan.parallelism.data = 2;
  plan.parallelism.pipeline = 2;
  plan.parallelism.sequence_length = 4;
  plan.parallelism.micro_batches = 2;
  return plan;
}

}  // namespace quintet::test
