#include "sim/parallelism/layer_bodies.h"

#include <string>
#include <utility>

#include "sim/model/activations.h"
#include "sim/parallelism/block_builder.h"

namespace quintet {

namespace {

Bytes input_bytes(const Model& model, const LayerWork& work) {
  return kept_bytes(model, work, RecomputedPart::whole_layer);
}

}  // namespace

// After the first kernel, as the norm may be what makes the sum that is kept.
BodyId LayerBodies::forward(KeptInput input) const {
  BodyBuilder body("layer forward", BodyKind::layer, Phase::forward);
  BlockBuilder block(model_, work_, builder_, body);
  const LayerOperators layer = forward_operators(model_, work_);
  block.forward(Block::attention, layer.attention_block, Repetition::first);
  if (input == KeptInput::on_host)
    body.copy("keep input",
              {CopyDirection::device_to_host, input_bytes(model_, work_), CopyPurpose::keep_input},
              body.first_compute());
  block.forward(Block::mlp, layer.mlp_block, Repetition::first);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::fetch_input() const {
  BodyBuilder body("fetch input");
  body.copy("fetch input",
            {CopyDirection::host_to_device, input_bytes(model_, work_), CopyPurpose::fetch_input},
            {});
  return builder_.add(std::move(body).body());
}

// The next input comes when this layer has begun: not while another pass computes, whose own it
// would lie beside.
BodyId LayerBodies::backward(BackwardPart part, RecomputedPart recomputed, NextInput next) const {
  const bool whole = part == BackwardPart::whole;
  BodyBuilder body(std::string(whole ? "layer backward" : "layer input gradient") +
                       (recomputed == RecomputedPart::whole_layer ? " with recompute" : ""),
                   BodyKind::layer, phase_of(part));
  BlockBuilder block(model_, work_, builder_, body);
  body.recompute(recomputed);
  const LayerOperators again = recompute_operators(model_, work_, recomputed);
  const LayerOperators input = input_gradient_operators(model_, work_);
  const LayerOperators weight = whole ? weight_gradient_operators(model_, work_) : LayerOperators{};
  if (recomputed == RecomputedPart::alternate_products) {
    block.repeat_alone(Block::attention, again.attention_block);
    block.repeat_alone(Block::mlp, again.mlp_block);
  }
  if (recomputed == RecomputedPart::whole_layer) {
    block.forward(Block::attention, again.attention_block, Repetition::again);
    if (next == NextInput::is_fetched)
      body.copy("fetch next input",
                {CopyDirection::host_to_device, input_bytes(model_, work_),
                 CopyPurpose::fetch_next_input},
                body.first_compute());
    block.forward(Block::mlp, again.mlp_block, Repetition::again);
  }
  block.backward(Block::mlp, input.mlp_block, weight.mlp_block);
  if (recomputed == RecomputedPart::attention_core) {
    body.enter(Block::attention);
    block.run(again.attention_block.parallel);
  }
  block.backward(Block::attention, input.attention_block, weight.attention_block);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::weight_gradient() const {
  BodyBuilder body("layer weight gradient", BodyKind::layer, Phase::weight_gradient);
  BlockBuilder block(model_, work_, builder_, body);
  const LayerOperators weight = weight_gradient_operators(model_, work_);
  block.weight_gradient(Block::mlp, weight.mlp_block);
  block.weight_gradient(Block::attention, weight.attention_block);
  return builder_.add(std::move(body).body());
}

}  // namespace quintet
