#include "sim/analytic/layer_pieces.h"

#include <utility>

#include "sim/base/digest.h"
#include "sim/ccl/choice/cpu_choice.h"
#include "sim/cost/kernel_time.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/decompose.h"
#include "sim/parallelism/exchange_bodies.h"
#include "sim/parallelism/layer_bodies.h"
#include "sim/parallelism/pipeline_order.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet {

namespace {

// So many parameters stand for one: all sizes of a chain go with their number.
constexpr std::int64_t sample = std::int64_t{1} << 24;

void add(PieceKey& key, const CollectiveRule& rule) {
  key.add(rule.algorithm ? static_cast<int>(*rule.algorithm) : -1);
  key.add(rule.protocol ? static_cast<int>(*rule.protocol) : -1);
  key.add(rule.channels.value_or(-1));
}

int stride_of(const Parallelism& parallelism, Axis axis) {
  int stride = 1;
  for (const Axis each : parallelism.order) {
    if (each == axis) break;
    stride *= degree(parallelism, each);
  }
  return stride;
}

PieceKey layer_key(const Plan& plan, const MachineUse& use) {
  const Parallelism& parallelism = plan.parallelism;
  PieceKey key(use.number, parallelism.tensor, stride_of(parallelism, Axis::tensor),
               parallelism.sequence_parallel, parallelism.micro_batch, parallelism.sequence_length,
               static_cast<int>(parallelism.recompute), static_cast<int>(parallelism.attention),
               static_cast<int>(parallelism.compute_type),
               static_cast<int>(parallelism.float8.scaling),
               static_cast<int>(parallelism.gradient_type), splits_backward(parallelism),
               static_cast<int>(decomposition_of(plan.intra_inter, Axis::tensor)),
               static_cast<int>(plan.host_net.launch),
               static_cast<int>(delivery_of(plan.host_net, Axis::tensor)));
  if (parallelism.tensor > 1)
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather})
      add(key, rule_for(plan.ccl, kind, Axis::tensor));
  return key;
}

}  // namespace

std::size_t LayerPiecesHash::operator()(const LayerPieces& pieces) const {
  Digest digest;
  for (const TimedBody* const body :
       {&pieces.forward, &pieces.backward, &pieces.kept_backward, &pieces.head_forward})
    digest.add(body->alone().time).add(body->least()).add(body->issue());
  return static_cast<std::size_t>(digest.value());
}

TimedInstruction PieceMaker::timed(const Operator& work, Launch launch) const {
  const PricedOperator priced = as_priced(work);
  TimedInstruction timed;
  timed.use = kernel_use(priced, costs_);
  timed.use.time += costs_.launch.gap * gaps_beside(priced, costs_);
  timed.work = class_of(priced);
  const Seconds each = launch == Launch::eager ? costs_.launch.eager : costs_.launch.graph;
  timed.issue = each.value * work.kernels;
  return timed;
}

TimedBody PieceMaker::timed(const Body& body, const Program& program, const Plan& plan,
                            MachineUse& use) {
  const bool eager = plan.host_net.launch == Launch::eager;
  std::vector<TimedInstruction> instructions;
  for (const Instruction& each : body.instructions) {
    TimedInstruction one;
    if (const auto* compute = std::get_if<Compute>(&each.action)) {
      one = timed(compute->work, plan.host_net.launch);
    } else {
      const auto& collective = std::get<Collective>(each.action);
      const Communicator& communicator = program.communicators[collective.communicator.index()];
      one.computes = false;
      one.move = communications_.collective(
          use, communications_.groups(use, program.grid, communicator), plan.ccl, plan.host_net,
          communicator.parts.front().axis, collective);
      one.issue = (eager ? costs_.launch.collective : costs_.launch.graph).value;
    }
    one.after = each.after;
    instructions.push_back(std::move(one));
  }
  return TimedBody(std::move(instructions), costs_);
}

const LayerPieces& PieceMaker::layers(const Plan& plan, MachineUse& use) {
  const LayerPieces*& found = layers_[layer_key(plan, use)];
  if (found == nullptr) found = &unlike_layers_.of(made_layers(plan, use));
  return *found;
}

