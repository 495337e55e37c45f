#include "engine/files/weights/parameter_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace quintet {
namespace {

// The rows of a tensor that this rank holds.
struct Part {
  ParameterTensor tensor;
  std::int64_t first = 0, rows = 0;
  Holding holding = Holding::first;
};

struct Place {
  ParameterKind kind;
  int layer = -1;
};

class ListBuilder {
 public:
  ListBuilder(const Model& model, const ParameterSplit& split, int tensor_rank)
      : model_(model), split_(split), rank_(tensor_rank) {}

  std::vector<Parameter> list() && { return std::move(list_); }

  void embedding();
  void layer(int number);
  void head(const Chunk& chunk);

 private:
  void replicated(Place place, ParameterTensor tensor);
  void stacked(Place place, TensorSplit split, std::vector<Part> parts, std::int64_t padding = 0);
  void by_rows_of(Place place, ParameterTensor tensor);
  void by_vocabulary(ParameterKind kind, ParameterTensor tensor, Holding holding = Holding::first);
  void norm(ParameterKind weight, ParameterKind bias, int layer, const std::string& name);
  void dense(ParameterKind weight, ParameterKind bias, const std::string& name, Shape shape);
  void attention(int number, const std::string& name);
  void mlp(int number, const std::string& name);
  void bert_head();

  ParameterTensor matrix(std::string name, std::int64_t out, std::int64_t in) const {
    return {std::move(name), {out, in}, Fill::normal, initial_deviation};
  }
  static ParameterTensor bias(std::string name, std::int64_t size) {
    return {std::move(name), {size}};
  }
  // Before the residual GPT-2 starts smaller: section 2.3 of Radford et al. 2019.
  ParameterTensor to_residual(std::string name, std::int64_t in) const {
    ParameterTensor tensor = matrix(std::move(name), model_.hidden, in);
    if (model_.family == ModelFamily::gpt2) tensor.deviation /= std::sqrt(2.0 * model_.layers);
    return tensor;
  }
  Holding of_replicated() const { return rank_ == 0 ? Holding::first : Holding::copy; }
  Part query(ParameterTensor tensor) const;
  Part key_value(ParameterTensor tensor) const;
  Part share(ParameterTensor tensor) const;

