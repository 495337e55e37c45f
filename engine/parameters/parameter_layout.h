// Where every weight of one rank lies: sections (head, layers, embedding) in the order in which
// backward completes their gradients, so that a gradient bucket is one range of the flat elements.
// What a rank holds of which tensor is engine/files/weights/parameter_list.h's to say; here is its
// place. Matrices that multiply activations lie turned, [in, out]; token table and vocabulary
// projection [vocabulary, hidden].
#pragma once

#include <optional>
#include <vector>

#include "engine/files/weights/parameter_list.h"
#include "kernels/types.h"
#include "sim/model/model.h"
#include "sim/model/parameters.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet::engine {

using kernels::Index;

enum class Weight {
  attention_norm,
  attention_norm_bias,
  qkv,
  qkv_bias,
  query_norm,
  key_norm,
  attention_output,
  attention_output_bias,
  mlp_norm,
  mlp_norm_bias,
  mlp_up,
  mlp_up_bias,
  mlp_down,
  mlp_down_bias,
  token_table,
  position_table,
  type_table,
  embedding_norm,
  embedding_norm_bias,
  final_norm,
  final_norm_bias,
  projection,
  projection_bias,
  transform,
  transform_bias,
  transform_norm,
  transform_norm_bias,
  pooler,
  pooler_bias,
  classifier,
  classifier_bias,
};

// On several tensor ranks: each holds another part, or all the same.
enum class Held { split, replicated };
// Against the order of Parameter: [out, in] becomes [in, out].
enum class Lies { as_listed, turned };

struct LocalTensor {
  Weight weight = Weight::qkv;
  Index offset = 0;             // in its section
  Index rows = 1, columns = 0;  // as it lies; a vector is one row
  Lies lies = Lies::as_listed;
  Held held = Held::split;
  Index first_row = 0;  // of the whole tensor, where rows of the vocabulary are split
  Parameter parameter;
  Index count() const { return rows * columns; }
  bool matrix() const { return parameter.shape.size() > 1; }
};

enum class SectionKind { head, layer, embedding };

struct Section {
  SectionKind kind = SectionKind::layer;
  int layer = -1;
  int chunk = 0;
  Index begin = 0;  // in the rank's flat elements
  Index count = 0;
  std::vector<LocalTensor> tensors;

  const LocalTensor* find(Weight weight) const;
  Index end() const { return begin + count; }
};

struct LayoutInput {
  const Model& model;
  ParameterSplit split;
  int tensor_position = 0;
  const std::vector<Chunk>& chunks;  // of the stage
};

class ParameterLayout {
 public:
  explicit ParameterLayout(const LayoutInput& input);

  const std::vector<Section>& sections() const { return sections_; }
  Index count() const { return sections_.empty() ? 0 : sections_.back().end(); }
  Index chunk_begin(int chunk) const;
  std::int64_t tensors() const;  // of all sections
  // -1: not on this rank.
  int layer_section(int layer) const;
  int embedding_section() const { return embedding_; }
  int head_section() const { return head_; }
  // The section that holds the vocabulary projection: the embedding's when tied and here.
  int projection_section() const;
  Weight projection_weight() const;
  // Flat elements of the embedding's copy that another stage has too.
  std::optional<Index> tied_begin() const;
  Index tied_count() const;

 private:
  std::vector<Section> sections_;
  int embedding_ = -1, head_ = -1;
  bool tied_ = false;
};

}  // namespace quintet::engine
