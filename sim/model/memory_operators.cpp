#include "sim/model/memory_operators.h"

namespace quintet {
namespace {

constexpr double single = 4;     // bytes of fp32
constexpr double mask_byte = 1;  // of a dropout mask's element

double bytes_of(DataType type) {
  return size_of(type).value;
}

double read_share(MaskKind mask) {
  return mask == MaskKind::causal ? 0.5 : 1.0;
}

ElementTraffic operator+(const ElementTraffic& left, const ElementTraffic& right) {
  return {left.read + right.read, left.written + right.written, left.kernels + right.kernels};
}

}  // namespace

Operator memory_operator(Computation computation, const KernelContext& context,
                         const ElementTraffic& traffic, std::int64_t rows, std::int64_t columns,
                         Rows structure) {
  const double elements = static_cast<double>(rows) * static_cast<double>(columns);
  MemoryShape shape{.read = Bytes{traffic.read * elements},
                    .written = Bytes{traffic.written * elements}};
  if (structure == Rows::structured) {
    shape.rows = rows;
    shape.columns = columns;
  }
  return {computation, context.phase, context.type, shape, traffic.kernels};
}

void make_pair(Operator& first, Operator& second) {
  first.pairing = Pairing::first;
  second.pairing = Pairing::second;
}

// Eager: LlamaRMSNorm of transformers: to fp32, square, mean, add epsilon, rsqrt, multiply, back,
// weight.
ElementTraffic norm_forward(DataType type, NormKernels kernels, ResidualSum sum) {
  const double element = bytes_of(type);
  if (kernels == NormKernels::eager) return {2 * element + 4 * single, 2 * element + 3 * single, 8};
  const double streams = sum == ResidualSum::inside ? 2 : 1;
  return {streams * element, streams * element, 1};
}

// Fused (Transformer Engine): dX with partial weight gradients, then their sum. Eager: autograd of
// the eight kernels, all but the first and last in fp32: cast; product with the weight; product and
// sum over rows for the weight's gradient; product with the root; product and sum over columns for
// the root's; the mean's gradient, spread and divided; square's three (pow_backward of PyTorch's
// FunctionsManual.cpp: x to the power of one, doubled, times the gradient); sum of both ways; cast.
ElementTraffic norm_backward(DataType type, NormKernels kernels, ResidualSum sum) {
  const double element = bytes_of(type);
  if (kernels == NormKernels::eager) return {element + 15 * single, element + 9 * single, 13};
  const double streams = sum == ResidualSum::inside ? 3 : 2;
  return {streams * element, element, 2};
}

// Eager apply_rotary_pos_emb of transformers: negate a half, concatenate, two products, a sum.
ElementTraffic rotary_traffic(DataType type, const Fusion& fusion) {
  const double element = bytes_of(type);
  if (fusion.rotary) return {element, element, 2};
  return {5.5 * element, 4.5 * element, 10};
}

// Megatron-LM's bias_dropout_add, in one kernel or three. Without tensor parallelism an unfused
// bias is added by its GEMM.
ElementTraffic residual_forward(const Model& model, const LayerWork& work, Bias bias) {
  const double element = bytes_of(work.type);
  const ElementTraffic addition{2 * element, element, 1};
  const bool dropout = model.dropout > 0;
  if (work.fusion.bias_dropout_residual)
    return {addition.read, addition.written + (dropout ? mask_byte : 0), 1};
  ElementTraffic traffic = addition;
  if (bias == Bias::present && work.split.tensor > 1)
    traffic = traffic + ElementTraffic{element, element, 1};
  return dropout ? traffic + dropout_forward(work.type) : traffic;
}

ElementTraffic dropout_forward(DataType type) {
  return {bytes_of(type), bytes_of(type) + mask_byte, 1};
}

ElementTraffic dropout_backward(DataType type) {
  return {bytes_of(type) + mask_byte, bytes_of(type), 1};
}

ElementTraffic activation_forward(const Model& model, const LayerWork& work) {
  const double element = bytes_of(work.type);
  const bool gated = model.mlp == MlpKind::gated_silu;
  const double inputs = gated ? 2 : 1;
  ElementTraffic traffic{inputs * element, element, 1};
  if (work.fusion.bias_activation) return traffic;
  if (gated) traffic = {3 * element, 2 * element, 2};
  if (model.mlp_bias) traffic = traffic + ElementTraffic{inputs * element, inputs * element, 1};
  return traffic;
}

// Unfused: both factors of the product get their gradient, then SiLU.
ElementTraffic activation_backward(const Model& model, const LayerWork& work) {
  const double element = bytes_of(work.type);
  if (model.mlp == MlpKind::gelu) return {2 * element, element, 1};
  if (work.fusion.bias_activation) return {3 * element, 2 * element, 1};
  return {6 * element, 3 * element, 3};
}

// Megatron-LM's scaled_upper_triang_masked_softmax and scaled_masked_softmax; unfused: scale, mask
// and softmax. Mask in place, backward (torch/csrc/autograd/functions/tensor.cpp, CopySlices): the
// softmax's gradient; its copy, a clone of the slice, a copy with the mask filled and the fill
// itself; that copied back.
ElementTraffic softmax_forward(DataType type, const Fusion& fusion, MaskKind mask) {
  const double element = bytes_of(type);
  if (fusion.masked_softmax) return {read_share(mask) * element, element, 1};
  if (fusion.mask_in_place) return {2 * element, 2 * element, 2};
  return {3 * element, 3 * element, 3};
}

ElementTraffic softmax_backward(DataType type, const Fusion& fusion, MaskKind mask) {
  const double element = bytes_of(type);
  if (fusion.masked_softmax) return {2 * read_share(mask) * element, element, 1};
  if (fusion.mask_in_place) return {7 * element, 6 * element, 6};
  return {4 * element, 3 * element, 3};
}

// Megatron-LM core/tensor_parallel/cross_entropy.py: to fp32, maximum, subtract, exp, sum, divide.
// Fused: one pass for the softmax's sums, one that overwrites the logits with their gradient.
ElementTraffic cross_entropy_forward(DataType type, const Fusion& fusion) {
  const double element = bytes_of(type);
  if (fusion.cross_entropy) return {2 * element, element, 2};
  // To fp32, put together, log-softmax.
  if (fusion.whole_logits) return {element + 2 * single, 3 * single, 3};
  return {element + 5 * single, 4 * single, 6};
}

// Megatron-LM: minus one at the target, times the loss gradient, to the compute type.
ElementTraffic cross_entropy_backward(DataType type, const Fusion& fusion) {
  const double element = bytes_of(type);
  if (fusion.cross_entropy) return {element, element, 1};
  // The loss's gradient spread over zeros, log-softmax's gradient, the own share, to the compute
  // type.
  if (fusion.whole_logits) return {3 * single, 2 * single + element, 3};
  return {2 * single, single + element, 3};
}

}  // namespace quintet
