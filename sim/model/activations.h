// Bytes one micro-batch keeps on one rank between its forward and its backward.
// Korthikanti et al., arXiv 2205.05198, section 4: for a GPT layer in 16 bit with dropout
//   s b h (10 + 24/t + 5 a s / (h t)), all divided by t under sequence parallelism,
// generalised tensor by tensor to gated MLPs, grouped-query attention, RMS norm, no dropout, and
// GEMMs in fp8, which keep their inputs so (Transformer Engine).
#pragma once

#include "sim/base/units.h"
#include "sim/model/layer_operators.h"
#include "sim/model/model.h"

namespace quintet {

// One layer, by tensor. "share": divided by tensor under sequence parallelism only.
struct LayerActivations {
  Bytes norm_inputs;        // share; eager norms keep an fp32 copy too
  Bytes qkv_input;          // share
  Bytes query_key_value;    // after rotary
  Bytes qk_norm_inputs;     // Qwen3
  Bytes attention_core;     // unfused: probabilities, their dropout mask and output; flash: log-sum
  Bytes attention_output;   // input of the projection
  Bytes mlp_input;          // share
  Bytes activation_inputs;  // gated: two widths
  Bytes activation_output;  // input of mlp_down
  Bytes dropout_masks;      // share; one byte per element, attention's own is in attention_core

  Bytes total() const;
  bool operator==(const LayerActivations&) const = default;
};

// What one layer keeps of one micro-batch on one rank where nothing is recomputed.
LayerActivations layer_activations(const Model& model, const LayerWork& work);

// What stays of one layer and micro-batch until its backward: all; all but attention_core; the
// layer's input.
Bytes kept_bytes(const Model& model, const LayerWork& work, RecomputedPart part);
// What comes back while that layer's backward runs: needed once per rank, not per micro-batch.
Bytes recomputed_bytes(const Model& model, const LayerWork& work, RecomputedPart part);

// Gradients that exist at once when the MLP's backward has reached its activation: of the block's
// output, whole on every rank for the GEMMs, and of the activation's inputs. (Its output is freed
// by then.)
Bytes activation_gradient_bytes(const Model& model, const LayerWork& work);

// First stage: token ids and the embedding's dropout mask (BERT: and the norm's input).
Bytes embedding_activation_bytes(const Model& model, const LayerWork& work);

// How the loss keeps the logits until backward.
enum class LogitsCopy {
  fp32,      // Megatron-LM: a softmax in fp32, the compute-type logits are freed
  in_place,  // fused cross entropy: the gradient overwrites the logits in the compute type
  // PyTorch's over the whole vocabulary: fp32 logits and their log-softmax; while the loss runs
  // backward also the gradients of both.
  whole,
};

struct HeadActivations {
  Bytes kept;       // norm input, head input, softmax or gradient: s b (4 h + 4 V) / t for GPT
  Bytes transient;  // only while the loss runs: the compute-type logits beside the fp32 copy
  bool operator==(const HeadActivations&) const = default;
};
HeadActivations head_activations(const Model& model, const LayerWork& work, LogitsCopy copy);

}  // namespace quintet
