// What one rank's kernels must know of the model and of the rank's place in it.
#pragma once

#include <optional>

#include "engine/device/buffer.h"
#include "engine/files/data/batch.h"
#include "kernels/activation.h"
#include "kernels/rotary_scaling.h"
#include "sim/model/layer_sizes.h"
#include "sim/model/model.h"
#include "sim/plan/parallelism.h"

namespace quintet::engine {

// What config.json says beyond the shapes of sim/model.
struct Numerics {
  float norm_epsilon = 1e-5F;
  double rotary_theta = 10000.0;
  std::optional<kernels::GeluForm> gelu;  // where the file names one; else the family's
  kernels::RotaryScaling rotary_scaling;
};

struct RankShape {
  Model model;
  LayerSizes sizes;
  Numerics numerics;
  DataType type = DataType::fp32;      // of weights and activations
  std::optional<Float8Recipe> float8;  // where products with layers' weights are in fp8
  bool sequence_split = false;         // norms and residuals on this tensor rank's rows only
  int tensor_ranks = 1;
  int tensor_position = 0;
  std::uint64_t dropout_seed = 0;
  bool lengths_vary = false;  // documents' lengths are of no account, also where they are equal

  bool post_norm() const { return norm_placement(model) == NormPlacement::after_residual; }
  bool gated() const { return model.mlp == MlpKind::gated_silu; }
  Index rows() const { return sizes.tokens; }
  Index share() const { return sizes.token_share; }  // this rank's rows are contiguous
  Index first_row() const { return sequence_split ? tensor_position * share() : 0; }
  Index hidden() const { return sizes.hidden; }
  Index heads_width() const { return sizes.query_width + sizes.kv_width; }  // queries and keys
  Index qkv_width() const { return sizes.query_width + 2 * sizes.kv_width; }
};

}  // namespace quintet::engine
