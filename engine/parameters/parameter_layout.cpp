#include "engine/parameters/parameter_layout.h"

#include <algorithm>
#include <cassert>

namespace quintet::engine {

namespace {

// In the order of ParameterKind.
constexpr Weight weight_of_kind[] = {Weight::token_table,
                                     Weight::position_table,
                                     Weight::type_table,
                                     Weight::embedding_norm,
                                     Weight::embedding_norm_bias,
                                     Weight::attention_norm,
                                     Weight::attention_norm_bias,
                                     Weight::query_norm,
                                     Weight::key_norm,
                                     Weight::qkv,
                                     Weight::qkv_bias,
                                     Weight::attention_output,
                                     Weight::attention_output_bias,
                                     Weight::mlp_norm,
                                     Weight::mlp_norm_bias,
                                     Weight::mlp_up,
                                     Weight::mlp_up_bias,
                                     Weight::mlp_down,
                                     Weight::mlp_down_bias,
                                     Weight::final_norm,
                                     Weight::final_norm_bias,
                                     Weight::transform,
                                     Weight::transform_bias,
                                     Weight::transform_norm,
                                     Weight::transform_norm_bias,
                                     Weight::projection,
                                     Weight::projection_bias,
                                     Weight::pooler,
                                     Weight::pooler_bias,
                                     Weight::classifier,
                                     Weight::classifier_bias};
static_assert(std::size(weight_of_kind) ==
              static_cast<std::size_t>(ParameterKind::classifier_bias) + 1);

Weight weight_of(ParameterKind kind) {
  return weight_of_kind[static_cast<std::size_t>(kind)];
}

// Rows that are looked up, or multiplied as they are, stay rows.
bool is_table(ParameterKind kind) {
  return kind <= ParameterKind::type_embedding || kind == ParameterKind::projection_weight;
}

LocalTensor local_tensor(Parameter parameter, int tensor_position) {
  LocalTensor tensor;
  const bool matrix = parameter.shape.size() > 1;
  const bool turned = matrix && !is_table(parameter.kind);
  tensor.weight = weight_of(parameter.kind);
  tensor.lies = turned ? Lies::turned : Lies::as_listed;
  tensor.rows = matrix ? parameter.shape[turned ? 1 : 0] : 1;
  tensor.columns = matrix ? parameter.shape[turned ? 0 : 1] : parameter.shape[0];
  tensor.held = parameter.split == TensorSplit::replicated ? Held::replicated : Held::split;
  if (parameter.split == TensorSplit::vocabulary)
    tensor.first_row = tensor_position * parameter.shape[0];
  tensor.parameter = std::move(parameter);
  return tensor;
}

SectionKind section_of(const Parameter& parameter) {
  if (parameter.layer >= 0) return SectionKind::layer;
  return parameter.kind <= ParameterKind::embedding_norm_bias ? SectionKind::embedding
                                                              : SectionKind::head;
}

// The chunk's parameters of one section, as they follow each other.
Section section_with(const std::vector<Parameter>& parameters, int tensor_position,
                     SectionKind kind, int layer) {
  Section section;
  section.kind = kind;
  section.layer = layer;
  for (const Parameter& parameter : parameters) {
    if (section_of(parameter) != kind || parameter.layer != layer) continue;
    LocalTensor tensor = local_tensor(parameter, tensor_position);
    tensor.offset = section.count;
    section.count += tensor.count();
    section.tensors.push_back(std::move(tensor));
  }
  return section;
}

}  // namespace

const LocalTensor* Section::find(Weight weight) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(),
                   [weight](const LocalTensor& each) { return each.weight == weight; });
  return found == tensors.end() ? nullptr : &*found;
}

ParameterLayout::ParameterLayout(const LayoutInput& input) : tied_(input.model.tied_embeddings) {
  for (std::size_t number = 0; number < input.chunks.size(); ++number) {
    const Chunk& chunk = input.chunks[number];
    const std::vector<Parameter> parameters =
        parameters_of(input.model, input.split, input.tensor_position, chunk);
    const auto add = [&](SectionKind kind, int layer) {
      Section section = section_with(parameters, input.tensor_position, kind, layer);
      section.chunk = static_cast<int>(number);
      section.begin = count();
      sections_.push_back(std::move(section));
      return static_cast<int>(sections_.size()) - 1;
    };
    if (chunk.head) head_ = add(SectionKind::head, -1);
    for (int layer = chunk.first_layer + chunk.layers - 1; layer >= chunk.first_layer; --layer)
      add(SectionKind::layer, layer);
    if (chunk.embedding) embedding_ = add(SectionKind::embedding, -1);
    assert(count() - chunk_begin(static_cast<int>(number)) ==
           stage_parameters(input.model, input.split, stage_part(chunk)));
  }
}

std::int64_t ParameterLayout::tensors() const {
  std::size_t sum = 0;
  for (const Section& section : sections_) sum += section.tensors.size();
  return static_cast<std::int64_t>(sum);
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
