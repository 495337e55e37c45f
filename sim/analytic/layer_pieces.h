// The bodies of a plan's layers and ends with their times (sim/parallelism/layer_bodies.h), and
// what its data axis exchanges of so many parameters. Kept by the fields that they depend on.
#pragma once

#include <memory>
#include <vector>

#include "sim/analytic/communication_pieces.h"
#include "sim/analytic/one_of_each.h"
#include "sim/analytic/piece_key.h"
#include "sim/analytic/timed_body.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"

namespace quintet {

// Backward: whole, or B alone where the schedule has W apart.
struct LayerPieces {
  TimedBody forward;
  TimedBody backward, kept_backward;  // with what the plan recomputes of a layer; with nothing
  TimedBody weight_gradient;
  TimedBody embedding_forward, embedding_backward;
  TimedBody head_forward, head_backward, head_weight_gradient;
  bool operator==(const LayerPieces&) const = default;
};

struct LayerPiecesHash {
  std::size_t operator()(const LayerPieces& pieces) const;
};

// One collective of a chain, whose size goes with the parameters.
struct ChainLink {
  SiblingGroups* groups = nullptr;
  Axis axis = Axis::data;
  Collective collective;  // of one parameter
};
// What becomes of gradients of a bucket over the data axis, and of weights in shares.
struct DataChains {
  std::vector<ChainLink> gradients, weights;
};

class PieceMaker {
 public:
  // References must outlive this.
  PieceMaker(const Model& model, const CostTable& costs, const CompileOptions& options,
             CommunicationPieces& communications)
      : model_(model), costs_(costs), options_(options), communications_(communications) {}

  // Without `plan_problems`; the plan's use of the machine is `use`.
  const LayerPieces& layers(const Plan& plan, MachineUse& use);
  const DataChains& chains(const Plan& plan, MachineUse& use);
  // One kernel, or several one after the other.
  const TimedBody& kernels(const std::vector<Operator>& work, Launch launch);

 private:
  TimedBody timed(const Body& body, const Program& program, const Plan& plan, MachineUse& use);
  TimedInstruction timed(const Operator& work, Launch launch) const;
  LayerPieces made_layers(const Plan& plan, MachineUse& use);
  DataChains made_chains(const Plan& plan, MachineUse& use);

  const Model& model_;
  const CostTable& costs_;
  const CompileOptions& options_;
  CommunicationPieces& communications_;
  Pieces<const LayerPieces*> layers_;
  OneOfEach<LayerPieces, LayerPiecesHash> unlike_layers_;
  Pieces<std::unique_ptr<DataChains>> chains_;
  Pieces<std::unique_ptr<TimedBody>> kernels_;
};

}  // namespace quintet