LayerPieces PieceMaker::made_layers(const Plan& plan, MachineUse& use) {
  const Parallelism& parallelism = plan.parallelism;
  const LayerWork work = layer_work(parallelism, options_.fusion, options_.vocabulary_multiple);
  ProgramBuilder builder(plan, communications_.ranks_per_host());
  const LayerBodies bodies(model_, work, builder);
  const bool split = splits_backward(parallelism);
  const BackwardPart part = split ? BackwardPart::input_gradient : BackwardPart::whole;
  const RecomputedPart again = recomputed_part(parallelism.recompute, options_.fusion);
  const BodyId ids[] = {bodies.forward(KeptInput::on_device),
                        bodies.backward(part, again, NextInput::is_there),
                        bodies.backward(part, RecomputedPart::nothing, NextInput::is_there),
                        bodies.weight_gradient(),
                        bodies.embedding_forward(),
                        bodies.embedding_backward(),
                        bodies.head_forward(),
                        bodies.head_backward(part),
                        bodies.head_weight_gradient()};
  const Program program =
      decompose(std::move(builder).program(), plan.intra_inter, communications_.ranks_per_host());
  TimedBody LayerPieces::*const places[] = {&LayerPieces::forward,
                                            &LayerPieces::backward,
                                            &LayerPieces::kept_backward,
                                            &LayerPieces::weight_gradient,
                                            &LayerPieces::embedding_forward,
                                            &LayerPieces::embedding_backward,
                                            &LayerPieces::head_forward,
                                            &LayerPieces::head_backward,
                                            &LayerPieces::head_weight_gradient};
  LayerPieces pieces;
  for (std::size_t number = 0; number < std::size(ids); ++number)
    pieces.*places[number] = timed(program.bodies[ids[number].index()], program, plan, use);
  return pieces;
}

const DataChains& PieceMaker::chains(const Plan& plan, MachineUse& use) {
  const Parallelism& parallelism = plan.parallelism;
  const PieceKey key(use.number, parallelism.data, stride_of(parallelism, Axis::data),
                     static_cast<int>(parallelism.sharding), shard_ranks(parallelism),
                     static_cast<int>(decomposition_of(plan.intra_inter, Axis::data)),
                     static_cast<int>(parallelism.gradient_type),
                     static_cast<int>(parallelism.compute_type));
  std::unique_ptr<DataChains>& found = chains_[key];
  if (!found) found = std::make_unique<DataChains>(made_chains(plan, use));
  return *found;
}

DataChains PieceMaker::made_chains(const Plan& plan, MachineUse& use) {
  ProgramBuilder builder(plan, communications_.ranks_per_host());
  const ExchangeBodies bodies(plan, options_, builder);
  const BodyId gradients = bodies.gradients(sample);
  const bool shares = plan.parallelism.sharding != Sharding::none && bodies.exchanges();
  const BodyId weights = shares ? bodies.gather_weights(sample) : gradients;
  const Program program =
      decompose(std::move(builder).program(), plan.intra_inter, communications_.ranks_per_host());
  const auto chain = [&](BodyId body) {
    std::vector<ChainLink> links;
    for (const Instruction& each : program.bodies[body.index()].instructions) {
      Collective collective = std::get<Collective>(each.action);
      const Communicator& communicator = program.communicators[collective.communicator.index()];
      collective.size = collective.size / static_cast<double>(sample);
      links.push_back({&communications_.groups(use, program.grid, communicator),
                       communicator.parts.front().axis, collective});
    }
    return links;
  };
  return {chain(gradients), shares ? chain(weights) : std::vector<ChainLink>{}};
}

const TimedBody& PieceMaker::kernels(const std::vector<Operator>& work, Launch launch) {
  PieceKey key(static_cast<int>(launch));
  for (const Operator& each : work) {
    const auto& shape = std::get<MemoryShape>(each.shape);
    key.add(static_cast<int>(each.computation) + 64 * static_cast<int>(each.phase) +
            1024 * static_cast<int>(each.type) + 65536 * static_cast<std::int64_t>(each.kernels));
    key.add(shape.read.value);
    key.add(shape.written.value);
  }
  std::unique_ptr<TimedBody>& found = kernels_[key];
  if (found) return *found;
  std::vector<TimedInstruction> instructions;
  for (const Operator& each : work) instructions.push_back(timed(each, launch));
  found = std::make_unique<TimedBody>(std::move(instructions), costs_);
  return *found;
}

}  // namespace quintet
