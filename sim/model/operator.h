// One kernel-sized piece of work on one rank: what it is, in which phase, and its shape.
// The simulator prices an Operator with a CostTable; the engine finds a function that does it. Pure
// data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "sim/base/data_type.h"
#include "sim/base/units.h"
#include "sim/model/model.h"

namespace quintet {

// Which computation of a step an operator is: as fine as the functions that do it.
enum class Computation {
  token_embedding,  // rows gathered; backward scatters into the table
  position_embedding,
  type_embedding,
  embedding_norm,
  embedding_dropout,
  attention_norm,  // layer norm or RMS norm
  qkv,             // one GEMM of width (heads + 2 kv_heads) head_dim
  qkv_bias,    // of this and other biases the gradient's sum over rows: forward adds it elsewhere
  head_norms,  // of queries and keys
  rotary,
  flash_attention,
  head_copies,  // this and what follows to key_gradient: unfused attention
                // (attention_operators.cpp)
  attention_scores,
  attention_softmax,
  attention_dropout,
  attention_values,
  probability_gradient,
  value_gradient,
  query_gradient,
  key_gradient,
  attention_output,  // GEMM back to hidden
  attention_output_bias,
  attention_branch_dropout,  // backward of what attention_residual drops
  attention_residual,        // (bias, dropout,) add
  mlp_norm,
  mlp_up,  // GEMM to feed_forward, or to 2 feed_forward when gated
  mlp_up_bias,
  mlp_activation,  // GELU, or SiLU times gate
  mlp_down,        // GEMM back to hidden
  mlp_down_bias,
  mlp_branch_dropout,
  mlp_residual,
  head_transform,  // BERT: a dense layer before the vocabulary
  head_transform_bias,
  head_transform_activation,
  head_norm,   // the final norm, or the transform's
  vocabulary,  // GEMM to the vocabulary
  vocabulary_bias,
  cross_entropy,  // softmax and loss, with its gradient
  gradient_add,   // accumulate a micro-batch into the main gradient
  bucket_mean,    // average over a bucket
  bucket_norm,    // squared norm of a bucket
  bucket_clip,
  local_norm,  // of all gradients of a rank, before they are summed over replicas
  local_clip,
  gradient_norm,  // of all that the rank updates
  gradient_clip,
  gradient_unscale,  // of loss scaling, where no clip stands before the update
  element_update,    // AdamW, SGD: element by element
  lamb_direction,
  lamb_norms,
  lamb_step,
  weight_cast,    // master weights to compute type
  operand_cast,   // of a product in fp8
  tensor_copies,  // a buffer from or to one tensor per rank
  presort,        // load balancing exchange: sort by length (arXiv 2402.02447)
  // Replicators (sim/parallelism/replication/replicator_operators.h): before the exchange,
  momentum_add,
  chunk_transform,
  coefficient_choice,
  chunk_inverse,
  momentum_rest,
  element_choice,
  outer_difference,
  // and after it.
  coefficient_mean,
  merged_inverse,
  merged_gradient,
  element_merge,
  outer_step,
  stage_total,  // a whole stage and micro-batch as one profiled number (PipeMorph's artefact)
};

inline constexpr std::size_t computations = static_cast<std::size_t>(Computation::stage_total) + 1;

// What instructions, tables of costs and reports call computations: those alike have one kind.
enum class OperatorKind {
  embedding,
  norm,
  qk_norm,
  qkv_projection,
  rotary,
  attention,
  attention_output,
  residual,
  mlp_up,
  mlp_activation,
  mlp_down,
  head,
  cross_entropy,
  gradient_scale,
  gradient_norm,
  gradient_clip,
  gradient_add,
  optimizer_update,
  cast,
  presort,
  compress,
  decompress,
  product,  // this and the next: kernels of others' recordings, of which no more is known
  kernel,
  stage_total,
};
OperatorKind kind_of(Computation computation);

enum class Phase {
  forward,
  recompute,        // a forward repeated in the backward pass
  input_gradient,   // B
  weight_gradient,  // W
  backward,         // B and W in one kernel or one unsplit profile
  update,           // optimizer and what surrounds it
};

// What of a layer's forward is repeated before its backward (layer_operators.h).
enum class RecomputedPart { nothing, attention_core, alternate_products, whole_layer };

// C[m,n] = A[m,k] B[k,n], `batch` times.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t batch = 1;
  bool operator==(const GemmShape&) const = default;
};

