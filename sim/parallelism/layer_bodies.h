// The repeated pieces of a step: forward, backward, B and W of a layer, of the embedding and of the
// head (end_bodies.cpp), with their tensor-axis collectives in place.
#pragma once

#include <string>

#include "sim/model/layer_operators.h"
#include "sim/model/model.h"
#include "sim/parallelism/program_builder.h"
#include "sim/program/program.h"

namespace quintet {

// Backward as one, or input gradient alone.
enum class BackwardPart { whole, input_gradient };

constexpr Phase phase_of(BackwardPart part) {
  return part == BackwardPart::whole ? Phase::backward : Phase::input_gradient;
}

// Where a layer's input waits for its backward.
enum class KeptInput { on_device, on_host };
// Whether a layer's backward brings the next layer's input back from the host meanwhile.
enum class NextInput { is_there, is_fetched };

class LayerBodies {
 public:
  // References must outlive this.
  LayerBodies(const Model& model, const LayerWork& work, ProgramBuilder& builder)
      : model_(model), work_(work), builder_(builder) {}

  // On the host: the input goes there while the layer computes, so that one is there at a time.
  BodyId forward(KeptInput input) const;
  BodyId backward(BackwardPart part, RecomputedPart recomputed, NextInput next) const;
  BodyId fetch_input() const;  // of the layer that backward begins with
  BodyId weight_gradient() const;

  BodyId embedding_forward() const;
  BodyId embedding_backward() const;
  BodyId head_forward() const;  // with the loss
  BodyId head_backward(BackwardPart part) const;
  BodyId head_weight_gradient() const;

 private:
  int gather_logits(BodyBuilder& body) const;
  int reduce_loss(BodyBuilder& body, Purpose purpose, const std::string& what) const;

  const Model& model_;
  const LayerWork& work_;
  ProgramBuilder& builder_;
};

}  // namespace quintet
