// The products with a layer's weights: in the type of its tensors, or in fp8, where their operands
// become codes first.
#include "engine/operators/layer_math.h"

namespace quintet::engine {

namespace {

bool is_column(LayerProduct which) {
  return which == LayerProduct::qkv || which == LayerProduct::mlp_up;
}
BlockName block_of(LayerProduct which) {
  return which <= LayerProduct::attention_output ? BlockName::attention : BlockName::mlp;
}
LayerProduct column_of(BlockName block) {
  return block == BlockName::attention ? LayerProduct::qkv : LayerProduct::mlp_up;
}
LayerProduct row_of(BlockName block) {
  return block == BlockName::attention ? LayerProduct::attention_output : LayerProduct::mlp_down;
}

Weight weight_named(LayerProduct which) {
  switch (which) {
    case LayerProduct::qkv:
      return Weight::qkv;
    case LayerProduct::attention_output:
      return Weight::attention_output;
    case LayerProduct::mlp_up:
      return Weight::mlp_up;
    case LayerProduct::mlp_down:
      return Weight::mlp_down;
  }
  return Weight::qkv;
}

Float8Operand& operand(std::array<Float8Operand, layer_products>& all, LayerProduct which) {
  return all[static_cast<std::size_t>(which)];
}

}  // namespace

Product LayerMath::size_of(LayerProduct which) const {
  switch (which) {
    case LayerProduct::qkv:
      return {shape_.rows(), shape_.hidden(), shape_.qkv_width()};
    case LayerProduct::attention_output:
      return {shape_.rows(), shape_.sizes.query_width, shape_.hidden()};
    case LayerProduct::mlp_up:
      return {shape_.rows(), shape_.hidden(), shape_.sizes.up_width};
    case LayerProduct::mlp_down:
      return {shape_.rows(), shape_.sizes.down_width, shape_.hidden()};
  }
  return {};
}

kernels::ConstTensor LayerMath::weight_of(const LayerPlace& at, LayerProduct which) const {
  return math_.weights().weight(at.section, weight_named(which));
}

const Buffer& LayerMath::input_of(const LayerPlace& at, LayerProduct which) const {
  if (is_column(which)) return column_input(at.block(block_of(which)));
  return which == LayerProduct::attention_output ? at.state.core : at.state.activated;
}

const Buffer& LayerMath::gradient_of(const LayerPlace& at, LayerProduct which) const {
  if (!is_column(which)) return row_gradient(at.block(block_of(which)));
  return which == LayerProduct::qkv ? at.state.qkv_gradient : at.state.up_gradient;
}

void LayerMath::multiply(const LayerPlace& at, LayerProduct which, kernels::ConstTensor bias,
                         Buffer& y) {
  const kernels::ConstTensor weight = weight_of(at, which);
  if (!float8_.on()) return math_.product(size_of(which), input_of(at, which), weight, bias, y);
  encode_input(at, which);
  float8_.product({at.section, which, Factor::weight}, size_of(which),
                  operand(at.state.inputs, which), weight, bias, y);
}

void LayerMath::multiply_gradient(const LayerPlace& at, LayerProduct which, Buffer& dx) {
  const kernels::ConstTensor weight = weight_of(at, which);
  if (!float8_.on())
    return math_.input_gradient(size_of(which), gradient_of(at, which), weight, dx);
  encode_gradient(at, which);
  float8_.input_gradient({at.section, which, Factor::weight}, size_of(which),
                         operand(at.state.gradients, which), weight, dx);
}

void LayerMath::add_weight_gradient(const LayerPlace& at, LayerProduct which, float* bias) {
  const GradientPlace gradient = math_.weights().whole_gradient(at.section, weight_named(which));
  if (!float8_.on())
    return math_.weight_gradient(size_of(which), input_of(at, which), gradient_of(at, which),
                                 gradient, bias);
  Float8Operand& input = operand(at.state.inputs, which);
  if (input.turned.codes.empty()) encode_gathered(at, which, Factor::input, Turned::yes, input);
  float8_.weight_gradient(size_of(which), input, operand(at.state.gradients, which), gradient);
  input = {};
  operand(at.state.gradients, which) = {};
}

// --- codes

Float8Source LayerMath::source(const LayerPlace& at, LayerProduct which, Factor factor,
                               const Buffer& values) const {
  const Product size = size_of(which);
  return {{at.section, which, factor},
          size.rows,
          factor == Factor::gradient ? size.out : size.in,
          values.at()};
}

// What the tensor ranks have gathered in codes is whole for no longer than it takes.
void LayerMath::encode_gathered(const LayerPlace& at, LayerProduct which, Factor factor,
                                Turned turned, Float8Operand& made) {
  const Buffer& gathered = factor == Factor::input ? input_of(at, which) : gradient_of(at, which);
  const Float8Source shape = source(at, which, factor, Buffer());
  const Buffer whole =
      float8_.unpacked(shape.name, shape.rows, shape.columns, shape_.tensor_ranks, gathered);
  float8_.cast(source(at, which, factor, whole), turned, made);
  BlockState& block = at.block(block_of(which));
  if (factor == Factor::gradient) float8_.cast(source(at, which, factor, whole), Turned::yes, made);
  (factor == Factor::gradient ? block.gathered_gradient : block.gathered_input) = {};
}

// A column product's input is gathered a second time for its weight's gradient.
void LayerMath::encode_input(const LayerPlace& at, LayerProduct which) {
  Float8Operand& made = operand(at.state.inputs, which);
  if (!made.straight.codes.empty()) return;
  if (is_column(which) && shape_.sequence_split)
    return encode_gathered(at, which, Factor::input, Turned::no, made);
  const Float8Source from = source(at, which, Factor::input, input_of(at, which));
  float8_.cast(from, Turned::no, made);
  float8_.cast(from, Turned::yes, made);
  if (which == LayerProduct::mlp_down) at.state.activated = {};
  if (is_column(which) && !shape_.post_norm()) at.block(block_of(which)).input = {};
}

void LayerMath::encode_gradient(const LayerPlace& at, LayerProduct which) {
  Float8Operand& made = operand(at.state.gradients, which);
  if (!made.straight.codes.empty()) return;
  if (!is_column(which) && shape_.sequence_split)
    return encode_gathered(at, which, Factor::gradient, Turned::no, made);
  const Float8Source from = source(at, which, Factor::gradient, gradient_of(at, which));
  float8_.cast(from, Turned::no, made);
  float8_.cast(from, Turned::yes, made);
}

void LayerMath::cast_input(const LayerPlace& at) {
  encode_input(at, row_of(at.within));
}

// The first of a block's two is of what the row product is given.
void LayerMath::cast_gradient(const LayerPlace& at) {
  const LayerProduct column = column_of(at.within);
  if (!gradient_of(at, column).empty()) return encode_gradient(at, column);
  if (shape_.sequence_split) return pack_gradient(at, at.within);
  take_gradient(at, at.within);
  encode_gradient(at, row_of(at.within));
}

void LayerMath::pack_input(const LayerPlace& at, BlockName name) {
  BlockState& block = at.block(name);
  if (!block.packed_input.empty()) return;
  Float8Source share = source(at, column_of(name), Factor::input, block.input);
  share.rows = shape_.share();
  block.packed_input = float8_.packed(share);
  if (!shape_.post_norm()) block.input = {};
}

void LayerMath::pack_gradient(const LayerPlace& at, BlockName name) {
  BlockState& block = at.block(name);
  if (!block.packed_gradient.empty()) return;
  const Buffer& gradient =
      block.branch_gradient.empty() ? at.residual_stream.gradient : block.branch_gradient;
  Float8Source share = source(at, row_of(name), Factor::gradient, gradient);
  share.rows = shape_.share();
  block.packed_gradient = float8_.packed(share);
}

}  // namespace quintet::engine