  const Model& model_;
  const ParameterSplit& split_;
  int rank_;
  std::vector<Parameter> list_;
};

void ListBuilder::replicated(Place place, ParameterTensor tensor) {
  const Shape shape = tensor.shape;
  list_.push_back({place.kind,
                   place.layer,
                   shape,
                   TensorSplit::replicated,
                   {{std::move(tensor), whole(shape), 0, of_replicated()}}});
}

// Rows of several tensors one below the other, then rows of padding.
void ListBuilder::stacked(Place place, TensorSplit split, std::vector<Part> parts,
                          std::int64_t padding) {
  Parameter parameter{place.kind, place.layer, parts.front().tensor.shape, split, {}};
  parameter.shape[0] = padding;
  std::int64_t at = 0;
  for (Part& part : parts) {
    Box box = whole(part.tensor.shape);
    box.offset[0] = part.first;
    box.shape[0] = part.rows;
    parameter.shape[0] += part.rows;
    const std::int64_t size = elements(box.shape);
    if (size > 0) parameter.slices.push_back({std::move(part.tensor), box, at, part.holding});
    at += size;
  }
  list_.push_back(std::move(parameter));
}

// Megatron-LM's row split, of the input: columns of a matrix [out, in].
void ListBuilder::by_rows_of(Place place, ParameterTensor tensor) {
  Box box = whole(tensor.shape);
  box.shape[1] /= split_.tensor;
  box.offset[1] = rank_ * box.shape[1];
  list_.push_back({place.kind,
                   place.layer,
                   box.shape,
                   TensorSplit::rows,
                   {{std::move(tensor), box, 0, Holding::first}}});
}

void ListBuilder::by_vocabulary(ParameterKind kind, ParameterTensor tensor, Holding holding) {
  const std::int64_t rows = padded_vocabulary(model_, split_) / split_.tensor;
  const std::int64_t first = std::min<std::int64_t>(rank_ * rows, model_.vocabulary);
  const std::int64_t held = std::min<std::int64_t>(rows, model_.vocabulary - first);
  stacked({kind}, TensorSplit::vocabulary, {{std::move(tensor), first, held, holding}},
          rows - held);
}

void ListBuilder::norm(ParameterKind weight, ParameterKind bias_kind, int layer,
                       const std::string& name) {
  replicated({weight, layer}, {name + ".weight", {model_.hidden}, Fill::ones});
  if (model_.norm == NormKind::layer_norm)
    replicated({bias_kind, layer}, bias(name + ".bias", model_.hidden));
}

void ListBuilder::dense(ParameterKind weight, ParameterKind bias_kind, const std::string& name,
                        Shape shape) {
  replicated({weight}, matrix(name + ".weight", shape[0], shape[1]));
  replicated({bias_kind}, bias(name + ".bias", shape[0]));
}

Part ListBuilder::query(ParameterTensor tensor) const {
  const std::int64_t rows = query_heads_per_rank(model_, split_.tensor) * model_.head_dim;
  return {std::move(tensor), rank_ * rows, rows};
}

// With fewer heads than ranks, neighbours hold the same one.
Part ListBuilder::key_value(ParameterTensor tensor) const {
  const std::int64_t rows = kv_heads_per_rank(model_, split_.tensor) * model_.head_dim;
  const int sharers = std::max(1, split_.tensor / model_.kv_heads);
  return {std::move(tensor), rank_ / sharers * rows, rows,
          rank_ % sharers == 0 ? Holding::first : Holding::copy};
}

Part ListBuilder::share(ParameterTensor tensor) const {
  const std::int64_t rows = tensor.shape[0] / split_.tensor;
  return {std::move(tensor), rank_ * rows, rows};
}

void ListBuilder::embedding() {
  by_vocabulary(ParameterKind::token_embedding,
                matrix("embedding.tokens.weight", model_.vocabulary, model_.hidden));
  if (model_.positions == PositionKind::learned)
    replicated({ParameterKind::position_embedding},
               matrix("embedding.positions.weight", model_.max_positions, model_.hidden));
  if (model_.token_types > 0)
    replicated({ParameterKind::type_embedding},
               matrix("embedding.types.weight", model_.token_types, model_.hidden));
  if (model_.family == ModelFamily::bert)
    norm(ParameterKind::embedding_norm_weight, ParameterKind::embedding_norm_bias, -1,
         "embedding.norm");
}

void ListBuilder::attention(int number, const std::string& name) {
  const std::int64_t query_width = std::int64_t{model_.heads} * model_.head_dim;
  const std::int64_t kv_width = std::int64_t{model_.kv_heads} * model_.head_dim;
  stacked({ParameterKind::qkv_weight, number}, TensorSplit::columns,
          {query(matrix(name + ".query.weight", query_width, model_.hidden)),
           key_value(matrix(name + ".key.weight", kv_width, model_.hidden)),
           key_value(matrix(name + ".value.weight", kv_width, model_.hidden))});
  if (model_.qkv_bias)
    stacked({ParameterKind::qkv_bias, number}, TensorSplit::columns,
            {query(bias(name + ".query.bias", query_width)),
             key_value(bias(name + ".key.bias", kv_width)),
             key_value(bias(name + ".value.bias", kv_width))});
  if (model_.qk_norm) {
    assert(model_.norm == NormKind::rms_norm);
    replicated({ParameterKind::query_norm_weight, number},
               {name + ".query_norm.weight", {model_.head_dim}, Fill::ones});
    replicated({ParameterKind::key_norm_weight, number},
               {name + ".key_norm.weight", {model_.head_dim}, Fill::ones});
  }
  by_rows_of({ParameterKind::attention_output_weight, number},
             to_residual(name + ".output.weight", query_width));
  if (model_.attention_output_bias)
    replicated({ParameterKind::attention_output_bias, number},
               bias(name + ".output.bias", model_.hidden));
}

void ListBuilder::mlp(int number, const std::string& name) {
  std::vector<Part> weights, biases;
  const auto add = [&](const std::string& matrix_name) {
    weights.push_back(
        share(matrix(name + matrix_name + ".weight", model_.feed_forward, model_.hidden)));
    biases.push_back(share(bias(name + matrix_name + ".bias", model_.feed_forward)));
  };
  if (model_.mlp == MlpKind::gated_silu) add(".gate");
  add(".up");
  stacked({ParameterKind::mlp_up_weight, number}, TensorSplit::columns, std::move(weights));
  if (model_.mlp_bias)
    stacked({ParameterKind::mlp_up_bias, number}, TensorSplit::columns, std::move(biases));
  by_rows_of({ParameterKind::mlp_down_weight, number},
             to_residual(name + ".down.weight", model_.feed_forward));
  if (model_.mlp_bias)
    replicated({ParameterKind::mlp_down_bias, number}, bias(name + ".down.bias", model_.hidden));
}

void ListBuilder::layer(int number) {
  const std::string name = fmt::format("layers.{}", number);
  norm(ParameterKind::attention_norm_weight, ParameterKind::attention_norm_bias, number,
       name + ".attention_norm");
  attention(number, name + ".attention");
  norm(ParameterKind::mlp_norm_weight, ParameterKind::mlp_norm_bias, number, name + ".mlp_norm");
  mlp(number, name + ".mlp");
}

void ListBuilder::bert_head() {
  const std::int64_t hidden = model_.hidden;
  dense(ParameterKind::transform_weight, ParameterKind::transform_bias, "head.transform",
        {hidden, hidden});
  norm(ParameterKind::transform_norm_weight, ParameterKind::transform_norm_bias, -1,
       "head.transform_norm");
  by_vocabulary(ParameterKind::projection_bias, bias("head.projection.bias", model_.vocabulary));
  dense(ParameterKind::pooler_weight, ParameterKind::pooler_bias, "head.pooler", {hidden, hidden});
  dense(ParameterKind::classifier_weight, ParameterKind::classifier_bias, "head.classifier",
        {2, hidden});
}

void ListBuilder::head(const Chunk& chunk) {
  if (model_.family == ModelFamily::bert)
    bert_head();
  else
    norm(ParameterKind::final_norm_weight, ParameterKind::final_norm_bias, -1, "final_norm");
  if (model_.tied_embeddings && chunk.embedding) return;
  const std::string name =
      model_.tied_embeddings ? "embedding.tokens.weight" : "head.projection.weight";
  by_vocabulary(ParameterKind::projection_weight, matrix(name, model_.vocabulary, model_.hidden),
                model_.tied_embeddings ? Holding::copy : Holding::first);
}

}  // namespace

std::vector<Parameter> parameters_of(const Model& model, const ParameterSplit& split,
                                     int tensor_rank, const Chunk& chunk) {
  assert(tensor_rank >= 0 && tensor_rank < split.tensor);
  ListBuilder builder(model, split, tensor_rank);
  if (chunk.embedding) builder.embedding();
  for (int layer = 0; layer < chunk.layers; ++layer) builder.layer(chunk.first_layer + layer);
  if (chunk.head) builder.head(chunk);
  return std::move(builder).list();
}

Chunk whole_model(const Model& model) {
  return {.first_layer = 0, .layers = model.layers, .embedding = true, .head = true};
}

std::vector<ParameterTensor> tensors_of(const Model& model) {
  std::vector<ParameterTensor> tensors;
  for (const Parameter& parameter : parameters_of(model, {}, 0, whole_model(model)))
    for (const Slice& slice : parameter.slices) tensors.push_back(slice.tensor);
  return tensors;
}

}  // namespace quintet
