#include "engine/operators/layer_math.h"

#include <cmath>
#include <utility>

namespace quintet::engine {

namespace {

kernels::SequenceLengths lengths_of(const std::vector<std::int32_t>& starts) {
  const std::int32_t first = starts.size() > 1 ? starts[1] - starts[0] : 0;
  for (std::size_t sequence = 1; sequence + 1 < starts.size(); ++sequence)
    if (starts[sequence + 1] - starts[sequence] != first) return kernels::SequenceLengths::any;
  return kernels::SequenceLengths::equal;
}

}  // namespace

LayerMath::LayerMath(BufferMath& math, Float8Math& float8)
    : math_(math), float8_(float8), shape_(math.shape()) {
  if (shape_.model.positions != PositionKind::rotary) return;
  const Index half = shape_.model.head_dim / 2;
  const Index positions = shape_.sizes.key_length;
  Buffer cosines(positions * half, DataType::fp32), sines(positions * half, DataType::fp32);
  std::vector<double> frequencies(static_cast<std::size_t>(half));
  kernels::rotary_frequencies(shape_.numerics.rotary_theta, frequencies);
  kernels::scale_frequencies(shape_.numerics.rotary_scaling, frequencies);
  const auto count = static_cast<std::size_t>(positions * half);
  kernels::rotary_tables(frequencies, {cosines.floats(), count}, {sines.floats(), count});
  cosines_ = math_.place().bring(std::move(cosines));
  sines_ = math_.place().bring(std::move(sines));
}

NormWeights LayerMath::norm_of(const LayerPlace& at, BlockName name) const {
  return {at.section, name == BlockName::attention ? Weight::attention_norm : Weight::mlp_norm};
}

const Buffer& LayerMath::column_input(const BlockState& block) const {
  return shape_.sequence_split ? block.gathered_input : block.input;
}

const Buffer& LayerMath::row_gradient(const BlockState& block) const {
  return shape_.sequence_split ? block.gathered_gradient : branch_gradient(block);
}

Dropped LayerMath::dropped(const LayerPlace& at, BlockName name) const {
  const bool attention = name == BlockName::attention;
  return {attention ? DropPlace::attention_output : DropPlace::mlp_output, at.layer, at.batch};
}

// Where no gather has done it, nor a cast.
void LayerMath::take_gradient(const LayerPlace& at, BlockName name) {
  if (!shape_.sequence_split && at.block(name).gradient.empty())
    at.block(name).gradient = std::move(at.residual_stream.gradient);
}

// --- around the layer

void LayerMath::begin_forward(const LayerPlace& at) {
  at.state.stream = std::move(at.residual_stream.hidden);
  at.state.pending = std::exchange(at.residual_stream.pending, {});
  if (shape_.post_norm()) at.state.attention.input = std::move(at.state.stream);
}

void LayerMath::begin_again(const LayerPlace& at) {
  at.state.stream = std::move(at.state.kept_input);
  if (shape_.post_norm()) at.state.attention.input = std::move(at.state.stream);
}

void LayerMath::end_forward(const LayerPlace& at) {
  at.residual_stream.hidden = std::move(at.state.stream);
  at.residual_stream.pending = std::exchange(at.state.pending, {});
  at.state.attention.gathered_input = {};
  at.state.mlp.gathered_input = {};
}

const Buffer& LayerMath::input(const LayerPlace& at) const {
  const BlockState& first = at.state.attention;
  return shape_.post_norm() ? first.input : first.norm.input;
}

void LayerMath::keep_input_only(const LayerPlace& at) {
  BlockState& first = at.state.attention;
  Buffer input = std::move(shape_.post_norm() ? first.input : first.norm.input);
  Buffer copied = std::move(at.state.host_input);
  at.state = {};
  (copied.empty() ? at.state.kept_input : at.state.host_input) =
      std::move(copied.empty() ? input : copied);
}

void LayerMath::drop_core(const LayerPlace& at) {
  at.state.log_sum_exp = {};
  at.state.unfused = {};
}

// --- forward

void LayerMath::norm(const LayerPlace& at, BlockName name) {
  BlockState& block = at.block(name);
  const bool packs = float8_.on() && shape_.sequence_split;
  if (shape_.post_norm()) {
    math_.norm(norm_of(at, name), block.norm, at.state.stream, &at.state.pending);
    if (name == BlockName::mlp) return;
    at.state.mlp.input = std::move(at.state.stream);
    if (packs) pack_input(at, BlockName::mlp);
    return;
  }
  if (at.state.pending.empty()) block.norm.input = std::move(at.state.stream);
  math_.norm(norm_of(at, name), block.norm, block.input, &at.state.pending);
  if (packs) pack_input(at, name);
}

void LayerMath::qkv(const LayerPlace& at) {
  at.state.qkv = math_.rows_of(shape_.rows(), shape_.qkv_width());
  multiply(at, LayerProduct::qkv, math_.weights().weight(at.section, Weight::qkv_bias),
           at.state.qkv);
}

std::array<LayerMath::Heads, 2> LayerMath::heads_of(const LayerPlace& at) const {
  const LayerSizes& sizes = shape_.sizes;
  return {Heads{Weight::query_norm, 0, sizes.heads, at.state.query_inverse},
          Heads{Weight::key_norm, sizes.query_width, sizes.kv_heads, at.state.key_inverse}};
}

void LayerMath::head_norms(const LayerPlace& at) {
  Buffer &qkv = at.state.qkv, &raw = at.state.raw_heads;
  const Index width = shape_.heads_width();
  raw = math_.rows_of(shape_.rows(), width);
  const std::size_t bytes = raw.bytes(0, width).size();
  math_.place().copy_rows({raw.bytes().data(), bytes, qkv.bytes().data(),
                           qkv.bytes(0, shape_.qkv_width()).size(), bytes,
                           static_cast<std::size_t>(shape_.rows())});
  for (const Heads& heads : heads_of(at)) {
    heads.inverse = math_.floats_of(shape_.rows() * heads.count);
    kernels::RmsNormForward norm;
    norm.rows = shape_.rows() * heads.count;
    norm.width = shape_.model.head_dim;
    norm.epsilon = shape_.numerics.norm_epsilon;
    norm.input = std::as_const(raw).at(heads.first);
    norm.weight = math_.weights().weight(at.section, heads.weight);
    norm.output = qkv.at(heads.first);
    norm.inverse_rms = heads.inverse.floats();
    norm.input_rows = {heads.count, width};
    norm.output_rows = {heads.count, shape_.qkv_width()};
    math_.kernels().rms_norm_forward(norm, math_.stream());
  }
}

// Queries and keys lie side by side.
void LayerMath::rotate(const LayerPlace& at, Buffer& rows, kernels::RotaryDirection direction) {
  kernels::Rotary rotary;
  rotary.direction = direction;
  rotary.rows = shape_.rows();
  rotary.heads = shape_.sizes.heads + shape_.sizes.kv_heads;
  rotary.head_size = shape_.model.head_dim;
  rotary.positions = at.batch.positions;
  rotary.cosines = cosines_.floats();
  rotary.sines = sines_.floats();
  rotary.input = std::as_const(rows).at();
  rotary.output = rows.at();
  rotary.input_stride = rotary.output_stride = shape_.qkv_width();
  math_.kernels().rotary(rotary, math_.stream());
}

void LayerMath::rotary(const LayerPlace& at) {
  rotate(at, at.state.qkv, kernels::RotaryDirection::forward);
}

kernels::AttentionLayout LayerMath::attention_layout(const LayerPlace& at) const {
  kernels::AttentionLayout attention;
  attention.sequences = static_cast<Index>(at.batch.host->starts.size()) - 1;
  attention.query_starts = attention.key_starts = at.batch.starts;
  attention.query_rows = attention.key_rows = at.batch.host->starts.back();
  if (!shape_.lengths_vary) attention.lengths = lengths_of(at.batch.host->starts);
  attention.query_heads = shape_.sizes.heads;
  attention.key_heads = shape_.sizes.kv_heads;
  attention.head_size = shape_.model.head_dim;
  attention.mask = shape_.model.mask == MaskKind::causal ? kernels::AttentionMask::causal
                                                         : kernels::AttentionMask::none;
  attention.window = shape_.sizes.window;
  attention.dropout = {.probability = static_cast<float>(shape_.model.attention_dropout),
                       .seed = shape_.dropout_seed,
                       .draw = draw_of(DropPlace::attention_scores, at.layer),
                       .first_row = rows_before(at.batch),
                       .whole_heads = shape_.model.heads,
                       .first_head = shape_.tensor_position * shape_.sizes.heads,
                       .whole_keys = (shape_.sizes.key_length + 3) / 4 * 4};
  attention.scale = 1.0F / std::sqrt(static_cast<float>(shape_.model.head_dim));
  attention.query_stride = attention.key_stride = attention.value_stride = shape_.qkv_width();
  return attention;
}

void LayerMath::attention(const LayerPlace& at) {
  LayerState& state = at.state;
  const Index query = shape_.sizes.query_width, key = shape_.sizes.kv_width;
  state.core = math_.rows_of(shape_.rows(), query);
  state.log_sum_exp = math_.floats_of(shape_.rows() * shape_.sizes.heads);
  const Buffer& qkv = state.qkv;
  math_.kernels().attention_forward(
      {attention_layout(at), qkv.at(), qkv.at(query), qkv.at(query + key), state.core.at(),
       state.log_sum_exp.floats()},
      math_.stream());
}

kernels::ConstTensor LayerMath::bias_of_product(const LayerPlace& at, Weight bias) const {
  if (shape_.tensor_ranks > 1) return {};
  return math_.weights().weight(at.section, bias);
}

void LayerMath::attention_output(const LayerPlace& at) {
  at.state.attention.product = math_.rows_of(shape_.rows(), shape_.hidden());
  multiply(at, LayerProduct::attention_output, bias_of_product(at, Weight::attention_output_bias),
           at.state.attention.product);
}

bool LayerMath::gelu_at_once(const LayerPlace& at) const {
  return !shape_.gated() && fuses(at);
}

void LayerMath::mlp_up(const LayerPlace& at) {
  LayerState& state = at.state;
  const kernels::ConstTensor bias = math_.weights().weight(at.section, Weight::mlp_up_bias);
  state.up = math_.rows_of(shape_.rows(), shape_.sizes.up_width);
  if (!gelu_at_once(at)) return multiply(at, LayerProduct::mlp_up, bias, state.up);
  state.activated = math_.rows_of(shape_.rows(), shape_.sizes.down_width);
  math_.product_with_gelu(size_of(LayerProduct::mlp_up), column_input(state.mlp),
                          weight_of(at, LayerProduct::mlp_up), bias, state.up, state.activated);
}

void LayerMath::mlp_activation(const LayerPlace& at) {
  if (gelu_at_once(at)) return;
  LayerState& state = at.state;
  const Index width = shape_.sizes.down_width;
  state.activated = math_.rows_of(shape_.rows(), width);
  const Buffer& up = state.up;
  if (shape_.gated())
    math_.kernels().swiglu_forward(
        {shape_.rows(), width, 2 * width, up.at(), up.at(width), state.activated.at()},
        math_.stream());
  else
    math_.kernels().gelu_forward(
        {math_.gelu(), shape_.rows() * width, up.at(), state.activated.at()}, math_.stream());
}

void LayerMath::mlp_down(const LayerPlace& at) {
  at.state.mlp.product = math_.rows_of(shape_.rows(), shape_.hidden());
  multiply(at, LayerProduct::mlp_down, bias_of_product(at, Weight::mlp_down_bias),
           at.state.mlp.product);
}

// The sum itself is left to the norm that follows, if one does.
void LayerMath::residual(const LayerPlace& at, BlockName name) {
  BlockState& block = at.block(name);
  const bool attention = name == BlockName::attention;
  const kernels::ConstTensor bias = math_.weights().weight(
      at.section, attention ? Weight::attention_output_bias : Weight::mlp_down_bias);
  if (bias.data && shape_.tensor_ranks > 1)
    math_.kernels().bias_add({shape_.share(), shape_.hidden(), block.product.at(), bias},
                             math_.stream());
  if (shape_.model.dropout > 0) math_.drop(dropped(at, name), block.product, block.product);
  const Buffer& past = shape_.post_norm() ? block.input : block.norm.input;
  const bool within = shape_.post_norm() || name == BlockName::attention;
  if (within || at.next == ReadBy::norm) {
    at.state.pending.base = &past;
    at.state.pending.addend = std::move(block.product);
    return;
  }
  math_.add(past, block.product, at.state.stream);
  block.product = {};
}

}  // namespace quintet::engine
