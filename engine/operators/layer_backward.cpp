#include <utility>

#include "engine/operators/layer_math.h"

namespace quintet::engine {

// --- backward by input

// In front of a block, what goes past it comes together with its norm's here, and nothing is left
// of the residual's own.
void LayerMath::norm_gradient(const LayerPlace& at, BlockName name) {
  BlockState& block = at.block(name);
  if (shape_.post_norm())
    math_.norm_gradient(norm_of(at, name), block.norm, at.residual_stream.gradient);
  else
    math_.norm_gradient(norm_of(at, name), block.norm, block.input_gradient,
                        std::as_const(block.gradient).at());
}

void LayerMath::residual_gradient(const LayerPlace& at, BlockName name) {
  BlockState& block = at.block(name);
  if (!shape_.post_norm()) {
    at.residual_stream.gradient = std::move(block.input_gradient);
    return;
  }
  at.residual_stream.gradient = {};
  math_.add(block.gradient, block.input_gradient, at.residual_stream.gradient);
  block.input_gradient = {};
}

void LayerMath::dropout_gradient(const LayerPlace& at, BlockName name) {
  math_.drop(dropped(at, name), at.residual_stream.gradient, at.block(name).branch_gradient);
}

void LayerMath::mlp_down_gradient(const LayerPlace& at) {
  take_gradient(at, BlockName::mlp);
  LayerState& state = at.state;
  const bool at_once = gelu_at_once(at);
  Buffer& gradient = at_once ? state.up_gradient : state.activated_gradient;
  gradient = math_.rows_of(shape_.rows(), shape_.sizes.down_width);
  if (at_once)
    math_.input_gradient_with_gelu(size_of(LayerProduct::mlp_down), row_gradient(state.mlp),
                                   weight_of(at, LayerProduct::mlp_down), state.up, gradient);
  else
    multiply_gradient(at, LayerProduct::mlp_down, gradient);
}

void LayerMath::mlp_activation_gradient(const LayerPlace& at) {
  if (gelu_at_once(at)) return;
  LayerState& state = at.state;
  const Index width = shape_.sizes.down_width;
  state.up_gradient = math_.rows_of(shape_.rows(), shape_.sizes.up_width);
  const Buffer &up = state.up, &gradient = state.activated_gradient;
  if (shape_.gated())
    math_.kernels().swiglu_backward(
        {shape_.rows(), width, 2 * width, up.at(), up.at(width), gradient.at(),
         state.up_gradient.at(), state.up_gradient.at(width)},
        math_.stream());
  else
    math_.kernels().gelu_backward(
        {math_.gelu(), shape_.rows() * width, up.at(), gradient.at(), state.up_gradient.at()},
        math_.stream());
  state.activated_gradient = {};
}

void LayerMath::mlp_up_gradient(const LayerPlace& at) {
  at.state.mlp.input_gradient = math_.rows_of(shape_.rows(), shape_.hidden());
  multiply_gradient(at, LayerProduct::mlp_up, at.state.mlp.input_gradient);
}

void LayerMath::attention_output_gradient(const LayerPlace& at) {
  take_gradient(at, BlockName::attention);
  at.state.core_gradient = math_.rows_of(shape_.rows(), shape_.sizes.query_width);
  multiply_gradient(at, LayerProduct::attention_output, at.state.core_gradient);
}

void LayerMath::attention_gradient(const LayerPlace& at) {
  LayerState& state = at.state;
  const Index query = shape_.sizes.query_width, key = shape_.sizes.kv_width;
  const kernels::AttentionLayout shape = attention_layout(at);
  Buffer workspace = math_.floats_of(kernels::attention_backward_workspace(shape));
  state.qkv_gradient = math_.rows_of(shape_.rows(), shape_.qkv_width());
  Buffer& gradient = state.qkv_gradient;
  const Buffer &qkv = state.qkv, &core = state.core, &core_gradient = state.core_gradient;
  math_.kernels().attention_backward(
      {shape, qkv.at(), qkv.at(query), qkv.at(query + key), core.at(), core_gradient.at(),
       state.log_sum_exp.floats(), gradient.at(), gradient.at(query), gradient.at(query + key),
       workspace.floats()},
      math_.stream());
  state.core_gradient = {};
}

void LayerMath::rotary_gradient(const LayerPlace& at) {
  rotate(at, at.state.qkv_gradient, kernels::RotaryDirection::backward);
}

void LayerMath::head_norms_gradient(const LayerPlace& at) {
  Buffer& gradient = at.state.qkv_gradient;
  for (const Heads& heads : heads_of(at)) {
    const Index rows = shape_.rows() * heads.count, width = shape_.model.head_dim;
    const kernels::ConstTensor input = std::as_const(at.state.raw_heads).at(heads.first);
    const kernels::ConstTensor upstream = std::as_const(gradient).at(heads.first);
    const kernels::RowsOfHeads raw{heads.count, shape_.heads_width()};
    const kernels::RowsOfHeads wide{heads.count, shape_.qkv_width()};
    math_.kernels().rms_norm_weight_gradient({rows, width, upstream, input, heads.inverse.floats(),
                                              math_.weights().gradient(at.section, heads.weight),
                                              kernels::GradientWrite::accumulate, raw, wide},
                                             math_.stream());
    math_.kernels().rms_norm_input_gradient({rows,
                                             width,
                                             upstream,
                                             {},
                                             input,
                                             math_.weights().weight(at.section, heads.weight),
                                             heads.inverse.floats(),
                                             gradient.at(heads.first),
                                             raw,
                                             wide},
                                            math_.stream());
  }
}

void LayerMath::qkv_gradient(const LayerPlace& at) {
  at.state.attention.input_gradient = math_.rows_of(shape_.rows(), shape_.hidden());
  multiply_gradient(at, LayerProduct::qkv, at.state.attention.input_gradient);
}

// --- backward by weight

float* LayerMath::bias_gradient_of(const LayerPlace& at, BlockName name) const {
  return math_.weights().gradient(at.section, name == BlockName::attention
                                                  ? Weight::attention_output_bias
                                                  : Weight::mlp_down_bias);
}

// A row product's bias is added to this rank's share of the rows; the product has all rows.
float* LayerMath::row_bias_at_once(const LayerPlace& at, BlockName name) const {
  const bool at_once = !shape_.sequence_split && fuses(at);
  return at_once ? bias_gradient_of(at, name) : nullptr;
}

float* LayerMath::column_bias_at_once(const LayerPlace& at, Weight bias) const {
  return fuses(at) ? math_.weights().gradient(at.section, bias) : nullptr;
}

void LayerMath::mlp_down_weight(const LayerPlace& at) {
  add_weight_gradient(at, LayerProduct::mlp_down, row_bias_at_once(at, BlockName::mlp));
}

void LayerMath::mlp_up_weight(const LayerPlace& at) {
  add_weight_gradient(at, LayerProduct::mlp_up, column_bias_at_once(at, Weight::mlp_up_bias));
}

void LayerMath::attention_output_weight(const LayerPlace& at) {
  add_weight_gradient(at, LayerProduct::attention_output,
                      row_bias_at_once(at, BlockName::attention));
}

void LayerMath::qkv_weight(const LayerPlace& at) {
  add_weight_gradient(at, LayerProduct::qkv, column_bias_at_once(at, Weight::qkv_bias));
}

void LayerMath::row_bias(const LayerPlace& at, BlockName name) {
  if (row_bias_at_once(at, name) != nullptr) return;
  math_.bias_gradient(shape_.share(), shape_.hidden(), branch_gradient(at.block(name)),
                      bias_gradient_of(at, name));
}

void LayerMath::mlp_up_bias(const LayerPlace& at) {
  if (column_bias_at_once(at, Weight::mlp_up_bias) != nullptr) return;
  math_.bias_gradient(shape_.rows(), shape_.sizes.up_width, at.state.up_gradient,
                      math_.weights().gradient(at.section, Weight::mlp_up_bias));
}

void LayerMath::qkv_bias(const LayerPlace& at) {
  if (column_bias_at_once(at, Weight::qkv_bias) != nullptr) return;
  math_.bias_gradient(shape_.rows(), shape_.qkv_width(), at.state.qkv_gradient,
                      math_.weights().gradient(at.section, Weight::qkv_bias));
}

// --- collectives

const Buffer& branch_gradient(const BlockState& block) {
  return block.branch_gradient.empty() ? block.gradient : block.branch_gradient;
}

Buffer& BlockExchange::gather_input(BlockState& block) const {
  const Buffer& share = block.packed_input.empty() ? block.input : block.packed_input;
  block.gathered_input = part_in_whole(place_, share, shape_.tensor_position, shape_.tensor_ranks);
  return block.gathered_input;
}

Buffer& BlockExchange::gather_gradient(BlockState& block, ResidualStream& residual_stream) const {
  block.gradient = std::move(residual_stream.gradient);
  const Buffer& share =
      block.packed_gradient.empty() ? branch_gradient(block) : block.packed_gradient;
  block.gathered_gradient =
      part_in_whole(place_, share, shape_.tensor_position, shape_.tensor_ranks);
  block.packed_gradient = {};
  return block.gathered_gradient;
}

void BlockExchange::keep_share(Buffer& reduced) const {
  if (shape_.sequence_split)
    reduced = part_alone(place_, reduced, shape_.tensor_position, shape_.tensor_ranks);
}

}  // namespace quintet::engine
