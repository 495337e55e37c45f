// Attention as two products with stored scores between them (Megatron-LM, arXiv 2104.04473), an
// operator of the program each. Its random numbers are those of the fused kernel, so both drop the
// same probabilities; what is kept of a dropout is its output, not its mask.
#include <utility>

#include "engine/operators/layer_math.h"

namespace quintet::engine {

namespace {

// The scores of one head in one sequence.
struct HeadScores {
  Index first_row = 0, rows = 0;  // of the micro-batch
  Index head = 0;
  Index first = 0;  // score
};

// `visit` gets the first head of each sequence.
template <class Visit>
void for_each_sequence(const PlacedBatch& batch, Index heads, Visit visit) {
  Index first = 0;
  const std::vector<std::int32_t>& starts = batch.host->starts;
  for (std::size_t sequence = 0; sequence + 1 < starts.size(); ++sequence) {
    const Index row = starts[sequence], rows = starts[sequence + 1] - row;
    visit(HeadScores{row, rows, 0, first});
    first += heads * rows * rows;
  }
}

template <class Visit>
void for_each_head(const PlacedBatch& batch, Index heads, Visit visit) {
  for_each_sequence(batch, heads, [&](HeadScores part) {
    for (; part.head < heads; ++part.head, part.first += part.rows * part.rows) visit(part);
  });
}

}  // namespace

LayerMath::HeadColumns LayerMath::columns_of(Operand operand, Index head) const {
  const LayerSizes& sizes = shape_.sizes;
  const Index place = head * shape_.model.head_dim;
  const bool value = operand == Operand::value;
  if (grouped()) return {place + (value ? sizes.query_width : 0), 2 * sizes.query_width};
  return {sizes.query_width + (value ? sizes.kv_width : 0) + place, shape_.qkv_width()};
}

// One head's columns, of all rows.
void LayerMath::copy_columns(const Buffer& from, Index from_width, Index from_column, Buffer& to,
                             Index to_width, Index to_column) {
  const Index size = shape_.model.head_dim;
  const std::size_t bytes = from.bytes(0, size).size();
  math_.place().copy_rows({to.bytes(to_column, size).data(), to.bytes(0, to_width).size(),
                           from.bytes(from_column, size).data(), from.bytes(0, from_width).size(),
                           bytes, static_cast<std::size_t>(shape_.rows())});
}

// As long as the longest sequence allows.
Buffer LayerMath::score_buffer() {
  return math_.rows_of(shape_.rows(), shape_.sizes.heads * shape_.sizes.key_length);
}

// --- forward

void LayerMath::copy_heads(const LayerPlace& at) {
  const LayerSizes& sizes = shape_.sizes;
  const Index size = shape_.model.head_dim, share = sizes.heads / sizes.kv_heads;
  Buffer& copies = at.state.unfused.key_value;
  copies = math_.rows_of(shape_.rows(), 2 * sizes.query_width);
  for (Index head = 0; head < 2 * sizes.heads; ++head)
    copy_columns(at.state.qkv, shape_.qkv_width(), sizes.query_width + head / share * size, copies,
                 2 * sizes.query_width, head * size);
}

void LayerMath::scores(const LayerPlace& at) {
  at.state.unfused.probabilities = score_buffer();
  const Buffer& qkv = at.state.qkv;
  const Buffer& key_value = grouped() ? at.state.unfused.key_value : qkv;
  for_each_head(at.batch, shape_.sizes.heads, [&](const HeadScores& part) {
    const HeadColumns keys = columns_of(Operand::key, part.head);
    kernels::Gemm product;
    product.form = kernels::GemmForm::a_b_transposed;
    product.rows = product.columns = part.rows;
    product.depth = shape_.model.head_dim;
    product.a = qkv.at(part.first_row * shape_.qkv_width() + part.head * product.depth);
    product.b = key_value.at(keys.at(part.first_row));
    product.c = at.state.unfused.probabilities.at(part.first);
    product.a_stride = shape_.qkv_width();
    product.b_stride = keys.stride;
    math_.kernels().gemm(product, math_.stream());
  });
}

void LayerMath::softmax(const LayerPlace& at) {
  const kernels::AttentionLayout shape = attention_layout(at);
  const Index heads = shape_.sizes.heads;
  for_each_sequence(at.batch, heads, [&](const HeadScores& first) {
    math_.kernels().softmax_forward({heads, first.rows, first.rows, shape.mask, shape.window,
                                     shape.scale, at.state.unfused.probabilities.at(first.first)},
                                    math_.stream());
  });
}

void LayerMath::drop_in_heads(const LayerPlace& at, const Buffer& from, Buffer& to) {
  const kernels::AttentionDropout dropout = attention_layout(at).dropout;
  for_each_head(at.batch, shape_.sizes.heads, [&](const HeadScores& part) {
    kernels::Dropout drop;
    drop.probability = dropout.probability;
    drop.seed = dropout.seed;
    drop.draw = dropout.draw;
    drop.rows = drop.width = part.rows;
    drop.whole_width = dropout.whole_heads * dropout.whole_keys;
    drop.first_row = dropout.first_row + part.first_row;
    drop.first_column = (dropout.first_head + part.head) * dropout.whole_keys;
    drop.input = from.at(part.first);
    drop.output = to.at(part.first);
    math_.kernels().dropout(drop, math_.stream());
  });
}

void LayerMath::drop_scores(const LayerPlace& at) {
  at.state.unfused.dropped = score_buffer();
  drop_in_heads(at, at.state.unfused.probabilities, at.state.unfused.dropped);
}

namespace {

const Buffer& mixed(const UnfusedState& state) {
  return state.dropped.empty() ? state.probabilities : state.dropped;
}

}  // namespace

void LayerMath::mix_values(const LayerPlace& at) {
  at.state.core = math_.rows_of(shape_.rows(), shape_.sizes.query_width);
  const Buffer& key_value = grouped() ? at.state.unfused.key_value : at.state.qkv;
  for_each_head(at.batch, shape_.sizes.heads, [&](const HeadScores& part) {
    const HeadColumns values = columns_of(Operand::value, part.head);
    kernels::Gemm product;
    product.form = kernels::GemmForm::a_b;
    product.rows = product.depth = part.rows;
    product.columns = shape_.model.head_dim;
    product.a = mixed(at.state.unfused).at(part.first);
    product.b = key_value.at(values.at(part.first_row));
    product.c =
        at.state.core.at(part.first_row * shape_.sizes.query_width + part.head * product.columns);
    product.b_stride = values.stride;
    product.c_stride = shape_.sizes.query_width;
    math_.kernels().gemm(product, math_.stream());
  });
}

// --- backward

void LayerMath::probability_gradient(const LayerPlace& at) {
  LayerState& state = at.state;
  state.unfused.score_gradient = score_buffer();
  const Buffer& key_value = grouped() ? state.unfused.key_value : state.qkv;
  const Buffer& upstream = state.core_gradient;
  for_each_head(at.batch, shape_.sizes.heads, [&](const HeadScores& part) {
    const HeadColumns values = columns_of(Operand::value, part.head);
    kernels::Gemm product;
    product.form = kernels::GemmForm::a_b_transposed;
    product.rows = product.columns = part.rows;
    product.depth = shape_.model.head_dim;
    product.a = upstream.at(part.first_row * shape_.sizes.query_width + part.head * product.depth);
    product.b = key_value.at(values.at(part.first_row));
    product.c = state.unfused.score_gradient.at(part.first);
    product.a_stride = shape_.sizes.query_width;
    product.b_stride = values.stride;
    math_.kernels().gemm(product, math_.stream());
  });
}

void LayerMath::value_gradient(const LayerPlace& at) {
  LayerState& state = at.state;
  state.qkv_gradient = math_.rows_of(shape_.rows(), shape_.qkv_width());
  if (grouped())
    state.unfused.key_value_gradient = math_.rows_of(shape_.rows(), 2 * shape_.sizes.query_width);
  Buffer& gradient = grouped() ? state.unfused.key_value_gradient : state.qkv_gradient;
  const Buffer& upstream = state.core_gradient;
  for_each_head(at.batch, shape_.sizes.heads, [&](const HeadScores& part) {
    const HeadColumns values = columns_of(Operand::value, part.head);
    kernels::Gemm product;
    product.form = kernels::GemmForm::a_transposed_b;
    product.rows = product.depth = part.rows;
    product.columns = shape_.model.head_dim;
    product.a = mixed(state.unfused).at(part.first);
    product.b =
        upstream.at(part.first_row * shape_.sizes.query_width + part.head * product.columns);
    product.c = gradient.at(values.at(part.first_row));
    product.b_stride = shape_.sizes.query_width;
    product.c_stride = values.stride;
    math_.kernels().gemm(product, math_.stream());
  });
  state.core_gradient = {};
  state.unfused.dropped = {};
}

void LayerMath::drop_scores_gradient(const LayerPlace& at) {
  Buffer& gradient = at.state.unfused.score_gradient;
  drop_in_heads(at, gradient, gradient);
}

void LayerMath::softmax_gradient(const LayerPlace& at) {
  UnfusedState& state = at.state.unfused;
  const Buffer& probabilities = state.probabilities;
  const float scale = attention_layout(at).scale;
  const Index heads = shape_.sizes.heads;
  for_each_sequence(at.batch, heads, [&](const HeadScores& first) {
    math_.kernels().softmax_backward(
        {heads * first.rows, first.rows, scale, probabilities.at(first.first),
         state.score_gradient.at(first.first)},
        math_.stream());
  });
  state.probabilities = {};
}

void LayerMath::query_gradient(const LayerPlace& at) {
  LayerState& state = at.state;
  const Buffer& key_value = grouped() ? state.unfused.key_value : state.qkv;
  const Buffer& gradient = state.unfused.score_gradient;
  for_each_head(at.batch, shape_.sizes.heads, [&](const HeadScores& part) {
    const HeadColumns keys = columns_of(Operand::key, part.head);
    kernels::Gemm product;
    product.form = kernels::GemmForm::a_b;
    product.rows = product.depth = part.rows;
    product.columns = shape_.model.head_dim;
    product.a = gradient.at(part.first);
    product.b = key_value.at(keys.at(part.first_row));
    product.c =
        state.qkv_gradient.at(part.first_row * shape_.qkv_width() + part.head * product.columns);
    product.b_stride = keys.stride;
    product.c_stride = shape_.qkv_width();
    math_.kernels().gemm(product, math_.stream());
  });
}

void LayerMath::key_gradient(const LayerPlace& at) {
  LayerState& state = at.state;
  Buffer& to = grouped() ? state.unfused.key_value_gradient : state.qkv_gradient;
  const Buffer &gradient = state.unfused.score_gradient, &qkv = state.qkv;
  for_each_head(at.batch, shape_.sizes.heads, [&](const HeadScores& part) {
    const HeadColumns keys = columns_of(Operand::key, part.head);
    kernels::Gemm product;
    product.form = kernels::GemmForm::a_transposed_b;
    product.rows = product.depth = part.rows;
    product.columns = shape_.model.head_dim;
    product.a = gradient.at(part.first);
    product.b = qkv.at(part.first_row * shape_.qkv_width() + part.head * product.columns);
    product.c = to.at(keys.at(part.first_row));
    product.b_stride = shape_.qkv_width();
    product.c_stride = keys.stride;
    math_.kernels().gemm(product, math_.stream());
  });
  state.unfused.score_gradient = {};
}

// Copies of one head are added up in order, from the first: all heads' first ones, then their
// second ones, ...
void LayerMath::copy_heads_gradient(const LayerPlace& at) {
  const LayerSizes& sizes = shape_.sizes;
  const Index size = shape_.model.head_dim, share = sizes.heads / sizes.kv_heads;
  const Index width = 2 * sizes.kv_width;
  const Buffer& copies = at.state.unfused.key_value_gradient;
  Buffer sums, addends;
  for (Index copy = 0; copy < share; ++copy) {
    Buffer& gathered = copy == 0 ? sums : addends;
    if (gathered.empty()) gathered = math_.rows_of(shape_.rows(), width);
    for (Index head = 0; head < 2 * sizes.kv_heads; ++head)
      copy_columns(copies, 2 * sizes.query_width, (head * share + copy) * size, gathered, width,
                   head * size);
    if (copy > 0) math_.add(sums, addends, sums);
  }
  for (Index head = 0; head < 2 * sizes.kv_heads; ++head)
    copy_columns(sums, width, head * size, at.state.qkv_gradient, shape_.qkv_width(),
                 sizes.query_width + head * size);
  at.state.unfused = {};
}

}  // namespace quintet::engine
