// Floating-point operations of a whole step: what MFU and HFU divide by time. A multiply-add is
// two; norms, activations, softmax, rotary and optimizer count nothing.
#pragma once

#include <cstdint>

#include "sim/base/units.h"
#include "sim/model/layer_operators.h"
#include "sim/model/model.h"
#include "sim/model/operator.h"
#include "sim/samples/sample_work.h"

namespace quintet {

// Forward and backward (three times forward), `sequences` of `sequence_length` tokens.
// Megatron-LM's convention (training.py num_floating_point_operations):
//   6 T (L (h (q + 2k) + q h + 3 h f) + h V) + 12 L q S, with T tokens and S the sum over sequences
//   of squared lengths, halved under causal_half when the mask is causal; 2 h f for a GELU MLP.
// The vocabulary is the unpadded one. A sliding window w < s replaces s^2 by s w (full), or by
// s w - w^2 / 2 (half). BERT adds its masked-language transform, 6 T h^2, and no other head.
Flops model_flops(const Model& model, std::int64_t sequences, std::int64_t sequence_length,
                  AttentionCount count);

// model_flops plus one forward of what is recomputed: the two products of attention, every other
// matrix (layer_operators.h), or the whole layers without the head. What flash attention recomputes
// inside its backward kernel is not counted, as nobody does. arXiv 2205.05198 (appendix A) agrees
// for whole layers, but its formula for the attention core (s / 3h) adds attention three times: its
// printed HFUs are higher than these by 3.4 % (22B) to 0.9 % (1T).
Flops hardware_flops(const Model& model, std::int64_t sequences, std::int64_t sequence_length,
                     AttentionCount count, RecomputedPart recomputed);

// The same of samples of any lengths, which no window cuts: both are a s + b s^2 of a length s.
Flops model_flops(const Model& model, const SampleWork& work, AttentionCount count);
Flops hardware_flops(const Model& model, const SampleWork& work, AttentionCount count,
                     RecomputedPart recomputed);

// So many keys cost a token's attention what the matrices of its layer cost the token
// (sim/samples/sample_work.h), attention counted in full: 6 h where the feed-forward has 4 h.
double keys_per_token(const Model& model);

// T (6 N + 12 L q s): PaLM's (arXiv 2204.02311, appendix B), with N all parameters, both
// embeddings included; attention counted in full.
Flops palm_flops(const Model& model, std::int64_t sequences, std::int64_t sequence_length);

// work / (time * gpus * peak)
double utilisation(Flops work, Seconds step, int gpus, FlopRate peak);

}  // namespace quintet
