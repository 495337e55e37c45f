#include "sim/model/layer_kernels.h"

#include "sim/model/memory_operators.h"

namespace quintet {
namespace {

// One core per sequence and head, all in one kernel.
class Core {
 public:
  Core(const Model& model, const LayerWork& work, const LayerSizes& sizes, Phase phase)
      : model_(model), work_(work), sizes_(sizes), context_{phase, work.type} {}

  Operator flash(int kernels) const {
    const AttentionShape shape{.sequences = work_.sequences,
                               .heads = sizes_.heads,
                               .kv_heads = sizes_.kv_heads,
                               .query_length = sizes_.query_length,
                               .key_length = sizes_.key_length,
                               .head_dim = model_.head_dim,
                               .mask = model_.mask,
                               .kernel = AttentionKernel::flash,
                               .window = sizes_.window};
    // Context parallelism meets the keys in as many parts as there are ranks.
    return {Computation::flash_attention, context_.phase, work_.type, shape,
            kernels * work_.split.context};
  }

  Operator product(Computation which, std::int64_t m, std::int64_t n, std::int64_t k) const {
    const GemmShape shape{m, n, k, work_.sequences * sizes_.heads};
    return {which, context_.phase, work_.type, shape, 1};
  }

  Operator on_scores(Computation which, const ElementTraffic& traffic, Rows structure) const {
    const std::int64_t rows = work_.sequences * sizes_.heads * sizes_.query_length;
    return memory_operator(which, context_, traffic, rows, sizes_.key_length, structure);
  }

  // Grouped keys and values written out once per query head (backward: added up again).
  void append_head_copies(std::vector<Operator>& operators) const {
    if (sizes_.kv_heads == sizes_.heads) return;
    const double element = size_of(work_.type).value;
    const double copies = static_cast<double>(sizes_.heads) / static_cast<double>(sizes_.kv_heads);
    const bool forward = context_.phase != Phase::input_gradient;
    const ElementTraffic traffic{.read = (forward ? 1 : copies) * element,
                                 .written = (forward ? copies : 1) * element,
                                 .kernels = 2};
    operators.push_back(memory_operator(Computation::head_copies, context_, traffic,
                                        work_.sequences * sizes_.key_length, 2 * sizes_.kv_width,
                                        Rows::plain));
  }

 private:
  const Model& model_;
  const LayerWork& work_;
  const LayerSizes& sizes_;
  KernelContext context_;
};

}  // namespace

std::vector<Operator> attention_forward(const Model& model, const LayerWork& work,
                                        const LayerSizes& sizes, Phase phase) {
  const Core core(model, work, sizes, phase);
  if (work.attention == AttentionKernel::flash) return {core.flash(1)};
  std::vector<Operator> operators;
  core.append_head_copies(operators);
  operators.push_back(core.product(Computation::attention_scores, sizes.query_length,
                                   sizes.key_length, model.head_dim));
  operators.push_back(core.on_scores(Computation::attention_softmax,
                                     softmax_forward(work.type, work.fusion, model.mask),
                                     Rows::structured));
  if (model.attention_dropout > 0)
    operators.push_back(
        core.on_scores(Computation::attention_dropout, dropout_forward(work.type), Rows::plain));
  operators.push_back(core.product(Computation::attention_values, sizes.query_length,
                                   model.head_dim, sizes.key_length));
  return operators;
}

std::vector<Operator> attention_backward(const Model& model, const LayerWork& work,
                                         const LayerSizes& sizes) {
  const Core core(model, work, sizes, Phase::input_gradient);
  // FlashAttention-2: rows of dO times O, the main kernel, dQ to the compute type.
  if (work.attention == AttentionKernel::flash) return {core.flash(3)};
  std::vector<Operator> operators;
  operators.push_back(core.product(Computation::probability_gradient, sizes.query_length,
                                   sizes.key_length, model.head_dim));
  operators.push_back(core.product(Computation::value_gradient, sizes.key_length, model.head_dim,
                                   sizes.query_length));
  if (model.attention_dropout > 0)
    operators.push_back(
        core.on_scores(Computation::attention_dropout, dropout_backward(work.type), Rows::plain));
  operators.push_back(core.on_scores(Computation::attention_softmax,
                                     softmax_backward(work.type, work.fusion, model.mask),
                                     Rows::structured));
  operators.push_back(core.product(Computation::query_gradient, sizes.query_length, model.head_dim,
                                   sizes.key_length));
  operators.push_back(core.product(Computation::key_gradient, sizes.key_length, model.head_dim,
                                   sizes.query_length));
  core.append_head_copies(operators);
  return operators;
}

}  // namespace quintet
