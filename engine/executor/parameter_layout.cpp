#include "engine/executor/parameter_layout.h"

#include <algorithm>
#include <cassert>

namespace quintet::engine {

namespace {

// Makes the sections of one rank, tensor by tensor.
class SectionBuilder {
 public:
  SectionBuilder(const LayoutInput& input, SectionKind kind, int layer, int chunk, Index begin)
      : model_(input.model), split_(input.split), position_(input.tensor_position) {
    section_.kind = kind;
    section_.layer = layer;
    section_.chunk = chunk;
    section_.begin = begin;
    prefix_ = kind == SectionKind::layer       ? "layer." + std::to_string(layer) + "."
              : kind == SectionKind::embedding ? "embedding."
                                               : "head.";
  }

  Section layer() {
    norm(Weight::attention_norm, "attention_norm");
    heads(Weight::qkv, "", model_.hidden, InitialValue::normal);
    if (model_.qkv_bias) heads(Weight::qkv_bias, "_bias", 1, InitialValue::zero);
    by_rows(Weight::attention_output, "attention_output", Index{model_.heads} * model_.head_dim);
    if (model_.attention_output_bias)
      vector(Weight::attention_output_bias, "attention_output_bias", InitialValue::zero);
    norm(Weight::mlp_norm, "mlp_norm");
    up(Weight::mlp_up, "", model_.hidden, InitialValue::normal);
    if (model_.mlp_bias) up(Weight::mlp_up_bias, "_bias", 1, InitialValue::zero);
    by_rows(Weight::mlp_down, "mlp_down", model_.feed_forward);
    if (model_.mlp_bias) vector(Weight::mlp_down_bias, "mlp_down_bias", InitialValue::zero);
    assert(section_.count == layer_parameters(model_, split_).total());
    return std::move(section_);
  }

  Section embedding() {
    vocabulary(Weight::token_table, "embedding.tokens", model_.hidden, InitialValue::normal);
    if (model_.positions == PositionKind::learned)
      table(Weight::position_table, "positions", model_.max_positions, InitialValue::normal);
    if (model_.token_types > 0)
      table(Weight::type_table, "types", model_.token_types, InitialValue::normal);
    if (model_.family == ModelFamily::bert) norm(Weight::embedding_norm, "norm");
    assert(section_.count == embedding_parameters(model_, split_).total());
    return std::move(section_);
  }

  // `projection`: whether the vocabulary projection lies here and not in the embedding.
  Section head(Held projection) {
    if (model_.family == ModelFamily::bert) return bert_head(projection);
    norm(Weight::final_norm, "norm");
    if (projection == Held::split) head_projection();
    return std::move(section_);
  }

 private:
  Section bert_head(Held projection) {
    const Index hidden = model_.hidden;
    table(Weight::transform, "transform", hidden, InitialValue::normal);
    vector(Weight::transform_bias, "transform_bias", InitialValue::zero);
    norm(Weight::transform_norm, "transform_norm");
    if (projection == Held::split) head_projection();
    vocabulary(Weight::projection_bias, "head.projection_bias", 1, InitialValue::zero);
    table(Weight::pooler, "pooler", hidden, InitialValue::normal);
    vector(Weight::pooler_bias, "pooler_bias", InitialValue::zero);
    whole(Weight::classifier, "classifier", hidden, 2, InitialValue::normal);
    whole(Weight::classifier_bias, "classifier_bias", 1, 2, InitialValue::zero);
    return std::move(section_);
  }

  void head_projection() {
    const char* const name = model_.tied_embeddings ? "embedding.tokens" : "head.projection";
    vocabulary(Weight::projection, name, model_.hidden, InitialValue::normal);
  }

  void add(LocalTensor tensor) {
    tensor.offset = section_.count;
    section_.count += tensor.count();
    section_.tensors.push_back(std::move(tensor));
  }

  void whole(Weight weight, const std::string& name, Index rows, Index columns,
             InitialValue initial) {
    add({weight,
         0,
         rows,
         columns,
         Held::replicated,
         initial,
         {{prefix_ + name, rows, columns, 0, 0, 0, rows, columns}}});
  }
  void vector(Weight weight, const std::string& name, InitialValue initial) {
    whole(weight, name, 1, model_.hidden, initial);
  }
  void table(Weight weight, const std::string& name, Index rows, InitialValue initial) {
    whole(weight, name, rows, model_.hidden, initial);
  }
  void norm(Weight weight, const std::string& name) {
    vector(weight, name, InitialValue::one);
    if (model_.norm == NormKind::layer_norm)
      vector(static_cast<Weight>(static_cast<int>(weight) + 1), name + "_bias", InitialValue::zero);
  }

  void by_rows(Weight weight, const std::string& name, Index global_rows) {
    const Index rows = global_rows / split_.tensor;
    add({weight,
         0,
         rows,
         model_.hidden,
         Held::split,
         InitialValue::normal_after_residual,
         {{prefix_ + name, global_rows, model_.hidden, position_ * rows, 0, 0, rows,
           model_.hidden}}});
  }

