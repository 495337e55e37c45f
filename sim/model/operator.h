// One kernel-sized piece of work on one rank: what it is, in which phase, and its shape.
// The simulator prices an Operator with a CostTable; the engine finds a kernel for it. Pure data.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "sim/base/data_type.h"
#include "sim/base/units.h"
#include "sim/model/model.h"

namespace quintet {

enum class OperatorKind {
  embedding,  // token (and position, type) rows gathered; backward scatters into the table
  norm,       // layer norm or RMS norm, also the final one
  qk_norm,
  qkv_projection,  // one GEMM of width (heads + 2 kv_heads) head_dim
  rotary,
  attention,         // scores, mask, softmax, (dropout,) times values
  attention_output,  // GEMM back to hidden
  residual,          // (bias, dropout,) add
  mlp_up,            // GEMM to feed_forward, or to 2 feed_forward when gated
  mlp_activation,    // GELU, or SiLU times gate
  mlp_down,          // GEMM back to hidden
  head,              // GEMM to the vocabulary
  cross_entropy,     // softmax and loss, with its gradient
  gradient_scale,    // average or loss scale over a bucket
  gradient_norm,     // squared norm of a bucket or of all
  gradient_clip,     // scale by the clip factor
  gradient_add,      // accumulate a micro-batch into the main gradient
  optimizer_update,
  cast,      // master weights to compute type, and back
  presort,   // load balancing exchange: sort by length (arXiv 2402.02447)
  compress,  // replicator: transform and select (DeMo: DCT and top-k; arXiv 2411.19870)
  decompress,
  stage_total,  // a whole stage and micro-batch as one profiled number (PipeMorph's artefact)
};

enum class Phase {
  forward,
  recompute,        // a forward repeated in the backward pass
  input_gradient,   // B
  weight_gradient,  // W
  backward,         // B and W in one kernel or one unsplit profile
  update,           // optimizer and what surrounds it
};

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

struct Operator {
  OperatorKind kind = OperatorKind::norm;
  Phase phase = Phase::forward;
  DataType type = DataType::bf16;
  OperatorShape shape;
  int kernels = 1;  // launches it takes
  bool operator==(const Operator&) const = default;
};

std::string_view name_of(OperatorKind kind);
std::string_view name_of(Phase phase);

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
Flops flops_of(const Operator& work, AttentionCount count);

}  // namespace quintet
