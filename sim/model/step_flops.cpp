#include "sim/model/step_flops.h"

#include <algorithm>

#include "sim/model/parameters.h"

namespace quintet {
namespace {

// Forward, in multiply-adds, for one step.
struct Products {
  double layers = 0;     // weight matrices of all layers
  double attention = 0;  // scores and values of all layers
  double head = 0;
};

double squared_length(const Model& model, double length, AttentionCount count) {
  const double window =
      model.sliding_window ? std::min(length, static_cast<double>(*model.sliding_window)) : length;
  const bool halved = model.mask == MaskKind::causal && count == AttentionCount::causal_half;
  return halved ? length * window - window * window / 2 : length * window;
}

Products products_of(const Model& model, std::int64_t sequences, std::int64_t sequence_length,
                     AttentionCount count) {
  const double hidden = model.hidden, layers = model.layers;
  const double query_width = static_cast<double>(model.heads) * model.head_dim;
  const double kv_width = static_cast<double>(model.kv_heads) * model.head_dim;
  const double mlp_matrices = model.mlp == MlpKind::gated_silu ? 3 : 2;
  const double length = static_cast<double>(sequence_length);
  const double tokens = static_cast<double>(sequences) * length;
  const double transform = model.family == ModelFamily::bert ? hidden * hidden : 0;
  Products products;
  products.layers = tokens * layers * hidden *
                    (2 * query_width + 2 * kv_width + mlp_matrices * model.feed_forward);
  products.attention = static_cast<double>(sequences) * layers * 2 * query_width *
                       squared_length(model, length, count);
  products.head = tokens * (hidden * model.vocabulary + transform);
  return products;
}

// k, the output and, gated, the second up matrix.
double alternate_products(const Model& model, std::int64_t tokens) {
  const double hidden = model.hidden;
  const double query_width = static_cast<double>(model.heads) * model.head_dim;
  const double kv_width = static_cast<double>(model.kv_heads) * model.head_dim;
  const double up_width = model.mlp == MlpKind::gated_silu ? model.feed_forward : 0;
  return static_cast<double>(tokens) * model.layers * hidden * (query_width + kv_width + up_width);
}

}  // namespace

Flops model_flops(const Model& model, std::int64_t sequences, std::int64_t sequence_length,
                  AttentionCount count) {
  const Products forward = products_of(model, sequences, sequence_length, count);
  return Flops{6 * (forward.layers + forward.attention + forward.head)};
}

Flops hardware_flops(const Model& model, std::int64_t sequences, std::int64_t sequence_length,
                     AttentionCount count, RecomputedPart recomputed) {
  const Products forward = products_of(model, sequences, sequence_length, count);
  const Flops once = model_flops(model, sequences, sequence_length, count);
  switch (recomputed) {
    case RecomputedPart::nothing:
      return once;
    case RecomputedPart::attention_core:
      return once + Flops{2 * forward.attention};
    case RecomputedPart::alternate_products:
      return once + Flops{2 * alternate_products(model, sequences * sequence_length)};
    case RecomputedPart::whole_layer:
      return once + Flops{2 * (forward.layers + forward.attention)};
  }
  return once;
}

namespace {

// a s + b s^2 from the lengths 1 and 2.
template <class Count>
Flops flops_of_samples(const SampleWork& work, const Count& count) {
  const Flops one = count(1), two = count(2);
  const Flops by_square = 0.5 * (two - 2 * one);
  const Flops by_token = one - by_square;
  return static_cast<double>(work.tokens) * by_token +
         static_cast<double>(work.squares) * by_square;
}

}  // namespace

Flops model_flops(const Model& model, const SampleWork& work, AttentionCount count) {
  return flops_of_samples(work, [&](int length) { return model_flops(model, 1, length, count); });
}

Flops hardware_flops(const Model& model, const SampleWork& work, AttentionCount count,
                     RecomputedPart recomputed) {
  return flops_of_samples(
      work, [&](int length) { return hardware_flops(model, 1, length, count, recomputed); });
}

double keys_per_token(const Model& model) {
  const Products one = products_of(model, 1, 1, AttentionCount::full);
  return one.layers / one.attention;
}

Flops palm_flops(const Model& model, std::int64_t sequences, std::int64_t sequence_length) {
  const double length = static_cast<double>(sequence_length);
  const double tokens = static_cast<double>(sequences) * length;
  const double query_width = static_cast<double>(model.heads) * model.head_dim;
  const double parameters = static_cast<double>(total_parameters(model));
  return Flops{tokens * (6 * parameters + 12.0 * model.layers * query_width * length)};
}

double utilisation(Flops work, Seconds step, int gpus, FlopRate peak) {
  return work / step / (peak * gpus);
}

}  // namespace quintet
