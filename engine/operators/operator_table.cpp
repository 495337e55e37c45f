#include "engine/operators/operator_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace quintet::engine {

namespace {

using What = Computation;
using Layer = LayerMath;
using Head = HeadMath;
using Ends = EmbeddingMath;

struct Row {
  Computation what;
  Function forward, input_gradient = {}, weight_gradient = {};
};

template <auto member, auto... more>
constexpr LayerFunction layer =
    [](LayerMath& math, const LayerPlace& at) { (math.*member)(at, more...); };
template <auto member>
constexpr HeadFunction head = [](HeadMath& math, const HeadPlace& at) { (math.*member)(at); };
template <auto member, auto... more>
constexpr EmbeddingFunction ends =
    [](EmbeddingMath& math, const EmbeddingPlace& at) { (math.*member)(at, more...); };

constexpr BlockName attention = BlockName::attention, mlp = BlockName::mlp;
constexpr Function none{};

constexpr std::array rows{
    Row{What::token_embedding, ends<&Ends::look_up, Weight::token_table>,
        ends<&Ends::scatter, Weight::token_table>},
    Row{What::position_embedding, ends<&Ends::look_up, Weight::position_table>,
        ends<&Ends::scatter, Weight::position_table>},
    Row{What::type_embedding, ends<&Ends::look_up, Weight::type_table>,
        ends<&Ends::scatter, Weight::type_table>},
    Row{What::embedding_norm, ends<&Ends::norm>, ends<&Ends::norm_gradient>},
    Row{What::embedding_dropout, ends<&Ends::dropout>, ends<&Ends::dropout_gradient>},

    Row{What::operand_cast, layer<&Layer::cast_input>, layer<&Layer::cast_gradient>},
    Row{What::attention_norm, layer<&Layer::norm, attention>,
        layer<&Layer::norm_gradient, attention>},
    Row{What::qkv, layer<&Layer::qkv>, layer<&Layer::qkv_gradient>, layer<&Layer::qkv_weight>},
    Row{What::qkv_bias, none, none, layer<&Layer::qkv_bias>},
    Row{What::head_norms, layer<&Layer::head_norms>, layer<&Layer::head_norms_gradient>},
    Row{What::rotary, layer<&Layer::rotary>, layer<&Layer::rotary_gradient>},
    Row{What::flash_attention, layer<&Layer::attention>, layer<&Layer::attention_gradient>},
    Row{What::head_copies, layer<&Layer::copy_heads>, layer<&Layer::copy_heads_gradient>},
    Row{What::attention_scores, layer<&Layer::scores>},
    Row{What::attention_softmax, layer<&Layer::softmax>, layer<&Layer::softmax_gradient>},
    Row{What::attention_dropout, layer<&Layer::drop_scores>, layer<&Layer::drop_scores_gradient>},
    Row{What::attention_values, layer<&Layer::mix_values>},
    Row{What::probability_gradient, none, layer<&Layer::probability_gradient>},
    Row{What::value_gradient, none, layer<&Layer::value_gradient>},
    Row{What::query_gradient, none, layer<&Layer::query_gradient>},
    Row{What::key_gradient, none, layer<&Layer::key_gradient>},
    Row{What::attention_output, layer<&Layer::attention_output>,
        layer<&Layer::attention_output_gradient>, layer<&Layer::attention_output_weight>},
    Row{What::attention_output_bias, none, none, layer<&Layer::row_bias, attention>},
    Row{What::attention_branch_dropout, none, layer<&Layer::dropout_gradient, attention>},
    Row{What::attention_residual, layer<&Layer::residual, attention>,
        layer<&Layer::residual_gradient, attention>},

    Row{What::mlp_norm, layer<&Layer::norm, mlp>, layer<&Layer::norm_gradient, mlp>},
    Row{What::mlp_up, layer<&Layer::mlp_up>, layer<&Layer::mlp_up_gradient>,
        layer<&Layer::mlp_up_weight>},
    Row{What::mlp_up_bias, none, none, layer<&Layer::mlp_up_bias>},
    Row{What::mlp_activation, layer<&Layer::mlp_activation>,
        layer<&Layer::mlp_activation_gradient>},
    Row{What::mlp_down, layer<&Layer::mlp_down>, layer<&Layer::mlp_down_gradient>,
        layer<&Layer::mlp_down_weight>},
    Row{What::mlp_down_bias, none, none, layer<&Layer::row_bias, mlp>},
    Row{What::mlp_branch_dropout, none, layer<&Layer::dropout_gradient, mlp>},
    Row{What::mlp_residual, layer<&Layer::residual, mlp>, layer<&Layer::residual_gradient, mlp>},

    Row{What::head_transform, head<&Head::transform>, head<&Head::transform_gradient>,
        head<&Head::transform_weight>},
    Row{What::head_transform_bias, none, none, head<&Head::transform_bias>},
    Row{What::head_transform_activation, head<&Head::transform_activation>,
        head<&Head::transform_activation_gradient>},
    Row{What::head_norm, head<&Head::norm>, head<&Head::norm_gradient>},
    Row{What::vocabulary, head<&Head::project>, head<&Head::project_gradient>,
        head<&Head::projection_weight>},
    Row{What::vocabulary_bias, none, none, head<&Head::projection_bias>},
    Row{What::cross_entropy, head<&Head::loss>, head<&Head::loss_gradient>},
};

constexpr std::array of_update{
    What::gradient_add,       What::bucket_mean,      What::bucket_norm,      What::bucket_clip,
    What::local_norm,         What::local_clip,       What::gradient_norm,    What::gradient_clip,
    What::element_update,     What::lamb_direction,   What::gradient_unscale, What::lamb_norms,
    What::lamb_step,          What::weight_cast,      What::momentum_add,     What::chunk_transform,
    What::coefficient_choice, What::chunk_inverse,    What::momentum_rest,    What::element_choice,
    What::outer_difference,   What::coefficient_mean, What::merged_inverse,   What::merged_gradient,
    What::element_merge,      What::outer_step};
constexpr std::array of_samples{What::presort};
constexpr std::array done_by_none{What::tensor_copies, What::stage_total};

constexpr bool each_is_told_once() {
  std::array<int, computations> told{};
  for (const Row& row : rows) ++told[static_cast<std::size_t>(row.what)];
  for (const What what : of_update) ++told[static_cast<std::size_t>(what)];
  for (const What what : of_samples) ++told[static_cast<std::size_t>(what)];
  for (const What what : done_by_none) ++told[static_cast<std::size_t>(what)];
  return std::all_of(told.begin(), told.end(), [](int times) { return times == 1; });
}
static_assert(each_is_told_once());

}  // namespace

Function function_of(const Operator& work) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Row& each) { return each.what == work.computation; });
  if (row == rows.end()) return none;
  switch (work.phase) {
    case Phase::forward:
    case Phase::recompute:
      return row->forward;
    case Phase::input_gradient:
    case Phase::backward:
      return row->input_gradient;
    case Phase::weight_gradient:
      return row->weight_gradient;
    case Phase::update:
      return none;
  }
  return none;
}

bool is_of_update(Computation computation) {
  return std::find(of_update.begin(), of_update.end(), computation) != of_update.end();
}

}  // namespace quintet::engine
