// Kernels bounded by memory: what each reads and writes per element, forward and backward.
// Counted from the formulas of the named implementations; broadcast operands (weights, biases,
// statistics, cosines) are small beside the rows and left out.
#pragma once

#include <cstdint>

#include "sim/model/layer_operators.h"
#include "sim/model/layer_sizes.h"
#include "sim/model/operator.h"

namespace quintet {

// Per element of `rows` times `columns`.
struct ElementTraffic {
  double read = 0;  // bytes
  double written = 0;
  int kernels = 1;
  bool operator==(const ElementTraffic&) const = default;
};

// What the kernels of a layer have in common.
struct KernelContext {
  Phase phase = Phase::forward;
  DataType type = DataType::bf16;
};

enum class Rows { structured, plain };  // plain: no reduction along a row
// Bytes per element times rows x columns; the shape keeps both only where `structure` has rows.
Operator memory_operator(Computation computation, const KernelContext& context,
                         const ElementTraffic& traffic, std::int64_t rows, std::int64_t columns,
                         Rows structure);

// Marks two operators that may run as one kernel where the software fuses them.
void make_pair(Operator& first, Operator& second);

// Whether the kernel also adds to (forward) or sums with (backward) the residual stream.
enum class ResidualSum { inside, elsewhere };

// Bytes per element of the normalised tensor, and kernels.
ElementTraffic norm_forward(DataType type, NormKernels kernels, ResidualSum sum);
ElementTraffic norm_backward(DataType type, NormKernels kernels, ResidualSum sum);
// Each of q and k has its kernels.
ElementTraffic rotary_traffic(DataType type, const Fusion& fusion);
// The bias of the row GEMM before it.
enum class Bias { absent, present };
ElementTraffic residual_forward(const Model& model, const LayerWork& work, Bias bias);
ElementTraffic dropout_forward(DataType type);
ElementTraffic dropout_backward(DataType type);
// Per element of mlp_down's input.
ElementTraffic activation_forward(const Model& model, const LayerWork& work);
ElementTraffic activation_backward(const Model& model, const LayerWork& work);
// Per score. A fused causal softmax reads only the half that the mask leaves.
ElementTraffic softmax_forward(DataType type, const Fusion& fusion, MaskKind mask);
ElementTraffic softmax_backward(DataType type, const Fusion& fusion, MaskKind mask);
// Per logit.
ElementTraffic cross_entropy_forward(DataType type, const Fusion& fusion);
ElementTraffic cross_entropy_backward(DataType type, const Fusion& fusion);

}  // namespace quintet
