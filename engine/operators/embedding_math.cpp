#include <utility>

#include "engine/operators/end_math.h"

namespace quintet::engine {

// Only tokens are split over ranks.
kernels::VocabularyShard EmbeddingMath::shard(const EmbeddingPlace& at, Weight table) const {
  const Section& section =
      math_.weights().layout().sections()[static_cast<std::size_t>(at.section)];
  const LocalTensor& tensor = *section.find(table);
  return {static_cast<std::int32_t>(tensor.first_row), static_cast<std::int32_t>(tensor.rows)};
}

const std::int32_t* EmbeddingMath::rows_of(const EmbeddingPlace& at, Weight table) const {
  if (table == Weight::token_table) return at.batch.tokens;
  return (table == Weight::position_table ? at.batch.positions : at.batch.types) +
         shape_.first_row();
}

void EmbeddingMath::look_up(const EmbeddingPlace& at, Weight table) {
  const bool tokens = table == Weight::token_table;
  const Index rows = tokens ? shape_.rows() : shape_.share();
  Buffer found = math_.rows_of(rows, shape_.hidden());
  kernels::EmbeddingForward forward;
  forward.rows = rows;
  forward.width = shape_.hidden();
  forward.shard = shard(at, table);
  forward.tokens = rows_of(at, table);
  forward.token_table = math_.weights().weight(at.section, table);
  forward.output = found.at();
  math_.kernels().embedding_forward(forward, math_.stream());
  if (tokens)
    at.state.sum = std::move(found);
  else
    math_.add(at.state.sum, found, at.state.sum);
}

void EmbeddingMath::norm(const EmbeddingPlace& at) {
  at.state.norm.input = std::move(at.state.sum);
  math_.norm({at.section, Weight::embedding_norm}, at.state.norm, at.state.sum);
}

void EmbeddingMath::dropout(const EmbeddingPlace& at) {
  math_.drop({DropPlace::embedding, -1, at.batch}, at.state.sum, at.state.sum);
}

void EmbeddingMath::end_forward(const EmbeddingPlace& at) {
  at.residual_stream.hidden = std::move(at.state.sum);
}

void EmbeddingMath::norm_gradient(const EmbeddingPlace& at) {
  math_.norm_gradient({at.section, Weight::embedding_norm}, at.state.norm,
                      at.residual_stream.gradient);
}

void EmbeddingMath::dropout_gradient(const EmbeddingPlace& at) {
  math_.drop({DropPlace::embedding, -1, at.batch}, at.residual_stream.gradient,
             at.residual_stream.gradient);
}

void EmbeddingMath::scatter(const EmbeddingPlace& at, Weight table) {
  const bool tokens = table == Weight::token_table;
  const bool gathered = tokens && shape_.sequence_split;
  const Buffer& gradient = gathered ? at.state.gathered_gradient : at.residual_stream.gradient;
  kernels::EmbeddingGradient backward;
  backward.rows = tokens ? shape_.rows() : shape_.share();
  backward.width = shape_.hidden();
  backward.shard = shard(at, table);
  backward.tokens = rows_of(at, table);
  backward.output_gradient = gradient.at();
  backward.token_gradient = math_.weights().gradient(at.section, table);
  Buffer workspace =
      math_.floats_of(kernels::embedding_gradient_workspace(backward.rows, backward.width));
  backward.workspace = workspace.floats();
  math_.kernels().embedding_gradient(backward, math_.stream());
}

Buffer& EmbeddingMath::gather_gradient(const EmbeddingPlace& at) {
  at.state.gathered_gradient = part_in_whole(math_.place(), at.residual_stream.gradient,
                                             shape_.tensor_position, shape_.tensor_ranks);
  return at.state.gathered_gradient;
}

}  // namespace quintet::engine
