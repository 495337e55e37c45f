#include "sim/model/layer_operators.h"

#include <variant>

#include "sim/model/layer_kernels.h"

namespace quintet {
namespace {

void append(std::vector<Operator>& operators, const std::vector<Operator>& more) {
  operators.insert(operators.end(), more.begin(), more.end());
}

bool norm_adds_residual(const Model& model, const Fusion& fusion) {
  return fusion.norm_residual && norm_kernels(model, fusion) == NormKernels::fused;
}

// What stands around a block's products.
struct Edges {
  Computation norm, branch_dropout, residual;
};
constexpr Edges attention_edges{Computation::attention_norm, Computation::attention_branch_dropout,
                                Computation::attention_residual};
constexpr Edges mlp_edges{Computation::mlp_norm, Computation::mlp_branch_dropout,
                          Computation::mlp_residual};

// Norm and residual of one block, in the order of the model.
void append_edges(const LayerKernels& layer, const Model& model, const LayerWork& work,
                  const Edges& edges, Bias bias, BlockOperators& block) {
  const bool inside = norm_adds_residual(model, work.fusion);
  const ResidualSum sum = inside ? ResidualSum::inside : ResidualSum::elsewhere;
  if (norm_placement(model) == NormPlacement::before_block)
    block.before_gather.push_back(layer.norm(edges.norm, sum));
  if (!inside) block.after_reduce.push_back(layer.residual(edges.residual, bias));
  if (norm_placement(model) == NormPlacement::after_residual)
    block.after_reduce.push_back(layer.norm(edges.norm, sum));
}

// Their gradients: a fork of the residual stream in forward is a sum here.
void append_edge_gradients(const LayerKernels& layer, const Model& model, const LayerWork& work,
                           const Edges& edges, BlockOperators& block) {
  const bool inside = norm_adds_residual(model, work.fusion);
  const ResidualSum sum = inside ? ResidualSum::inside : ResidualSum::elsewhere;
  if (norm_placement(model) == NormPlacement::after_residual)
    block.before_gather.push_back(layer.norm_gradient(edges.norm, sum));
  if (model.dropout > 0)
    block.before_gather.push_back(layer.dropout_gradient(edges.branch_dropout));
  if (norm_placement(model) == NormPlacement::before_block)
    block.after_reduce.push_back(layer.norm_gradient(edges.norm, sum));
  if (!inside) block.after_reduce.push_back(layer.residual_gradient(edges.residual));
}

LayerOperators forward_in(const Model& model, const LayerWork& work, Phase phase) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, phase);
  LayerOperators operators;
  BlockOperators& attention = operators.attention_block;
  append_edges(layer, model, work, attention_edges,
               model.attention_output_bias ? Bias::present : Bias::absent, attention);
  attention.parallel.push_back(layer.product(layer.qkv()));
  layer.append_qk_norm(attention.parallel);
  layer.append_rotary(attention.parallel);
  append(attention.parallel, attention_forward(model, work, sizes, phase));
  layer.append_cast(sizes.tokens, sizes.query_width, attention.parallel);
  attention.parallel.push_back(layer.product(layer.attention_output()));
  BlockOperators& mlp = operators.mlp_block;
  append_edges(layer, model, work, mlp_edges, model.mlp_bias ? Bias::present : Bias::absent, mlp);
  mlp.parallel = {layer.product(layer.mlp_up()), layer.activation()};
  make_pair(mlp.parallel[0], mlp.parallel[1]);
  layer.append_cast(sizes.tokens, sizes.down_width, mlp.parallel);
  mlp.parallel.push_back(layer.product(layer.mlp_down()));
  return operators;
}

// Half of the fused products' columns stand for the matrices that are not kept.
void keep_every_other(std::vector<Operator>& operators, const Model& model,
                      const LayerSizes& sizes) {
  const bool gated = model.mlp == MlpKind::gated_silu;
  std::erase_if(operators, [&](const Operator& work) {
    return kind_of(work.computation) == OperatorKind::attention ||
           work.computation == Computation::mlp_down ||
           (work.computation == Computation::mlp_up && !gated);
  });
  for (Operator& work : operators) {
    work.pairing = Pairing::alone;
    if (work.computation == Computation::qkv) std::get<GemmShape>(work.shape).n = sizes.kv_width;
    if (work.computation == Computation::mlp_up)
      std::get<GemmShape>(work.shape).n = sizes.down_width;
  }
}

