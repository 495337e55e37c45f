// The ends of the model: embedding and head.
#include <string>
#include <utility>
#include <vector>

#include "sim/parallelism/block_builder.h"
#include "sim/parallelism/layer_bodies.h"

namespace quintet {
namespace {

const BlockOperators no_operators{};

}  // namespace

// A vocabulary split over ranks: maximum, sum of exponentials and the target's logit are reduced.
int LayerBodies::reduce_loss(BodyBuilder& body, Purpose purpose, const std::string& what) const {
  return body.communicate(LaneUse::tensor, "all-reduce loss " + what,
                          Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::tensor),
                                     loss_reduction_bytes(model_, work_), DataType::fp32, purpose},
                          body.last_compute());
}

int LayerBodies::gather_logits(BodyBuilder& body) const {
  return body.communicate(
      LaneUse::tensor, "all-gather logits",
      Collective{CollectiveKind::all_gather, builder_.group(GroupUse::tensor),
                 whole_logits_bytes(model_, work_), DataType::fp32, Purpose::gather_input},
      body.last_compute());
}

BodyId LayerBodies::embedding_forward() const {
  BodyBuilder body("embedding forward", BodyKind::embedding, Phase::forward);
  BlockBuilder block(model_, work_, builder_, body);
  body.enter(Block::embedding);
  const BlockOperators kernels = embedding_operators(model_, work_);
  block.run(kernels.before_gather);
  block.run(kernels.parallel);
  std::vector<int> reduced;
  if (block.split())
    reduced = {block.reduce(Purpose::reduce_output, "embedding", body.last_compute())};
  block.run(kernels.after_reduce, reduced);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::embedding_backward() const {
  BodyBuilder body("embedding backward", BodyKind::embedding, Phase::backward);
  BlockBuilder block(model_, work_, builder_, body);
  body.enter(Block::embedding);
  const BlockOperators kernels = embedding_gradient_operators(model_, work_);
  block.run(kernels.before_gather);
  std::vector<int> gathered;
  if (block.sequence_split())
    gathered = {block.gather(Purpose::gather_gradient, "embedding gradient", body.last_compute(),
                             work_.type)};
  block.run(kernels.parallel, gathered);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::head_forward() const {
  BodyBuilder body("head forward", BodyKind::head, Phase::forward);
  BlockBuilder block(model_, work_, builder_, body);
  body.enter(Block::head);
  const BlockOperators kernels = head_operators(model_, work_);
  block.run(kernels.before_gather);
  std::vector<int> awaited;
  if (block.sequence_split())
    awaited = {block.gather(Purpose::gather_input, "head", body.last_compute(), work_.type)};
  bool loss = false;
  for (const Operator& kernel : kernels.parallel) {
    if (kernel.computation == Computation::cross_entropy && block.split() &&
        !std::exchange(loss, true))
      awaited = {work_.fusion.whole_logits ? gather_logits(body)
                                           : reduce_loss(body, Purpose::loss_maximum, "maximum")};
    body.compute(kernel, std::exchange(awaited, {}));
  }
  if (block.split() && !work_.fusion.whole_logits) {
    reduce_loss(body, Purpose::loss_sum, "sum");
    reduce_loss(body, Purpose::loss_target, "target");
  }
  block.run(kernels.after_reduce);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::head_backward(BackwardPart part) const {
  const bool whole = part == BackwardPart::whole;
  BodyBuilder body(whole ? "head backward" : "head input gradient", BodyKind::head, phase_of(part));
  BlockBuilder block(model_, work_, builder_, body);
  block.backward(Block::head, head_input_gradient_operators(model_, work_),
                 whole ? head_weight_gradient_operators(model_, work_) : no_operators);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::head_weight_gradient() const {
  BodyBuilder body("head weight gradient", BodyKind::head, Phase::weight_gradient);
  BlockBuilder block(model_, work_, builder_, body);
  block.weight_gradient(Block::head, head_weight_gradient_operators(model_, work_));
  return builder_.add(std::move(body).body());
}

}  // namespace quintet
