#include "sim/parallelism/layer_bodies.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace quintet {

namespace {

const BlockOperators no_operators{};

std::string name_of(Block block) {
  switch (block) {
    case Block::none:
      return "";
    case Block::embedding:
      return "embedding";
    case Block::attention:
      return "attention";
    case Block::mlp:
      return "mlp";
    case Block::head:
      return "head";
  }
  return "";
}

Phase phase_of(BackwardPart part) {
  return part == BackwardPart::whole ? Phase::backward : Phase::input_gradient;
}

bool is_column(const Operator& work) {
  return work.computation == Computation::qkv || work.computation == Computation::mlp_up ||
         work.computation == Computation::vocabulary;
}
bool is_row(const Operator& work) {
  return work.computation == Computation::attention_output ||
         work.computation == Computation::mlp_down;
}

// Into how many pieces a GEMM is cut beside its collective: Transformer Engine's default number of
// splits (num_splits of its userbuffers), no more than there are ranks.
int pieces_beside(int tensor) {
  constexpr int usual = 4;
  return std::min(usual, tensor);
}

// The `piece`-th of `pieces` shares of a GEMM's rows.
Operator piece_of(const Operator& gemm, int piece, int pieces) {
  Operator made = gemm;
  auto& shape = std::get<GemmShape>(made.shape);
  shape.m = shape.m * (piece + 1) / pieces - shape.m * piece / pieces;
  return made;
}

}  // namespace

// Under sequence parallelism a block's input is put together from the ranks' shares.
int LayerBodies::gather(BodyBuilder& body, Purpose purpose, const std::string& what,
                        std::vector<int> after, DataType moved, int pieces) const {
  const Bytes whole = activation_bytes(model_, work_) * (size_of(moved) / size_of(work_.type));
  return body.communicate(LaneUse::tensor, "all-gather " + what,
                          Collective{CollectiveKind::all_gather, builder_.group(GroupUse::tensor),
                                     whole / pieces, moved, purpose},
                          std::move(after));
}

int LayerBodies::reduce(BodyBuilder& body, Purpose purpose, const std::string& what,
                        std::vector<int> after, int pieces) const {
  const bool scatter = sequence_split();
  return body.communicate(
      LaneUse::tensor, (scatter ? "reduce-scatter " : "all-reduce ") + what,
      Collective{scatter ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                 builder_.group(GroupUse::tensor), activation_bytes(model_, work_) / pieces,
                 work_.type, purpose},
      std::move(after));
}

// The rank's own rows are multiplied while the first piece is under way.
void LayerBodies::gathered_in_pieces(BodyBuilder& body, Purpose purpose, const std::string& what,
                                     const Operator& gemm) const {
  const int pieces = pieces_beside(work_.split.tensor);
  const std::vector<int> ready = body.last_compute();
  std::vector<int> arrived;
  for (int piece = 1; piece < pieces; ++piece)
    arrived.push_back(gather(body, purpose, what + " piece", ready, operand_type(), pieces - 1));
  body.compute(piece_of(gemm, 0, pieces));
  for (int piece = 1; piece < pieces; ++piece)
    body.compute(piece_of(gemm, piece, pieces), {arrived[static_cast<std::size_t>(piece - 1)]});
}

// A piece leaves while the next is multiplied. Returns the last one.
int LayerBodies::reduced_in_pieces(BodyBuilder& body, Purpose purpose, const std::string& what,
                                   const Operator& gemm) const {
  const int pieces = pieces_beside(work_.split.tensor);
  int last = -1;
  for (int piece = 0; piece < pieces; ++piece) {
    body.compute(piece_of(gemm, piece, pieces));
    last = reduce(body, purpose, what + " piece", body.last_compute(), pieces);
  }
  return last;
}

void LayerBodies::run(BodyBuilder& body, const std::vector<Operator>& kernels,
                      std::vector<int> first_after) const {
  for (const Operator& kernel : kernels) body.compute(kernel, std::exchange(first_after, {}));
}

