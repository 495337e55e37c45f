// The largest values of the operands of a rank's products in fp8, which delayed scaling keeps from
// step to step (kernels/float8.h, RollMaxima). Each rank keeps those that it saw itself: a scale
// need not be the same on two ranks, since a product's result leaves it as bf16 or fp32, and codes
// that are gathered take their scales along (Transformer Engine's reduce_amax=False).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/device/workplace.h"
#include "engine/parameters/parameter_layout.h"
#include "sim/plan/parallelism.h"

namespace quintet::engine {

// The products with a layer's weights, and what each multiplies.
enum class LayerProduct { qkv, attention_output, mlp_up, mlp_down };
enum class Factor { input, weight, gradient };
inline constexpr Index layer_products = 4, factors = 3;

struct FactorName {
  int section = 0;  // of the layout: a layer
  LayerProduct product = LayerProduct::qkv;
  Factor factor = Factor::input;
};

class Float8Maxima {
 public:
  // Nothing is kept without a recipe, or under one that looks at no steps before.
  Float8Maxima(const ParameterLayout& layout, const std::optional<Float8Recipe>& recipe,
               Workplace& place);

  // Where the largest value of this step is gathered, and what the steps before tell: 0 where they
  // were none. Null: nothing is kept.
  float* observed(const FactorName& name);
  const float* told(const FactorName& name) const;

  // Queued on the lane: what was observed belongs to the past from here on.
  void end_step();
  void forget();

  // A layer's history: [products, factors, length()], the oldest step first; 0: there was none, or
  // it had no finite number. Both wait for what is queued on the lane.
  Index length() const { return length_; }  // 0: nothing is kept
  std::vector<float> history(int section);
  void set_history(int section, std::span<const float> history);

 private:
  Index tensor_of(const FactorName& name) const;
  Index first_of(int section) const;

  Workplace& place_;
  Index length_ = 0, sections_ = 0, slot_ = 0;
  float factor_ = 1;
  Buffer observed_, history_, told_;
};

}  // namespace quintet::engine
