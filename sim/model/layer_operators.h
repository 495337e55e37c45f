// The kernels of one transformer layer, of the embedding and of the head, on one rank, for one
// micro-batch, in the order they run, cut where the tensor-parallel collectives stand.
// Megatron-LM's layer (arXiv 1909.08053) with sequence parallelism (arXiv 2205.05198).
//
//                 forward                          backward (B): mlp first, then attention
//   before_gather  norm                            dropout
//   -- gather --   sequence parallel: all-gather   sequence parallel: all-gather; else nothing
//   parallel       column GEMM ... row GEMM        row GEMM' ... column GEMM'
//   -- reduce --   all-reduce, or reduce-scatter   all-reduce, or reduce-scatter
//   after_reduce   (bias, dropout,) residual       norm, sum with the residual's gradient
//
// Post-norm models (BERT) have the norm in after_reduce (B: in before_gather). Both collectives
// move activation_bytes() (the whole buffer) inside the tensor axis; with tensor == 1 neither
// exists. Context parallelism: keys and values are exchanged around the attention operator, whose
// shape says query_length = sequence / context, key_length = sequence; see key_value_bytes().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/model/model.h"
#include "sim/model/operator.h"

namespace quintet {

struct LayerSplit {
  int tensor = 1;
  bool sequence_parallel = false;  // norms, dropout, residual on 1/tensor of the sequence
  int context = 1;
  bool operator==(const LayerSplit&) const = default;
};

// What the software stack does in one kernel. The defaults are Megatron-LM's, with fused norms.
struct Fusion {
  bool norm = true;            // otherwise an RMS norm is eager PyTorch's eight kernels in fp32
  bool norm_residual = false;  // the residual is added inside the next norm's kernel
  bool bias_dropout_residual = true;
  bool bias_activation = true;  // bias and GELU, or SiLU and gate
  bool rotary = true;           // otherwise rotate, two multiplications and an addition
  bool rotary_in_attention = false;
  bool masked_softmax = true;  // unfused attention: scale, mask and softmax
  // Eager softmax without a scale, whose mask is filled in place into a view of the scores:
  // backward copies the view's whole base (PyTorch's CopySlices).
  bool mask_in_place = false;
  bool cross_entropy = false;         // otherwise Megatron's six fp32 passes over the logits
  bool gradient_accumulation = true;  // W adds to the main gradient inside the GEMM
  // The loss is PyTorch's own over fp32 logits that every tensor rank gathers whole, instead of
  // Megatron's over each rank's share of the vocabulary.
  bool whole_logits = false;
  // Sequence parallelism keeps what it gathered for a GEMM, instead of gathering it again.
  bool gathered_inputs_kept = false;
  // An eager RMS norm multiplies by its weight in fp32, so that the normed tensor is kept in fp32.
  bool norm_weight_in_fp32 = false;
  // The tensor-parallel reduction of an input gradient runs under the weight gradient's GEMM.
  bool tensor_reduction_hidden = true;
  // Selective recomputation keeps every other product, instead of all but attention's core.
  bool alternate_products_kept = false;
  bool packed_attention = false;  // FlashAttention 1: q, k, v are packed, and the copy is kept
  // Sequence parallelism's gathers and scatters run in pieces beside the GEMM that needs or makes
  // them (Transformer Engine's userbuffers, `--tp-comm-overlap`).
  bool tensor_overlap = false;
  // Where the weight gradient is added inside the GEMM, autograd still wants one: it is handed an
  // empty tensor of the weight's shape in the compute type, which stays allocated for each shape of
  // a layer (get_dummy_wgrad in Transformer Engine's module/base.py and in Megatron-Core's
  // tensor_parallel/layers.py, for weights with grad_added_to_main_grad).
  bool dummy_weight_gradients = false;
  bool operator==(const Fusion&) const = default;
};

// One micro-batch on one rank.
struct LayerWork {
  std::int64_t sequences = 1;
  std::int64_t sequence_length = 0;  // whole, before context parallelism
  DataType type = DataType::bf16;
  // The type of the products with the layers' weights, where it is not `type`: fp8 among bf16
  // tensors.
  std::optional<DataType> gemm_type;
  Float8Scaling float8_scaling = Float8Scaling::delayed;  // where that is fp8
  DataType gradient_type = DataType::fp32;                // of the main gradient
  AttentionKernel attention = AttentionKernel::flash;
  LayerSplit split;
  Fusion fusion;
  int vocabulary_multiple = 1;  // as in ParameterSplit
  bool operator==(const LayerWork&) const = default;
};

struct BlockOperators {
  std::vector<Operator> before_gather;
  std::vector<Operator> parallel;
  std::vector<Operator> after_reduce;
  bool operator==(const BlockOperators&) const = default;
};

struct LayerOperators {
  BlockOperators attention_block;
  BlockOperators mlp_block;
  bool operator==(const LayerOperators&) const = default;
};

// Runs attention_block, then mlp_block. Unfused attention is its batched GEMMs and its softmax
// (MemoryShape, rows > 0) and dropout kernels, all of kind attention; flash is one AttentionShape.
LayerOperators forward_operators(const Model& model, const LayerWork& work);

// B. Runs mlp_block, then attention_block. A GEMM has the shape of the product it is:
// dX[m,k] = dY[m,n] W[k,n]'. Attention, activation, rotary, dropout and norms belong here whole;
// norm kernels give their weights' gradients too (a second, small kernel).
LayerOperators input_gradient_operators(const Model& model, const LayerWork& work);

// W. Runs mlp_block, then attention_block, in any order and as late as memory allows.
// before_gather: the row GEMM's (mlp_down, attention_output), whose operands are there once B's
// gather is done (delayed W under sequence parallelism must keep or gather them again).
// parallel: the column GEMM's (mlp_up, qkv): under sequence parallelism the norm's output, kept
// as a share, is all-gathered again first; that gather can hide behind before_gather or B.
// No reduction. Bias gradients stand beside their GEMM. dW[k,n] = X'[k,m] dY[m,n].
LayerOperators weight_gradient_operators(const Model& model, const LayerWork& work);

// What is repeated before a layer's B. attention_core: no collective (but the
// exchange of context parallelism). whole_layer: all of forward with its collectives, as
// Megatron-LM does.
// alternate_products: all of forward but its collectives, attention and every other matrix product
// (q, v, the first up and the down matrix are kept, k, the output and the second up matrix are
// not): torchtitan's "selective op" policy, torchtitan/parallelisms/parallelize_llama.py; GELU
// models repeat attention's output alone.
LayerOperators recompute_operators(const Model& model, const LayerWork& work, RecomputedPart part);

// First stage, forward. parallel: the rows this rank's share of the vocabulary has; then the
// all-reduce or reduce-scatter; after_reduce: positions, types, norm, dropout.
BlockOperators embedding_operators(const Model& model, const LayerWork& work);
// Backward, B and W at once (Phase::backward). before_gather: dropout, norm, positions; under
// sequence parallelism an all-gather; parallel: the scatter into the table. No reduction.
BlockOperators embedding_gradient_operators(const Model& model, const LayerWork& work);

// Last stage, forward. before_gather: final norm (BERT: transform); gather as in a layer;
// parallel: head GEMM, then cross entropy. Vocabulary split: the loss all-reduces
// loss_reduction_bytes() three times (maximum, sum, target). BERT: the masked-language head over
// all positions; pooler and next-sentence classifier (one row per sequence) are left out.
BlockOperators head_operators(const Model& model, const LayerWork& work);
// B. parallel: loss gradient, head GEMM; reduce as in a layer's B; after_reduce: final norm.
BlockOperators head_input_gradient_operators(const Model& model, const LayerWork& work);
// W. parallel: the vocabulary's, behind the same gather as weight_gradient_operators' column GEMMs.
// after_reduce: of BERT's transform, whose operand B's after_reduce makes.
BlockOperators head_weight_gradient_operators(const Model& model, const LayerWork& work);

// What one number of such a product's operand takes, with its part in the scales of its block.
// (One scale of a whole tensor takes nothing.)
Bytes operand_bytes(const LayerWork& work);

// Whole buffer of a tensor-parallel gather or reduce: sequences * sequence / context * hidden.
Bytes activation_bytes(const Model& model, const LayerWork& work);
// What one rank hands to the next stage: a 1/tensor share of it under sequence parallelism.
Bytes stage_boundary_bytes(const Model& model, const LayerWork& work);
// Keys and values of this rank's part of the sequence, for the exchange of context parallelism.
Bytes key_value_bytes(const Model& model, const LayerWork& work);
Bytes loss_reduction_bytes(const Model& model, const LayerWork& work);
// Whole buffer of the gather in front of a loss over whole logits, in fp32.
Bytes whole_logits_bytes(const Model& model, const LayerWork& work);

}  // namespace quintet
