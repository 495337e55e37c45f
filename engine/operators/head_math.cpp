#include <algorithm>
#include <utility>

#include "engine/operators/end_math.h"

namespace quintet::engine {

Product HeadMath::transform_size() const {
  return {shape_.share(), shape_.hidden(), shape_.hidden()};
}

const Buffer& HeadMath::input(const HeadState& state) const {
  return shape_.sequence_split ? state.block.gathered_input : state.block.input;
}

void HeadMath::begin_forward(const HeadPlace& at) {
  (bert() ? at.state.transform_input : at.state.block.norm.input) =
      std::move(at.residual_stream.hidden);
}

// --- forward

void HeadMath::transform(const HeadPlace& at) {
  HeadState& state = at.state;
  const kernels::ConstTensor weight = math_.weights().weight(at.section, Weight::transform);
  const kernels::ConstTensor bias = math_.weights().weight(at.section, Weight::transform_bias);
  state.transformed = math_.rows_of(shape_.share(), shape_.hidden());
  if (!math_.fuses(at.paired()))
    return math_.product(transform_size(), state.transform_input, weight, bias, state.transformed);
  Buffer& activated = state.block.norm.input;
  activated = math_.rows_of(shape_.share(), shape_.hidden());
  math_.product_with_gelu(transform_size(), state.transform_input, weight, bias, state.transformed,
                          activated);
}

void HeadMath::transform_activation(const HeadPlace& at) {
  if (math_.fuses(at.paired())) return;
  Buffer& activated = at.state.block.norm.input;
  activated = math_.rows_of(shape_.share(), shape_.hidden());
  math_.kernels().gelu_forward(
      {math_.gelu(), activated.count(), std::as_const(at.state.transformed).at(), activated.at()},
      math_.stream());
}

void HeadMath::norm(const HeadPlace& at) {
  const Weight weight = bert() ? Weight::transform_norm : Weight::final_norm;
  math_.norm({at.section, weight}, at.state.block.norm, at.state.block.input,
             &at.residual_stream.pending);
}

void HeadMath::project(const HeadPlace& at) {
  at.state.logits = math_.rows_of(shape_.rows(), shape_.sizes.vocabulary);
  kernels::Gemm gemm;
  gemm.form = kernels::GemmForm::a_b_transposed;
  gemm.rows = shape_.rows();
  gemm.columns = shape_.sizes.vocabulary;
  gemm.depth = shape_.hidden();
  gemm.a = input(at.state).at();
  gemm.b = math_.weights().weight(at.projection_section, at.projection);
  gemm.c = at.state.logits.at();
  gemm.bias = math_.weights().weight(at.section, Weight::projection_bias);
  math_.kernels().gemm(gemm, math_.stream());
  if (!whole_vocabulary()) maximum(at);
}

// Padding rows of the vocabulary are at its end.
kernels::CrossEntropyRows HeadMath::rows(const HeadPlace& at) const {
  const Index width = shape_.sizes.vocabulary;
  const Index first = shape_.tensor_position * width;
  kernels::CrossEntropyRows rows;
  rows.rows = shape_.rows();
  rows.shard_size = std::clamp<Index>(shape_.model.vocabulary - first, 0, width);
  rows.stride = width;
  rows.shard_first = static_cast<std::int32_t>(first);
  rows.targets = at.batch.targets;
  rows.logits = at.state.logits.at();
  return rows;
}

// Before the ranks agree on the largest.
void HeadMath::maximum(const HeadPlace& at) {
  at.state.maximum = math_.floats_of(shape_.rows());
  math_.kernels().cross_entropy_maximum({rows(at), at.state.maximum.floats()}, math_.stream());
}

void HeadMath::loss(const HeadPlace& at) {
  at.state.block.gathered_input = {};
  if (whole_vocabulary())
    return math_.kernels().cross_entropy({rows(at), at.gradient_scale, at.losses, at.loss_scale},
                                         math_.stream());
  Buffer sums = math_.doubles_of(shape_.rows());
  at.state.target_logit = math_.floats_of(shape_.rows());
  math_.kernels().cross_entropy_sum(
      {rows(at), at.state.maximum.floats(), sums.doubles(), at.state.target_logit.floats()},
      math_.stream());
  at.state.exponential_sum = math_.floats_of(shape_.rows());
  math_.kernels().narrow({shape_.rows(), sums.doubles(), at.state.exponential_sum.floats()},
                         math_.stream());
}

// --- backward

float* HeadMath::bias_at_once(const HeadPlace& at, Weight bias) const {
  return math_.fuses(at.paired()) ? math_.weights().gradient(at.section, bias) : nullptr;
}

void HeadMath::loss_gradient(const HeadPlace& at) {
  if (whole_vocabulary()) return;
  Buffer sums = math_.doubles_of(shape_.rows());
  math_.kernels().widen({shape_.rows(), at.state.exponential_sum.floats(), sums.doubles()},
                        math_.stream());
  math_.kernels().cross_entropy_gradient(
      {rows(at), at.state.maximum.floats(), sums.doubles(), at.state.target_logit.floats(),
       at.gradient_scale, at.losses, at.loss_scale},
      math_.stream());
}

void HeadMath::project_gradient(const HeadPlace& at) {
  Buffer& gradient = at.state.block.input_gradient;
  gradient = math_.rows_of(shape_.rows(), shape_.hidden());
  kernels::Gemm gemm;
  gemm.form = kernels::GemmForm::a_b;
  gemm.rows = shape_.rows();
  gemm.columns = shape_.hidden();
  gemm.depth = shape_.sizes.vocabulary;
  gemm.a = std::as_const(at.state.logits).at();
  gemm.b = math_.weights().weight(at.projection_section, at.projection);
  gemm.c = gradient.at();
  math_.kernels().gemm(gemm, math_.stream());
}

void HeadMath::norm_gradient(const HeadPlace& at) {
  const Weight weight = bert() ? Weight::transform_norm : Weight::final_norm;
  math_.norm_gradient({at.section, weight}, at.state.block.norm, at.state.block.input_gradient);
  if (!bert()) at.residual_stream.gradient = std::move(at.state.block.input_gradient);
}

void HeadMath::transform_activation_gradient(const HeadPlace& at) {
  Buffer& gradient = at.state.block.input_gradient;
  math_.kernels().gelu_backward(
      {math_.gelu(), gradient.count(), std::as_const(at.state.transformed).at(),
       std::as_const(gradient).at(), gradient.at()},
      math_.stream());
  at.state.transform_gradient = std::move(gradient);
}

void HeadMath::transform_gradient(const HeadPlace& at) {
  at.residual_stream.gradient = math_.rows_of(shape_.share(), shape_.hidden());
  math_.input_gradient(transform_size(), at.state.transform_gradient,
                       math_.weights().weight(at.section, Weight::transform),
                       at.residual_stream.gradient);
}

void HeadMath::projection_weight(const HeadPlace& at) {
  kernels::Gemm gemm;
  gemm.form = kernels::GemmForm::a_transposed_b;
  gemm.rows = shape_.sizes.vocabulary;
  gemm.columns = shape_.hidden();
  gemm.depth = shape_.rows();
  gemm.a = std::as_const(at.state.logits).at();
  gemm.b = input(at.state).at();
  const GradientPlace whole = math_.weights().whole_gradient(at.projection_section, at.projection);
  gemm.c = whole.data;
  gemm.write = whole.write;
  if (float* const bias = bias_at_once(at, Weight::projection_bias))
    return math_.kernels().gemm_bias_gradient({gemm, kernels::OutputGradient::a, bias},
                                              math_.stream());
  math_.kernels().gemm(gemm, math_.stream());
}

void HeadMath::projection_bias(const HeadPlace& at) {
  if (bias_at_once(at, Weight::projection_bias) != nullptr) return;
  math_.bias_gradient(shape_.rows(), shape_.sizes.vocabulary, at.state.logits,
                      math_.weights().gradient(at.section, Weight::projection_bias));
}

void HeadMath::transform_weight(const HeadPlace& at) {
  math_.weight_gradient(transform_size(), at.state.transform_input, at.state.transform_gradient,
                        math_.weights().whole_gradient(at.section, Weight::transform),
                        bias_at_once(at, Weight::transform_bias));
}

void HeadMath::transform_bias(const HeadPlace& at) {
  if (bias_at_once(at, Weight::transform_bias) != nullptr) return;
  math_.bias_gradient(shape_.share(), shape_.hidden(), at.state.transform_gradient,
                      math_.weights().gradient(at.section, Weight::transform_bias));
}

}  // namespace quintet::engine