void LayerBodies::forward_block(BodyBuilder& body, Block place, const BlockOperators& block,
                                Repetition repetition) const {
  body.enter(place);
  const std::string what = name_of(place) + (repetition == Repetition::again ? " again" : "");
  run(body, block.before_gather);
  if (in_pieces() && !block.parallel.empty()) {
    gathered_in_pieces(body, Purpose::gather_input, what, block.parallel.front());
    run(body, {block.parallel.begin() + 1, block.parallel.end() - 1});
    const int last = reduced_in_pieces(body, Purpose::reduce_output, what, block.parallel.back());
    return run(body, block.after_reduce, {last});
  }
  std::vector<int> gathered;
  if (sequence_split() && !block.parallel.empty())
    gathered = {gather(body, Purpose::gather_input, what, body.last_compute(), operand_type())};
  run(body, block.parallel, gathered);
  std::vector<int> reduced;
  if (split() && !block.parallel.empty())
    reduced = {reduce(body, Purpose::reduce_output, what, body.last_compute())};
  run(body, block.after_reduce, reduced);
}

// Results of collectives are kept.
void LayerBodies::repeat_alone(BodyBuilder& body, Block place, const BlockOperators& block) const {
  body.enter(place);
  run(body, block.before_gather);
  run(body, block.parallel);
  run(body, block.after_reduce);
}

void LayerBodies::backward_block(BodyBuilder& body, Block place, const BlockOperators& input,
                                 const BlockOperators& weight) const {
  body.enter(place);
  const std::string what = name_of(place);
  run(body, input.before_gather);
  std::vector<int> arrived, input_again;
  const bool pieces = in_pieces() && place != Block::head;
  if (sequence_split() && place != Block::head && !pieces)
    arrived = {gather(body, Purpose::gather_gradient, what + " gradient", body.last_compute(),
                      operand_type())};
  const DataType operand = place == Block::head ? work_.type : operand_type();
  for (const Operator& kernel : input.parallel) {
    if (is_column(kernel) && gathers_again() && !weight.parallel.empty())
      input_again = {
          gather(body, Purpose::gather_input_again, what + " input", body.last_compute(), operand)};
    if (pieces && is_row(kernel))
      gathered_in_pieces(body, Purpose::gather_gradient, what + " gradient", kernel);
    else
      body.compute(kernel, std::exchange(arrived, {}));
    if (is_row(kernel)) run(body, weight.before_gather);
  }
  const bool hidden = work_.fusion.tensor_reduction_hidden;
  if (!hidden) run(body, weight.parallel, input_again);
  std::vector<int> reduced;
  if (split() && !(place == Block::head && model_.headless))
    reduced = {reduce(body, Purpose::reduce_gradient, what + " gradient", body.last_compute())};
  if (hidden) run(body, weight.parallel, input_again);
  run(body, input.after_reduce, reduced);
  run(body, weight.after_reduce);
}

void LayerBodies::weight_block(BodyBuilder& body, Block place, const BlockOperators& weight) const {
  body.enter(place);
  const std::string what = name_of(place);
  std::vector<int> input_again;
  const DataType operand = place == Block::head ? work_.type : operand_type();
  if (gathers_again() && !weight.parallel.empty())
    input_again = {
        gather(body, Purpose::gather_input_again, what + " input", body.last_compute(), operand)};
  run(body, weight.before_gather);
  run(body, weight.parallel, input_again);
  run(body, weight.after_reduce);
}