enum class AttentionKernel {
  unfused,  // batched GEMMs, scaled masked softmax and dropout kernels; stores scores (Megatron
            // 2021)
  flash,    // one fused kernel, stores no scores
};

struct AttentionShape {
  std::int64_t sequences = 0;  // batch
  std::int64_t heads = 0;      // on this rank
  std::int64_t kv_heads = 0;
  std::int64_t query_length = 0;
  std::int64_t key_length = 0;
  std::int64_t head_dim = 0;
  MaskKind mask = MaskKind::causal;
  AttentionKernel kernel = AttentionKernel::flash;
  std::int64_t window = 0;  // keys a query sees at most; 0: all
  bool operator==(const AttentionShape&) const = default;
};

// Work bounded by memory: what must be read and written, and in how many kernels.
struct MemoryShape {
  Bytes read, written;
  std::int64_t rows = 0;  // of a norm or softmax; 0: no row structure
  std::int64_t columns = 0;
  bool operator==(const MemoryShape&) const = default;
};

// A measured time that replaces shapes: index into CostTable::stages.
struct ProfiledShape {
  int stage = 0;
  int layers = 0;
  bool operator==(const ProfiledShape&) const = default;
};

using OperatorShape = std::variant<GemmShape, AttentionShape, MemoryShape, ProfiledShape>;

// One kernel may do two operators of a body together: it then does both at the first, and the
// second finds its work done. They stay two: B and W apart, a span for each.
enum class Pairing { alone, first, second };

struct Operator {
  Computation computation = Computation::attention_norm;
  Phase phase = Phase::forward;
  DataType type = DataType::bf16;
  OperatorShape shape;
  int kernels = 1;  // launches it takes
  Pairing pairing = Pairing::alone;
  bool operator==(const Operator&) const = default;
};

// What its time depends on: operators equal in this take equally long.
struct PricedOperator {
  OperatorKind kind = OperatorKind::norm;
  Phase phase = Phase::forward;
  DataType type = DataType::bf16;
  OperatorShape shape;
  int kernels = 1;
  bool operator==(const PricedOperator&) const = default;
};
inline PricedOperator as_priced(const Operator& work) {
  return {kind_of(work.computation), work.phase, work.type, work.shape, work.kernels};
}

// As messages, costs.json and traces write them: "mlp_up", "forward".
std::string_view name_of(Computation computation);
std::string_view name_of(OperatorKind kind);
std::string_view name_of(Phase phase);
std::string_view name_of(RecomputedPart part);

// How the masked half of causal attention is counted.
enum class AttentionCount {
  causal_half,  // Megatron-LM, Megatron-Bridge: 6 L q sum s^2 per step
  full,         // PaLM, NeMo 24.07: twice that
};

// Floating-point operations that the kernel does (a multiply-add is two); memory-bound and profiled
// operators count 0.
// GEMM: 2 m n k batch, of the product the shape describes, in each phase; Phase::backward is given
// forward's shape and counts it twice.
// Attention: 4 sequences heads query_length key_length head_dim forward; backward twice that when
// unfused, 2.5 times for flash, which recomputes the scores (arXiv 2205.14135 B.4). All of it is B:
// Phase::weight_gradient counts 0.
// `count` decides only for an AttentionShape with a causal mask: half, or all of it. A window w
// below key_length s leaves w (full) or w - w^2 / (2 s) (half) of the keys.
Flops flops_of(const OperatorShape& shape, Phase phase, AttentionCount count);
inline Flops flops_of(const Operator& work, AttentionCount count) {
  return flops_of(work.shape, work.phase, count);
}

}  // namespace quintet
