#include "sim/model/layer_operators.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/model/activations.h"
#include "sim/model/parameters.h"
#include "sim/model/step_flops.h"
#include "tests/support/known_models.h"

namespace quintet {
namespace {

Flops flops_of_all(const std::vector<Operator>& operators) {
  Flops sum;
  for (const Operator& work : operators) sum += flops_of(work, AttentionCount::full);
  return sum;
}

Flops flops_of_all(const BlockOperators& block) {
  return flops_of_all(block.before_gather) + flops_of_all(block.parallel) +
         flops_of_all(block.after_reduce);
}

Flops flops_of_all(const LayerOperators& layer) {
  return flops_of_all(layer.attention_block) + flops_of_all(layer.mlp_block);
}

// Forward, B and W of every layer and of both ends.
Flops flops_of_step(const Model& model, const LayerWork& work) {
  return model.layers * (flops_of_all(forward_operators(model, work)) +
                         flops_of_all(input_gradient_operators(model, work)) +
                         flops_of_all(weight_gradient_operators(model, work))) +
         flops_of_all(embedding_operators(model, work)) +
         flops_of_all(embedding_gradient_operators(model, work)) +
         flops_of_all(head_operators(model, work)) +
         flops_of_all(head_input_gradient_operators(model, work)) +
         flops_of_all(head_weight_gradient_operators(model, work));
}

// "norm rotary attention"
std::string kinds(const std::vector<Operator>& operators) {
  std::string line;
  for (const Operator& work : operators)
    line += (line.empty() ? "" : " ") + std::string(name_of(kind_of(work.computation)));
  return line;
}

// "qkv+ qkv_bias-": of a pair the first and the second.
std::string computations_of(const std::vector<Operator>& operators) {
  std::string line;
  for (const Operator& work : operators) {
    line += (line.empty() ? "" : " ") + std::string(name_of(work.computation));
    if (work.pairing != Pairing::alone) line += work.pairing == Pairing::first ? "+" : "-";
  }
  return line;
}

std::string kinds(const BlockOperators& block) {
  return kinds(block.before_gather) + " | " + kinds(block.parallel) + " | " +
         kinds(block.after_reduce);
}

LayerWork work_of(std::int64_t sequences, std::int64_t length) {
  LayerWork work;
  work.sequences = sequences;
  work.sequence_length = length;
  return work;
}

LayerWork unfused(LayerWork work) {
  work.attention = AttentionKernel::unfused;
  return work;
}

// What the kernels do adds up to what the formula counts (unfused: every product is a GEMM).
TEST(LayerOperators, AddUpToTheModelsFlops) {
  const AttentionCount full = AttentionCount::full;
  const Model gpt = shipped("gpt-3-175b"), llama3 = shipped("llama-3-8b");
  const Model bert = shipped("bert-large");
  EXPECT_EQ(flops_of_step(gpt, unfused(work_of(1, 2048))), model_flops(gpt, 1, 2048, full));
  EXPECT_EQ(flops_of_step(llama3, unfused(work_of(2, 8192))), model_flops(llama3, 2, 8192, full));
  EXPECT_EQ(flops_of_step(bert, unfused(work_of(3, 512))), model_flops(bert, 3, 512, full));
}

// Flash recomputes the scores in its backward kernel: one product of q by k by d more per layer.
TEST(LayerOperators, FlashAttentionDoesOneProductMore) {
  const Model model = shipped("llama-3-8b");
  const Flops more =
      flops_of_step(model, work_of(1, 2048)) - model_flops(model, 1, 2048, AttentionCount::full);
  EXPECT_EQ(more, Flops{2.0 * 32 * 4096 * 2048 * 2048});
}

// Tensor and context ranks divide all of a layer's products evenly.
TEST(LayerOperators, ARankDoesItsShare) {
  const Model model = shipped("llama-3-70b");
  LayerWork split = work_of(1, 8192);
  split.split = {.tensor = 8, .sequence_parallel = true, .context = 2};
  const Flops whole = flops_of_all(forward_operators(model, work_of(1, 8192)));
  EXPECT_EQ(16 * flops_of_all(forward_operators(model, split)), whole);
}

TEST(LayerOperators, RunInTheOrderOfAPreNormLayer) {
  const LayerOperators layer = forward_operators(shipped("llama-3-8b"), work_of(1, 128));
  EXPECT_EQ(kinds(layer.attention_block),
            "norm | qkv_projection rotary attention attention_output | residual");
  EXPECT_EQ(kinds(layer.mlp_block), "norm | mlp_up mlp_activation mlp_down | residual");
}

TEST(LayerOperators, PutTheNormLastInAPostNormLayer) {
  const LayerOperators layer = forward_operators(shipped("bert-large"), work_of(1, 128));
  EXPECT_EQ(kinds(layer.attention_block),
            " | qkv_projection attention attention_output | residual norm");
  EXPECT_EQ(kinds(layer.mlp_block), " | mlp_up mlp_activation mlp_down | residual norm");
}

// GPT has dropout: its mask is applied first on the way back.
TEST(LayerOperators, RunBackwardsInTheGradient) {
  const LayerOperators layer = input_gradient_operators(shipped("gpt2"), work_of(1, 128));
  EXPECT_EQ(kinds(layer.mlp_block), "residual | mlp_down mlp_activation mlp_up | norm residual");
  EXPECT_EQ(kinds(layer.attention_block),
            "residual | attention_output attention qkv_projection | norm residual");
}

// Bias gradients stand behind their GEMM: GPT-2 has a bias everywhere.
TEST(LayerOperators, WeightGradientsAreCutAtTheGatherOfTheirInput) {
  const LayerOperators layer = weight_gradient_operators(shipped("gpt2"), work_of(1, 128));
  EXPECT_EQ(kinds(layer.mlp_block), "mlp_down mlp_down | mlp_up mlp_up | ");
  EXPECT_EQ(kinds(layer.attention_block),
            "attention_output attention_output | qkv_projection qkv_projection | ");
}

TEST(LayerOperators, UnfusedAttentionIsItsProductsSoftmaxAndDropout) {
  const LayerOperators layer = forward_operators(shipped("gpt2"), unfused(work_of(2, 1024)));
  const std::vector<Operator>& operators = layer.attention_block.parallel;
  ASSERT_EQ(kinds(operators),
            "qkv_projection attention attention attention attention attention_output");
  const double scores = 2.0 * 12 * 1024 * 1024;
  // A causal softmax reads half of what it writes.
  const MemoryShape softmax{Bytes{scores}, Bytes{2 * scores}, 2 * 12 * 1024, 1024};
  const MemoryShape dropout{Bytes{2 * scores}, Bytes{3 * scores}};
  EXPECT_EQ(operators[1].shape, OperatorShape(GemmShape{1024, 1024, 64, 24}));
  EXPECT_EQ(operators[2].shape, OperatorShape(softmax));
  EXPECT_EQ(operators[3].shape, OperatorShape(dropout));
  EXPECT_EQ(operators[4].shape, OperatorShape(GemmShape{1024, 64, 1024, 24}));
}

TEST(LayerOperators, SayWhichComputationTheyAre) {
  Model gpt2 = shipped("gpt2");
  gpt2.kv_heads = 4;
  gpt2.attention_dropout = gpt2.dropout = 0.1;
  const LayerWork work = unfused(work_of(2, 1024));
  EXPECT_EQ(computations_of(forward_operators(gpt2, work).attention_block.parallel),
            "qkv head_copies attention_scores attention_softmax attention_dropout attention_values "
            "attention_output");
  const LayerOperators backward = input_gradient_operators(gpt2, work);
  EXPECT_EQ(computations_of(backward.attention_block.before_gather), "attention_branch_dropout");
  EXPECT_EQ(computations_of(backward.attention_block.parallel),
            "attention_output probability_gradient value_gradient attention_dropout "
            "attention_softmax query_gradient key_gradient head_copies qkv");
  EXPECT_EQ(computations_of(backward.mlp_block.parallel), "mlp_down+ mlp_activation- mlp_up");
  EXPECT_EQ(computations_of(backward.mlp_block.after_reduce), "mlp_norm mlp_residual");
  EXPECT_EQ(computations_of(weight_gradient_operators(gpt2, work).mlp_block.parallel),
            "mlp_up+ mlp_up_bias-");
}

// A pair's first is not repeated where its product is kept.
TEST(LayerOperators, APairOfWhichOneIsKeptIsNone) {
  const LayerOperators again =
      recompute_operators(shipped("gpt2"), work_of(1, 128), RecomputedPart::alternate_products);
  EXPECT_EQ(computations_of(again.mlp_block.parallel), "mlp_activation");
}

// fp32 scores: the mask reads and writes them, so does the softmax. Backward: softmax reads two and
// writes one; CopySlices copies the base, clones the slice, masks a copy (two passes) and copies
// back: 5 reads and 5 writes.
TEST(LayerOperators, AMaskFilledInPlaceCopiesTheScoresBackward) {
  LayerWork work = unfused(work_of(1, 1024));
  work.type = DataType::tf32;
  work.fusion.masked_softmax = false;
  work.fusion.mask_in_place = true;
  Model model = shipped("gpt2");
  model.attention_dropout = 0;
  const double scores = 12.0 * 1024 * 1024;
  const auto softmax = [&](double read, double written) {
    return OperatorShape(
        MemoryShape{Bytes{4 * read * scores}, Bytes{4 * written * scores}, 12 * 1024, 1024});
  };
  const Operator forward = forward_operators(model, work).attention_block.parallel[2];
  EXPECT_EQ(forward.shape, softmax(2, 2));
  EXPECT_EQ(forward.kernels, 2);
  const Operator backward = input_gradient_operators(model, work).attention_block.parallel[3];
  EXPECT_EQ(backward.shape, softmax(2 + 5, 1 + 5));
  EXPECT_EQ(backward.kernels, 6);
}

// 70B on 8 ranks: 8 + 2 x 1 heads of 128 wide, 2 x 28672 / 8 columns, 4096 tokens.
TEST(LayerOperators, GemmsHaveThisRanksShape) {
  LayerWork work = work_of(1, 4096);
  work.split.tensor = 8;
  const Model model = shipped("llama-3-70b");
  const LayerOperators forward = forward_operators(model, work);
  const LayerOperators input = input_gradient_operators(model, work);
  const LayerOperators weight = weight_gradient_operators(model, work);
  EXPECT_EQ(forward.attention_block.parallel.front().shape,
            OperatorShape(GemmShape{4096, 1280, 8192}));
  EXPECT_EQ(forward.mlp_block.parallel.front().shape, OperatorShape(GemmShape{4096, 7168, 8192}));
  EXPECT_EQ(input.mlp_block.parallel.back().shape, OperatorShape(GemmShape{4096, 8192, 7168}));
  EXPECT_EQ(weight.mlp_block.parallel.front().shape, OperatorShape(GemmShape{8192, 7168, 4096}));
}

// 4096 tokens x 8192 x 2 bytes = 64 MiB in, the same out; an eighth under sequence parallelism.
TEST(LayerOperators, NormsShrinkUnderSequenceParallelism) {
  LayerWork work = work_of(1, 4096);
  work.split.tensor = 8;
  const Model model = shipped("llama-3-70b");
  const MemoryShape whole{Bytes{67'108'864}, Bytes{67'108'864}, 4096, 8192};
  const MemoryShape share{Bytes{8'388'608}, Bytes{8'388'608}, 512, 8192};
  EXPECT_EQ(forward_operators(model, work).mlp_block.before_gather.front().shape,
            OperatorShape(whole));
  work.split.sequence_parallel = true;
  EXPECT_EQ(forward_operators(model, work).mlp_block.before_gather.front().shape,
            OperatorShape(share));
  EXPECT_EQ(activation_bytes(model, work), Bytes{67'108'864});
  EXPECT_EQ(stage_boundary_bytes(model, work), Bytes{8'388'608});
}

// Two streams in and two out of the norm; the residual has no kernel of its own.
TEST(LayerOperators, ANormCanTakeTheResidualIn) {
  LayerWork work = work_of(1, 4096);
  work.fusion.norm_residual = true;
  const LayerOperators layer = forward_operators(shipped("llama-3-70b"), work);
  const MemoryShape norm{Bytes{2 * 67'108'864.0}, Bytes{2 * 67'108'864.0}, 4096, 8192};
  EXPECT_EQ(layer.mlp_block.before_gather.front().shape, OperatorShape(norm));
  EXPECT_EQ(kinds(layer.mlp_block), "norm | mlp_up mlp_activation mlp_down | ");
}

// Gate and up read (2 x 14336 wide), their product written: 128 tokens of 2 bytes.
TEST(LayerOperators, TheGatedActivationReadsBothHalves) {
  const LayerOperators layer = forward_operators(shipped("llama-3-8b"), work_of(1, 128));
  const MemoryShape shape{Bytes{2.0 * 128 * 28672}, Bytes{2.0 * 128 * 14336}};
  EXPECT_EQ(layer.mlp_block.parallel[1].shape, OperatorShape(shape));
}

TEST(LayerOperators, EagerKernelsMoveMoreBytesInMoreLaunches) {
  const Model model = shipped("llama-3-8b");
  LayerWork eager = work_of(1, 128);
  eager.fusion = {.norm = false, .bias_activation = false, .rotary = false};
  const LayerOperators fused = forward_operators(model, work_of(1, 128));
  const LayerOperators split = forward_operators(model, eager);
  const Operator norm = split.mlp_block.before_gather.front();
  const double elements = 128.0 * 4096;
  // LlamaRMSNorm's eight kernels: 20 bytes read and 16 written per element.
  const MemoryShape expected{Bytes{20 * elements}, Bytes{16 * elements}};
  EXPECT_EQ(norm, (Operator{Computation::mlp_norm, Phase::forward, DataType::bf16, expected, 8}));
  EXPECT_EQ(split.mlp_block.parallel[1].kernels, 2);
  EXPECT_EQ(fused.mlp_block.parallel[1].kernels, 1);
  EXPECT_EQ(split.attention_block.parallel[1].kernels, 10);
}

// qk norms of Qwen3: 128 tokens x (32 + 8) heads are rows of 128.
TEST(LayerOperators, QwenNormsItsQueriesAndKeys) {
  Model model = shipped("llama-3-8b");
  model.qk_norm = true;
  const LayerOperators layer = forward_operators(model, work_of(1, 128));
  const double bytes = 2.0 * 128 * 40 * 128;
  const MemoryShape shape{Bytes{bytes}, Bytes{bytes}, 128 * 40, 128};
  ASSERT_EQ(layer.attention_block.parallel[1].computation, Computation::head_norms);
  EXPECT_EQ(layer.attention_block.parallel[1].shape, OperatorShape(shape));
}

TEST(LayerOperators, RecomputingRepeatsWhatItSays) {
  const Model model = shipped("gpt2");
  const LayerWork work = unfused(work_of(1, 1024));
  const LayerOperators core = recompute_operators(model, work, RecomputedPart::attention_core);
  EXPECT_EQ(recompute_operators(model, work, RecomputedPart::nothing), LayerOperators{});
  EXPECT_EQ(kinds(core.attention_block), " | attention attention attention attention | ");
  EXPECT_EQ(flops_of_all(recompute_operators(model, work, RecomputedPart::whole_layer)),
            flops_of_all(forward_operators(model, work)));
  EXPECT_EQ(core.attention_block.parallel.front().phase, Phase::recompute);
}

// Weight gradients not accumulated by their GEMM: 768 x 2304 read twice (2 and 4 bytes), written.
TEST(LayerOperators, AccumulationIsAKernelUnlessTheGemmDoesIt) {
  LayerWork work = work_of(1, 128);
  work.fusion.gradient_accumulation = false;
  const LayerOperators layer = weight_gradient_operators(shipped("gpt2"), work);
  const double weights = 768.0 * 2304;
  const MemoryShape shape{Bytes{6 * weights}, Bytes{4 * weights}};
  EXPECT_EQ(kinds(layer.attention_block.parallel), "qkv_projection qkv_projection gradient_add");
  EXPECT_EQ(layer.attention_block.parallel.back().shape, OperatorShape(shape));
}

// 128,256 words over 8 ranks: 16,032 columns; six fp32 passes read 2 + 5 x 4 and write 4 x 4 bytes.
TEST(HeadOperators, TellBertsTransformFromTheVocabulary) {
  const Model bert = shipped("bert-large");
  const LayerWork work = work_of(1, 128);
  const BlockOperators forward = head_operators(bert, work);
  EXPECT_EQ(computations_of(forward.before_gather),
            "head_transform+ head_transform_activation- head_norm");
  EXPECT_EQ(computations_of(forward.parallel), "vocabulary cross_entropy");
  const BlockOperators weight = head_weight_gradient_operators(bert, work);
  EXPECT_EQ(computations_of(weight.parallel), "vocabulary+ vocabulary_bias-");
  EXPECT_EQ(computations_of(weight.after_reduce), "head_transform+ head_transform_bias-");
}

TEST(HeadOperators, SplitTheVocabulary) {
  LayerWork work = work_of(1, 128);
  work.split.tensor = 8;
  const BlockOperators head = head_operators(shipped("llama-3-8b"), work);
  const double logits = 128.0 * 16032;
  const MemoryShape loss{Bytes{22 * logits}, Bytes{16 * logits}, 128, 16032};
  ASSERT_EQ(kinds(head), "norm | head cross_entropy | ");
  EXPECT_EQ(head.parallel[0].shape, OperatorShape(GemmShape{128, 16032, 4096}));
  EXPECT_EQ(head.parallel[1].shape, OperatorShape(loss));
  EXPECT_EQ(loss_reduction_bytes(shipped("llama-3-8b"), work), Bytes{4 * 128});
}

// The loss takes the final norm's 4096 columns for logits; nothing multiplies by a vocabulary.
TEST(HeadOperators, AreALossAloneInAHeadlessModel) {
  const LayerWork work = work_of(1, 128);
  Model model = shipped("llama-3-8b");
  const std::int64_t whole = total_parameters(model);
  model.headless = true;
  const double logits = 128.0 * 4096;
  const BlockOperators head = head_operators(model, work);
  ASSERT_EQ(kinds(head), "norm | cross_entropy | ");
  EXPECT_EQ(head.parallel[0].shape,
            OperatorShape(MemoryShape{Bytes{22 * logits}, Bytes{16 * logits}, 128, 4096}));
  EXPECT_EQ(kinds(head_input_gradient_operators(model, work)), " | cross_entropy | norm");
  EXPECT_EQ(kinds(head_weight_gradient_operators(model, work)), " |  | ");
  EXPECT_EQ(whole - total_parameters(model), 128256LL * 4096);
}

TEST(EmbeddingOperators, AddEveryTableOnce) {
  const LayerWork work = work_of(1, 128);
  EXPECT_EQ(kinds(embedding_operators(shipped("llama-3-8b"), work)), " | embedding | ");
  EXPECT_EQ(kinds(embedding_operators(shipped("gpt2"), work)), " | embedding | embedding residual");
  EXPECT_EQ(kinds(embedding_operators(shipped("bert-large"), work)),
            " | embedding | embedding embedding norm residual");
  EXPECT_EQ(kinds(embedding_gradient_operators(shipped("bert-large"), work)),
            "residual norm embedding embedding | embedding | ");
}

// Each of 4 context ranks holds 2048 tokens of 2 x 8 heads x 128 x 2 bytes.
TEST(LayerOperators, ContextParallelismSplitsTheQueriesOnly) {
  LayerWork work = work_of(1, 8192);
  work.split.context = 4;
  const Model model = shipped("llama-3-8b");
  const Operator attention = forward_operators(model, work).attention_block.parallel[2];
  const AttentionShape expected{.sequences = 1,
                                .heads = 32,
                                .kv_heads = 8,
                                .query_length = 2048,
                                .key_length = 8192,
                                .head_dim = 128};
  EXPECT_EQ(attention.shape, OperatorShape(expected));
  EXPECT_EQ(key_value_bytes(model, work), Bytes{2048.0 * 2 * 1024 * 2});
}

TEST(LayerOperators, Fp8IsTheTypeOfTheLayersProductsAlone) {
  const Model model = shipped("llama-3-8b");
  LayerWork work = work_of(1, 128);
  work.gemm_type = DataType::fp8;
  const LayerOperators layer = forward_operators(model, work);
  EXPECT_EQ(layer.mlp_block.parallel[0].type, DataType::fp8);   // up
  EXPECT_EQ(layer.mlp_block.parallel[1].type, DataType::bf16);  // activation
  EXPECT_EQ(layer.mlp_block.parallel[2].type, DataType::bf16);  // cast
  EXPECT_EQ(layer.mlp_block.parallel[3].type, DataType::fp8);   // down
  EXPECT_EQ(head_operators(model, work).parallel[0].type, DataType::bf16);
}

// Products keep their inputs in fp8; attention keeps its output in bf16 for itself too.
TEST(LayerOperators, Fp8HalvesTheKeptInputsOfProducts) {
  const Model model = shipped("llama-3-8b");
  const LayerActivations usual = layer_activations(model, work_of(1, 128));
  LayerWork work = work_of(1, 128);
  work.gemm_type = DataType::fp8;
  LayerActivations expected = usual;
  expected.qkv_input = 0.5 * usual.qkv_input;
  expected.attention_output = 1.5 * usual.attention_output;
  expected.mlp_input = 0.5 * usual.mlp_input;
  expected.activation_output = 0.5 * usual.activation_output;
  EXPECT_EQ(layer_activations(model, work), expected);
}

// Cast and transposed copy of 128 tokens: 2 B read, 1 + 1 B written an element; widths of the
// attention's output 4096, of the activation's 14,336; backward of the blocks' outputs 4096, of
// mlp_up's 2 x 14,336, of qkv's 6144.
TEST(LayerOperators, Fp8CastsWhatNoOtherKernelCasts) {
  const Model model = shipped("llama-3-8b");
  LayerWork work = work_of(1, 128);
  work.gemm_type = DataType::fp8;
  const auto cast_columns = [](const std::vector<Operator>& operators) {
    std::vector<double> columns;
    for (const Operator& each : operators)
      if (each.computation == Computation::operand_cast) {
        const auto& shape = std::get<MemoryShape>(each.shape);
        EXPECT_EQ(shape.read, shape.written);
        columns.push_back(shape.read.value / (2 * 128));
      }
    return columns;
  };
  const LayerOperators forward = forward_operators(model, work);
  EXPECT_EQ(cast_columns(forward.attention_block.parallel), std::vector<double>{4096});
  EXPECT_EQ(cast_columns(forward.mlp_block.parallel), std::vector<double>{14'336});
  const LayerOperators backward = input_gradient_operators(model, work);
  EXPECT_EQ(cast_columns(backward.mlp_block.before_gather), std::vector<double>{4096});
  EXPECT_EQ(cast_columns(backward.mlp_block.parallel), std::vector<double>{28'672});
  EXPECT_EQ(cast_columns(backward.attention_block.before_gather), std::vector<double>{4096});
  EXPECT_EQ(cast_columns(backward.attention_block.parallel), std::vector<double>{6144});
}

// Each casts 128 x 14,336 numbers to two copies of 1 B each. Current scaling reads them once more,
// for the largest; a block's scale is 4 B for 128 numbers, in the cast, in what is kept and in what
// is gathered.
TEST(LayerOperators, Fp8CastsTakeWhatTheirScalingDoes) {
  const Model model = shipped("llama-3-8b");
  LayerWork work = work_of(1, 128);
  work.gemm_type = DataType::fp8;
  const double numbers = 128.0 * 14'336;
  const auto cast = [&](Float8Scaling scaling) {
    work.float8_scaling = scaling;
    return forward_operators(model, work).mlp_block.parallel[2];
  };
  EXPECT_EQ(cast(Float8Scaling::delayed).shape,
            OperatorShape(MemoryShape{Bytes{2 * numbers}, Bytes{2 * numbers}}));
  EXPECT_EQ(cast(Float8Scaling::delayed).kernels, 1);
  EXPECT_EQ(cast(Float8Scaling::current).shape,
            OperatorShape(MemoryShape{Bytes{4 * numbers}, Bytes{2 * numbers}}));
  EXPECT_EQ(cast(Float8Scaling::current).kernels, 2);
  EXPECT_EQ(cast(Float8Scaling::block).shape,
            OperatorShape(MemoryShape{Bytes{2 * numbers}, Bytes{2 * numbers * (1 + 4.0 / 128)}}));
  EXPECT_EQ(layer_activations(model, work).activation_output, Bytes{numbers * (1 + 4.0 / 128)});
}

// t = 2 ranks, 128 tokens, 128,256 words: 128 x 128,256 logits are L = 16,416,768. In fp32: logits
// and log-softmax 8 L; beside them two gradients 8 L, the gathered parts 4 L and the own 4 L / 2.
TEST(LayerOperators, WholeLogitsTakeTheirMemoryOnEveryRank) {
  const Model model = shipped("llama-3-8b");
  LayerWork work = work_of(1, 128);
  work.split.tensor = 2;
  const double logits = 128.0 * 128'256;
  const HeadActivations shared = head_activations(model, work, LogitsCopy::in_place);
  const HeadActivations whole = head_activations(model, work, LogitsCopy::whole);
  EXPECT_EQ(whole.kept - shared.kept, Bytes{8 * logits - 2 * logits / 2});
  EXPECT_EQ(whole.transient, Bytes{8 * logits + 4 * logits + 4 * logits / 2});
  EXPECT_EQ(whole_logits_bytes(model, work), Bytes{4 * logits});
}

// Both blocks' inputs: 2 bytes x 128 tokens x 4096, of which a rank of 4 kept a quarter.
TEST(LayerOperators, GatheredInputsAreKeptWhole) {
  const Model model = shipped("llama-3-8b");
  LayerWork work = work_of(1, 128);
  work.split = {.tensor = 4, .sequence_parallel = true};
  const Bytes again = layer_activations(model, work).total();
  work.fusion.gathered_inputs_kept = true;
  const Bytes kept = layer_activations(model, work).total();
  EXPECT_EQ(kept - again, Bytes{2 * 2 * 128.0 * 4096 * 3 / 4});
}

// 15 % of 128 positions are 19.2: 20 rows in the head's products and its loss, forward and
// backward; all else sees every position.
TEST(LayerOperators, AHeadThatPredictsMaskedWordsSeesOnlyThose) {
  Model bert = shipped("bert-large");
  bert.predicted_share = 0.15;
  const LayerWork work = work_of(1, 128);
  const BlockOperators head = head_operators(bert, work);
  EXPECT_EQ(std::get<GemmShape>(head.before_gather[0].shape), (GemmShape{20, 1024, 1024}));
  EXPECT_EQ(std::get<GemmShape>(head.parallel[0].shape), (GemmShape{20, 30522, 1024}));
  EXPECT_EQ(std::get<MemoryShape>(head.parallel[1].shape).rows, 20);
  EXPECT_EQ(std::get<MemoryShape>(head_input_gradient_operators(bert, work).parallel[0].shape).rows,
            20);
  Model whole = bert;
  whole.predicted_share = 1;
  EXPECT_EQ(forward_operators(bert, work), forward_operators(whole, work));
}

}  // namespace
}  // namespace quintet
