// One small program as a whole: what every rank does, as text.
#include <gtest/gtest.h>

#include "sim/parallelism/compile.h"
#include "tests/support/tiny_model.h"

namespace quintet {
namespace {

// How to read it against the tiny model (tiny_model.h), 4 tokens of width 8 in bf16:
//   - activations are 4 x 8 x 2 = 64 B, which tensor ranks reduce and stages send;
//   - a tensor rank has one head of 4 (qkv: 8 -> 12), 8 of 16 MLP columns, twice for the gate;
//   - backward of a column GEMM: input gradient, its all-reduce under the weight gradient's GEMM,
//     the norm's backward once both are there;
//   - the loss reduces 4 maxima, sums and targets in fp32: 16 B each;
//   - stage 0 has 336 + 128 = 464 parameters, stage 1 336 + 128 + 8 = 472: gradients of 1856 and
//     1888 B in fp32, AdamW reads 4 + 12 B and writes 12 B of each, the cast to bf16 follows;
//   - 1F1B: stage 0 does two forwards before its first backward, stage 1 takes turns;
//   - gradients leave after the last micro-batch's backward, under the send to the stage before.
const char* const expected =
    R"(grid tensor=2 context=1 expert=1 data=2 pipeline=2 (innermost first), 8 ranks
communicator "tensor" 2 ranks: tensor
communicator "data" 2 ranks: data
communicator "embedding" 2 ranks: pipeline stages 0,1
communicator "model" 4 ranks: tensor pipeline
body "embedding forward"
  0 compute: embedding forward: token_embedding forward [64 B read, 64 B written]
  1 tensor: all-reduce embedding: all-reduce over tensor [64 B] after 0
body "layer forward"
  0 compute: norm forward: attention_norm forward [64 B read, 64 B written]
  1 compute: qkv_projection forward: qkv forward [4x12x8]
  2 compute: rotary forward: rotary forward [64 B read, 64 B written]
  3 compute: attention forward: flash_attention forward [1x1/1 heads, 4x4 d4]
  4 compute: attention_output forward: attention_output forward [4x8x4]
  5 tensor: all-reduce attention: all-reduce over tensor [64 B] after 4
  6 compute: residual forward: attention_residual forward [128 B read, 64 B written] after 5
  7 compute: norm forward: mlp_norm forward [64 B read, 64 B written]
  8 compute: mlp_up forward: mlp_up forward [4x16x8]
  9 compute: mlp_activation forward: mlp_activation forward [128 B read, 64 B written]
  10 compute: mlp_down forward: mlp_down forward [4x8x8]
  11 tensor: all-reduce mlp: all-reduce over tensor [64 B] after 10
  12 compute: residual forward: mlp_residual forward [128 B read, 64 B written] after 11
body "send activation"
  0 send forward: send activation: send to pipeline +1 [64 B]
body "receive gradient"
  0 receive backward: receive gradient: receive from pipeline +1 [64 B]
body "layer backward"
  0 compute: mlp_down input_gradient: mlp_down input_gradient [4x8x8]
  1 compute: mlp_down weight_gradient: mlp_down weight_gradient [8x8x4]
  2 compute: mlp_activation input_gradient: mlp_activation input_gradient [192 B read, 128 B written]
  3 compute: mlp_up input_gradient: mlp_up input_gradient [4x8x16]
  4 tensor: all-reduce mlp gradient: all-reduce over tensor [64 B] after 3
  5 compute: mlp_up weight_gradient: mlp_up weight_gradient [8x16x4]
  6 compute: norm input_gradient: mlp_norm input_gradient [128 B read, 64 B written] after 4
  7 compute: residual input_gradient: mlp_residual input_gradient [128 B read, 64 B written]
  8 compute: attention_output input_gradient: attention_output input_gradient [4x4x8]
  9 compute: attention_output weight_gradient: attention_output weight_gradient [4x8x4]
  10 compute: attention input_gradient: flash_attention input_gradient [1x1/1 heads, 4x4 d4]
  11 compute: rotary input_gradient: rotary input_gradient [64 B read, 64 B written]
  12 compute: qkv_projection input_gradient: qkv input_gradient [4x8x12]
  13 tensor: all-reduce attention gradient: all-reduce over tensor [64 B] after 12
  14 compute: qkv_projection weight_gradient: qkv weight_gradient [8x12x4]
  15 compute: norm input_gradient: attention_norm input_gradient [128 B read, 64 B written] after 13
  16 compute: residual input_gradient: attention_residual input_gradient [128 B read, 64 B written]
body "embedding backward"
  0 compute: embedding backward: token_embedding backward [192 B read, 128 B written]
body "gradient scale"
  0 compute: gradient_scale update: bucket_mean update [1856 B read, 1856 B written]
body "gradient exchange"
  0 gradients: all-reduce gradients: all-reduce over data [1856 B]
body "clip"
  0 compute: gradient_norm update: gradient_norm update [1856 B read, 0 B written]
  1 gradients: all-reduce gradient norm: all-reduce over model [4 B] after 0
  2 compute: gradient_clip update: gradient_clip update [1856 B read, 1856 B written] after 1
body "update"
  0 compute: optimizer_update update: element_update update [7424 B read, 5568 B written]
  1 compute: cast update: weight_cast update [1856 B read, 928 B written]
body "receive activation"
  0 receive forward: receive activation: receive from pipeline -1 [64 B]
body "head forward"
  0 compute: norm forward: head_norm forward [64 B read, 64 B written]
  1 compute: head forward: vocabulary forward [4x16x8]
  2 tensor: all-reduce loss maximum: all-reduce over tensor [16 B] after 1
  3 compute: cross_entropy forward: cross_entropy forward [1408 B read, 1024 B written] after 2
  4 tensor: all-reduce loss sum: all-reduce over tensor [16 B] after 3
  5 tensor: all-reduce loss target: all-reduce over tensor [16 B] after 3
body "head backward"
  0 compute: cross_entropy input_gradient: cross_entropy input_gradient [512 B read, 384 B written]
  1 compute: head input_gradient: vocabulary input_gradient [4x8x16]
  2 tensor: all-reduce head gradient: all-reduce over tensor [64 B] after 1
  3 compute: head weight_gradient: vocabulary weight_gradient [8x16x4]
  4 compute: norm input_gradient: head_norm input_gradient [128 B read, 64 B written] after 2
body "send gradient"
  0 send backward: send gradient: send to pipeline -1 [64 B]
body "gradient scale"
  0 compute: gradient_scale update: bucket_mean update [1888 B read, 1888 B written]
body "gradient exchange"
  0 gradients: all-reduce gradients: all-reduce over data [1888 B]
body "clip"
  0 compute: gradient_norm update: gradient_norm update [1888 B read, 0 B written]
  1 gradients: all-reduce gradient norm: all-reduce over model [4 B] after 0
  2 compute: gradient_clip update: gradient_clip update [1888 B read, 1888 B written] after 1
body "update"
  0 compute: optimizer_update update: element_update update [7552 B read, 5664 B written]
  1 compute: cast update: weight_cast update [1888 B read, 944 B written]
role "stage 0"
  0 embedding forward m0
  1 layer forward m0 layer 0 after 0
  2 send activation m0 after 1
  3 embedding forward m1
  4 layer forward m1 layer 0 after 3
  5 send activation m1 after 4
  6 receive gradient m0
  7 layer backward m0 layer 0 after 6
  8 embedding backward m0 after 7
  9 receive gradient m1
  10 layer backward m1 layer 0 after 9
  11 embedding backward m1 after 10
  12 gradient scale m1 bucket 0 elements 0..464 after 11
  13 gradient exchange m1 bucket 0 elements 0..464 after 12
  14 clip after 13
  15 update after 14
role "stage 1"
  0 receive activation m0
  1 layer forward m0 layer 1 after 0
  2 head forward m0 after 1
  3 head backward m0 after 2
  4 layer backward m0 layer 1 after 3
  5 send gradient m0 after 4
  6 receive activation m1
  7 layer forward m1 layer 1 after 6
  8 head forward m1 after 7
  9 head backward m1 after 8
  10 layer backward m1 layer 1 after 9
  11 gradient scale m1 bucket 0 elements 0..472 after 10
  12 gradient exchange m1 bucket 0 elements 0..472 after 11
  13 send gradient m1 after 10
  14 clip after 12,13
  15 update after 14
)";

TEST(Compile, SaysAllOfATinyStep) {
  EXPECT_EQ(expected, program_text(compile(test::tiny_model(), test::tiny_plan())));
}

}  // namespace
}  // namespace quintet