LayerOperators alternate_products(const Model& model, const LayerWork& work) {
  LayerOperators operators = forward_in(model, work, Phase::recompute);
  const LayerSizes sizes = layer_sizes(model, work);
  keep_every_other(operators.attention_block.parallel, model, sizes);
  keep_every_other(operators.mlp_block.parallel, model, sizes);
  operators.mlp_block.after_reduce.clear();  // the layer's output is the next one's input
  return operators;
}

}  // namespace

LayerOperators forward_operators(const Model& model, const LayerWork& work) {
  return forward_in(model, work, Phase::forward);
}

LayerOperators input_gradient_operators(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, Phase::input_gradient);
  LayerOperators operators;
  BlockOperators& mlp = operators.mlp_block;
  append_edge_gradients(layer, model, work, mlp_edges, mlp);
  layer.append_cast(sizes.token_share, sizes.hidden, mlp.before_gather);
  mlp.parallel = {layer.input_gradient(layer.mlp_down()), layer.activation_gradient()};
  make_pair(mlp.parallel[0], mlp.parallel[1]);
  layer.append_cast(sizes.tokens, sizes.up_width, mlp.parallel);
  mlp.parallel.push_back(layer.input_gradient(layer.mlp_up()));
  BlockOperators& attention = operators.attention_block;
  append_edge_gradients(layer, model, work, attention_edges, attention);
  layer.append_cast(sizes.token_share, sizes.hidden, attention.before_gather);
  attention.parallel.push_back(layer.input_gradient(layer.attention_output()));
  append(attention.parallel, attention_backward(model, work, sizes));
  layer.append_rotary(attention.parallel);
  layer.append_qk_norm_gradient(attention.parallel);
  layer.append_cast(sizes.tokens, sizes.query_width + 2 * sizes.kv_width, attention.parallel);
  attention.parallel.push_back(layer.input_gradient(layer.qkv()));
  return operators;
}

LayerOperators weight_gradient_operators(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, Phase::weight_gradient);
  LayerOperators operators;
  layer.append_weight_gradient(layer.mlp_down(), operators.mlp_block.before_gather);
  layer.append_weight_gradient(layer.mlp_up(), operators.mlp_block.parallel);
  layer.append_weight_gradient(layer.attention_output(), operators.attention_block.before_gather);
  layer.append_weight_gradient(layer.qkv(), operators.attention_block.parallel);
  return operators;
}

LayerOperators recompute_operators(const Model& model, const LayerWork& work, RecomputedPart part) {
  switch (part) {
    case RecomputedPart::nothing:
      return {};
    case RecomputedPart::attention_core: {
      LayerOperators operators;
      operators.attention_block.parallel =
          attention_forward(model, work, layer_sizes(model, work), Phase::recompute);
      return operators;
    }
    case RecomputedPart::alternate_products:
      return alternate_products(model, work);
    case RecomputedPart::whole_layer:
      return forward_in(model, work, Phase::recompute);
  }
  return {};
}

Bytes operand_bytes(const LayerWork& work) {
  const Bytes number = size_of(work.gemm_type.value_or(work.type));
  constexpr double block = 128;
  const bool blocks =
      work.gemm_type == DataType::fp8 && work.float8_scaling == Float8Scaling::block;
  return blocks ? number + size_of(DataType::fp32) / block : number;
}

Bytes activation_bytes(const Model& model, const LayerWork& work) {
  return static_cast<double>(layer_sizes(model, work).tokens) * model.hidden * size_of(work.type);
}

Bytes stage_boundary_bytes(const Model& model, const LayerWork& work) {
  return static_cast<double>(layer_sizes(model, work).token_share) * model.hidden *
         size_of(work.type);
}

Bytes key_value_bytes(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  return 2 * static_cast<double>(sizes.tokens * sizes.kv_width) * size_of(work.type);
}

Bytes loss_reduction_bytes(const Model& model, const LayerWork& work) {
  return static_cast<double>(layer_sizes(model, work).tokens) * size_of(DataType::fp32);
}

Bytes whole_logits_bytes(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const double logits =
      static_cast<double>(sizes.tokens) * static_cast<double>(sizes.vocabulary * work.split.tensor);
  return logits * size_of(DataType::fp32);
}

}  // namespace quintet