BodyId LayerBodies::forward() const {
  BodyBuilder body("layer forward", BodyKind::layer, Phase::forward);
  const LayerOperators layer = forward_operators(model_, work_);
  forward_block(body, Block::attention, layer.attention_block, Repetition::first);
  forward_block(body, Block::mlp, layer.mlp_block, Repetition::first);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::backward(BackwardPart part, RecomputedPart recomputed) const {
  const bool whole = part == BackwardPart::whole;
  BodyBuilder body(std::string(whole ? "layer backward" : "layer input gradient") +
                       (recomputed == RecomputedPart::whole_layer ? " with recompute" : ""),
                   BodyKind::layer, phase_of(part));
  body.recompute(recomputed);
  const LayerOperators again = recompute_operators(model_, work_, recomputed);
  const LayerOperators input = input_gradient_operators(model_, work_);
  const LayerOperators weight = whole ? weight_gradient_operators(model_, work_) : LayerOperators{};
  if (recomputed == RecomputedPart::alternate_products) {
    repeat_alone(body, Block::attention, again.attention_block);
    repeat_alone(body, Block::mlp, again.mlp_block);
  }
  if (recomputed == RecomputedPart::whole_layer) {
    forward_block(body, Block::attention, again.attention_block, Repetition::again);
    forward_block(body, Block::mlp, again.mlp_block, Repetition::again);
  }
  backward_block(body, Block::mlp, input.mlp_block, weight.mlp_block);
  if (recomputed == RecomputedPart::attention_core) {
    body.enter(Block::attention);
    run(body, again.attention_block.parallel);
  }
  backward_block(body, Block::attention, input.attention_block, weight.attention_block);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::weight_gradient() const {
  BodyBuilder body("layer weight gradient", BodyKind::layer, Phase::weight_gradient);
  const LayerOperators weight = weight_gradient_operators(model_, work_);
  weight_block(body, Block::mlp, weight.mlp_block);
  weight_block(body, Block::attention, weight.attention_block);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::embedding_forward() const {
  BodyBuilder body("embedding forward", BodyKind::embedding, Phase::forward);
  body.enter(Block::embedding);
  const BlockOperators kernels = embedding_operators(model_, work_);
  run(body, kernels.before_gather);
  run(body, kernels.parallel);
  std::vector<int> reduced;
  if (split()) reduced = {reduce(body, Purpose::reduce_output, "embedding", body.last_compute())};
  run(body, kernels.after_reduce, reduced);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::embedding_backward() const {
  BodyBuilder body("embedding backward", BodyKind::embedding, Phase::backward);
  body.enter(Block::embedding);
  const BlockOperators kernels = embedding_gradient_operators(model_, work_);
  run(body, kernels.before_gather);
  std::vector<int> gathered;
  if (sequence_split())
    gathered = {gather(body, Purpose::gather_gradient, "embedding gradient", body.last_compute(),
                       work_.type)};
  run(body, kernels.parallel, gathered);
  return builder_.add(std::move(body).body());
}

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

BodyId LayerBodies::head_forward() const {
  BodyBuilder body("head forward", BodyKind::head, Phase::forward);
  body.enter(Block::head);
  const BlockOperators kernels = head_operators(model_, work_);
  run(body, kernels.before_gather);
  std::vector<int> awaited;
  if (sequence_split())
    awaited = {gather(body, Purpose::gather_input, "head", body.last_compute(), work_.type)};
  bool loss = false;
  for (const Operator& kernel : kernels.parallel) {
    if (kernel.computation == Computation::cross_entropy && split() && !std::exchange(loss, true))
      awaited = {work_.fusion.whole_logits ? gather_logits(body)
                                           : reduce_loss(body, Purpose::loss_maximum, "maximum")};
    body.compute(kernel, std::exchange(awaited, {}));
  }
  if (split() && !work_.fusion.whole_logits) {
    reduce_loss(body, Purpose::loss_sum, "sum");
    reduce_loss(body, Purpose::loss_target, "target");
  }
  run(body, kernels.after_reduce);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::head_backward(BackwardPart part) const {
  const bool whole = part == BackwardPart::whole;
  BodyBuilder body(whole ? "head backward" : "head input gradient", BodyKind::head, phase_of(part));
  backward_block(body, Block::head, head_input_gradient_operators(model_, work_),
                 whole ? head_weight_gradient_operators(model_, work_) : no_operators);
  return builder_.add(std::move(body).body());
}

BodyId LayerBodies::head_weight_gradient() const {
  BodyBuilder body("head weight gradient", BodyKind::head, Phase::weight_gradient);
  weight_block(body, Block::head, head_weight_gradient_operators(model_, work_));
  return builder_.add(std::move(body).body());
}

}  // namespace quintet
