#include "sim/parallelism/replication/tensor_shapes.h"

namespace quintet {

namespace {

class Shapes {
 public:
  explicit Shapes(const Model& model) : model_(model) {}

  void matrix(std::int64_t rows, std::int64_t columns) {
    if (rows * columns > 0) made_.push_back({rows, columns});
  }
  void vector(std::int64_t length) { matrix(1, length); }
  // A layer norm has a bias beside its weight.
  void norm(std::int64_t width) {
    vector(width);
    if (model_.norm == NormKind::layer_norm) vector(width);
  }
  void dense(std::int64_t in, std::int64_t out, std::int64_t biases) {
    matrix(in, out);
    if (biases > 0) vector(out);
  }
  TensorShapes take() && { return std::move(made_); }

 private:
  const Model& model_;
  TensorShapes made_;
};

}  // namespace

TensorShapes layer_tensors(const Model& model, const ParameterSplit& split) {
  const LayerParameters counts = layer_parameters(model, split);
  const std::int64_t hidden = model.hidden;
  Shapes shapes(model);
  shapes.norm(hidden);
  shapes.dense(hidden, counts.qkv_weight / hidden, counts.qkv_bias);
  if (model.qk_norm) {
    shapes.norm(model.head_dim);
    shapes.norm(model.head_dim);
  }
  shapes.dense(counts.attention_output_weight / hidden, hidden, counts.attention_output_bias);
  shapes.norm(hidden);
  shapes.dense(hidden, counts.mlp_up_weight / hidden, counts.mlp_up_bias);
  shapes.dense(counts.mlp_down_weight / hidden, hidden, counts.mlp_down_bias);
  return std::move(shapes).take();
}

TensorShapes embedding_tensors(const Model& model, const ParameterSplit& split) {
  const EmbeddingParameters counts = embedding_parameters(model, split);
  Shapes shapes(model);
  shapes.matrix(counts.tokens / model.hidden, model.hidden);
  shapes.matrix(counts.positions / model.hidden, model.hidden);
  shapes.matrix(counts.token_types / model.hidden, model.hidden);
  if (counts.norm > 0) shapes.norm(model.hidden);
  return std::move(shapes).take();
}

TensorShapes head_tensors(const Model& model, const ParameterSplit& split, Projection projection) {
  const HeadParameters counts = head_parameters(model, split);
  const std::int64_t hidden = model.hidden;
  Shapes shapes(model);
  if (counts.final_norm > 0) shapes.norm(hidden);
  if (counts.transform > 0) {
    shapes.dense(hidden, hidden, hidden);
    shapes.norm(hidden);
  }
  if (projection == Projection::own) shapes.matrix(counts.projection / hidden, hidden);
  shapes.vector(counts.projection_bias);
  if (counts.pooler > 0) shapes.dense(hidden, hidden, hidden);
  if (counts.classifier > 0) shapes.dense(hidden, 2, 2);
  return std::move(shapes).take();
}

std::int64_t count_of(const TensorShapes& tensors) {
  std::int64_t sum = 0;
  for (const TensorShape& tensor : tensors) sum += tensor.count();
  return sum;
}

}  // namespace quintet