  void vocabulary(Weight weight, const std::string& name, Index columns, InitialValue initial) {
    const Index rows = padded_vocabulary(model_, split_) / split_.tensor;
    add({weight,
         0,
         rows,
         columns,
         Held::split,
         initial,
         {{name, model_.vocabulary, columns, position_ * rows, 0, 0, rows, columns}}});
  }

  // Columns side by side: queries, keys, values; fewer key heads than ranks: copies.
  void heads(Weight weight, const std::string& suffix, Index rows, InitialValue initial) {
    const Index dimension = model_.head_dim;
    const Index query = query_heads_per_rank(model_, split_.tensor) * dimension;
    const Index key = kv_heads_per_rank(model_, split_.tensor) * dimension;
    const Index copies = std::max(1, split_.tensor / model_.kv_heads);
    const Index whole_key = Index{model_.kv_heads} * dimension;
    const Index first_key = position_ / copies * key;
    add({weight,
         0,
         rows,
         query + 2 * key,
         Held::split,
         initial,
         {{prefix_ + "query" + suffix, rows, Index{model_.heads} * dimension, 0, position_ * query,
           0, rows, query},
          {prefix_ + "key" + suffix, rows, whole_key, 0, first_key, query, rows, key},
          {prefix_ + "value" + suffix, rows, whole_key, 0, first_key, query + key, rows, key}}});
  }

  void up(Weight weight, const std::string& suffix, Index rows, InitialValue initial) {
    const Index width = model_.feed_forward / split_.tensor;
    const Index first = position_ * width;
    LocalTensor tensor{weight, 0, rows, width, Held::split, initial, {}};
    if (model_.mlp == MlpKind::gated_silu) {
      tensor.columns = 2 * width;
      tensor.parts.push_back(
          {prefix_ + "mlp_gate" + suffix, rows, model_.feed_forward, 0, first, 0, rows, width});
    }
    tensor.parts.push_back({prefix_ + "mlp_up" + suffix, rows, model_.feed_forward, 0, first,
                            tensor.columns - width, rows, width});
    add(std::move(tensor));
  }

  const Model& model_;
  const ParameterSplit split_;
  const Index position_;
  std::string prefix_;
  Section section_;
};

}  // namespace

const LocalTensor* Section::find(Weight weight) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(),
                   [weight](const LocalTensor& each) { return each.weight == weight; });
  return found == tensors.end() ? nullptr : &*found;
}

ParameterLayout::ParameterLayout(const LayoutInput& input) : tied_(input.model.tied_embeddings) {
  const auto add = [this](Section section) {
    sections_.push_back(std::move(section));
    return static_cast<int>(sections_.size()) - 1;
  };
  for (std::size_t number = 0; number < input.chunks.size(); ++number) {
    const Chunk& chunk = input.chunks[number];
    const auto builder = [&](SectionKind kind, int layer) {
      return SectionBuilder(input, kind, layer, static_cast<int>(number), count());
    };
    const bool shared = tied_ && chunk.embedding && chunk.head;
    if (chunk.head)
      head_ = add(builder(SectionKind::head, -1).head(shared ? Held::replicated : Held::split));
    for (int layer = chunk.first_layer + chunk.layers - 1; layer >= chunk.first_layer; --layer)
      add(builder(SectionKind::layer, layer).layer());
    if (chunk.embedding) embedding_ = add(builder(SectionKind::embedding, -1).embedding());
  }
}

Index ParameterLayout::chunk_begin(int chunk) const {
  for (const Section& section : sections_)
    if (section.chunk == chunk) return section.begin;
  return count();
}

int ParameterLayout::layer_section(int layer) const {
  for (std::size_t index = 0; index < sections_.size(); ++index)
    if (sections_[index].kind == SectionKind::layer && sections_[index].layer == layer)
      return static_cast<int>(index);
  return -1;
}

int ParameterLayout::projection_section() const {
  return head_ >= 0 && sections_[static_cast<std::size_t>(head_)].find(Weight::projection)
             ? head_
             : embedding_;
}

Weight ParameterLayout::projection_weight() const {
  return projection_section() == head_ ? Weight::projection : Weight::token_table;
}

std::optional<Index> ParameterLayout::tied_begin() const {
  if (!tied_ || (embedding_ >= 0) == (head_ >= 0)) return std::nullopt;
  const int holder = embedding_ >= 0 ? embedding_ : head_;
  const Section& section = sections_[static_cast<std::size_t>(holder)];
  return section.begin +
         section.find(embedding_ >= 0 ? Weight::token_table : Weight::projection)->offset;
}

Index ParameterLayout::tied_count() const {
  const Section& section =
      sections_[static_cast<std::size_t>(embedding_ >= 0 ? embedding_ : head_)];
  return section.find(embedding_ >= 0 ? Weight::token_table : Weight::projection)->count();
}

}  // namespace quintet::engine
