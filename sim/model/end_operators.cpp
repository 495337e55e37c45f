// What stands before the first layer and after the last.
#include <cmath>

#include "sim/model/layer_kernels.h"
#include "sim/model/layer_operators.h"

namespace quintet {
namespace {

// Tables looked up beside the tokens: learned positions, BERT's token types.
std::vector<Computation> added_tables(const Model& model) {
  std::vector<Computation> tables;
  if (model.positions == PositionKind::learned) tables.push_back(Computation::position_embedding);
  if (model.token_types > 0) tables.push_back(Computation::type_embedding);
  return tables;
}

Operator on_embedding(Computation table, const KernelContext& context,
                      const ElementTraffic& traffic, std::int64_t tokens, std::int64_t hidden) {
  return memory_operator(table, context, traffic, tokens, hidden, Rows::plain);
}

// Masked words are gathered before the head where the model predicts only those.
std::int64_t predicted(const Model& model, std::int64_t tokens) {
  return static_cast<std::int64_t>(std::ceil(model.predicted_share * static_cast<double>(tokens)));
}

Linear head_linear(const Model& model, const LayerSizes& sizes) {
  const Bias bias = model.family == ModelFamily::bert ? Bias::present : Bias::absent;
  const std::int64_t tokens = predicted(model, sizes.tokens);
  return {Computation::vocabulary,
          Computation::vocabulary_bias,
          tokens,
          sizes.hidden,
          sizes.vocabulary,
          bias,
          tokens};
}

// BERT's dense layer before the vocabulary, on the share of the sequence; not split by columns.
Linear transform_linear(const Model& model, const LayerSizes& sizes) {
  const std::int64_t tokens = predicted(model, sizes.token_share);
  return {Computation::head_transform,
          Computation::head_transform_bias,
          tokens,
          sizes.hidden,
          sizes.hidden,
          Bias::present,
          tokens};
}

Operator transform_activation(const KernelContext& context, const ElementTraffic& traffic,
                              const Model& model, const LayerSizes& sizes) {
  return memory_operator(Computation::head_transform_activation, context, traffic,
                         predicted(model, sizes.token_share), sizes.hidden, Rows::plain);
}

Operator on_logits(const KernelContext& context, const ElementTraffic& traffic, const Model& model,
                   const LayerWork& work, const LayerSizes& sizes) {
  const std::int64_t ranks = work.fusion.whole_logits ? work.split.tensor : 1;
  return memory_operator(Computation::cross_entropy, context, traffic,
                         predicted(model, sizes.tokens), ranks * sizes.vocabulary,
                         Rows::structured);
}

}  // namespace

BlockOperators embedding_operators(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, Phase::forward);
  const KernelContext context{Phase::forward, work.type};
  const double element = size_of(work.type).value;
  BlockOperators block;
  block.parallel.push_back(on_embedding(Computation::token_embedding, context,
                                        {element, element, 1}, sizes.tokens, sizes.hidden));
  for (const Computation table : added_tables(model))
    block.after_reduce.push_back(
        on_embedding(table, context, {2 * element, element, 1}, sizes.token_share, sizes.hidden));
  if (model.family == ModelFamily::bert)
    block.after_reduce.push_back(layer.norm(Computation::embedding_norm, ResidualSum::elsewhere));
  if (model.dropout > 0)
    block.after_reduce.push_back(layer.dropout(Computation::embedding_dropout));
  return block;
}

BlockOperators embedding_gradient_operators(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, Phase::backward);
  const KernelContext context{Phase::backward, work.type};
  const double element = size_of(work.type).value, gradient = size_of(work.gradient_type).value;
  // Each row is added to its row of the table's gradient.
  const ElementTraffic scatter{element + gradient, gradient, 1};
  BlockOperators block;
  if (model.dropout > 0)
    block.before_gather.push_back(layer.dropout_gradient(Computation::embedding_dropout));
  if (model.family == ModelFamily::bert)
    block.before_gather.push_back(
        layer.norm_gradient(Computation::embedding_norm, ResidualSum::elsewhere));
  for (const Computation table : added_tables(model))
    block.before_gather.push_back(
        on_embedding(table, context, scatter, sizes.token_share, sizes.hidden));
  block.parallel.push_back(
      on_embedding(Computation::token_embedding, context, scatter, sizes.tokens, sizes.hidden));
  return block;
}

BlockOperators head_operators(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, Phase::forward);
  const KernelContext context{Phase::forward, work.type};
  const double element = size_of(work.type).value;
  BlockOperators block;
  if (model.family == ModelFamily::bert) {
    block.before_gather.push_back(layer.product(transform_linear(model, sizes)));
    block.before_gather.push_back(
        transform_activation(context, {element, element, 1}, model, sizes));
    make_pair(block.before_gather[0], block.before_gather[1]);
  }
  block.before_gather.push_back(layer.norm(Computation::head_norm, ResidualSum::elsewhere));
  if (!model.headless) block.parallel.push_back(layer.product(head_linear(model, sizes)));
  block.parallel.push_back(
      on_logits(context, cross_entropy_forward(work.type, work.fusion), model, work, sizes));
  return block;
}

BlockOperators head_input_gradient_operators(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, Phase::input_gradient);
  const KernelContext context{Phase::input_gradient, work.type};
  const double element = size_of(work.type).value;
  BlockOperators block;
  block.parallel.push_back(
      on_logits(context, cross_entropy_backward(work.type, work.fusion), model, work, sizes));
  if (!model.headless) block.parallel.push_back(layer.input_gradient(head_linear(model, sizes)));
  block.after_reduce.push_back(layer.norm_gradient(Computation::head_norm, ResidualSum::elsewhere));
  if (model.family == ModelFamily::bert) {
    block.after_reduce.push_back(
        transform_activation(context, {2 * element, element, 1}, model, sizes));
    block.after_reduce.push_back(layer.input_gradient(transform_linear(model, sizes)));
  }
  return block;
}

BlockOperators head_weight_gradient_operators(const Model& model, const LayerWork& work) {
  const LayerSizes sizes = layer_sizes(model, work);
  const LayerKernels layer(model, work, sizes, Phase::weight_gradient);
  BlockOperators block;
  if (!model.headless) layer.append_weight_gradient(head_linear(model, sizes), block.parallel);
  if (model.family == ModelFamily::bert)
    layer.append_weight_gradient(transform_linear(model, sizes), block.after_reduce);
  return block;
}

}  // namespace quintet
