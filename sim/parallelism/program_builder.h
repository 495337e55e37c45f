// Grows a Program: lanes, communicators, bodies. Bodies with equal contents are kept once.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/plan.h"
#include "sim/program/program.h"

namespace quintet {

// The ranks of a plan: what its program's grid is.
Grid grid_of(const Parallelism& parallelism);

// The lanes every program has, in this order; the last two only where the plan offloads.
enum class LaneUse {
  compute,
  tensor,      // collectives of the tensor axis
  gradients,   // reduction over the data axis
  parameters,  // gathers over the data axis
  send_forward,
  receive_forward,
  send_backward,
  receive_backward,
  copy_out,  // to the host's memory
  copy_in,
};
std::vector<LaneInfo> standard_lanes(const Offload& offload);
LaneId lane_of(LaneUse use);

// Who sends and receives between stages: each delegate has a lane of its own per direction and kind
// (PipeMorph, arXiv 2504.19232 section 4.4), the first of them the lanes that every program has,
// the others' behind all of these. 1 where no delegates send.
int message_delegates(const Plan& plan);
// The four message lanes of delegate `micro_batch` mod `delegates`.
LaneId message_lane(LaneUse use, const Offload& offload, int delegate);

enum class GroupUse {
  tensor,
  data,       // who sums gradients, or shares one copy of the state
  replicas,   // between sharding groups
  embedding,  // first and last stage
  model,      // all that hold a part of one model copy's reduced gradients: for their norm
  stage,      // all that hold a part of one stage's state: for norms of its tensors (LAMB)
  samples,    // who deals samples by length
  updated,    // all that hold a part of one model copy's summed gradients, where `model` are others
};

// One body under construction; remembers the last kernel and the last collective for dependencies.
class BodyBuilder {
 public:
  explicit BodyBuilder(std::string name, BodyKind kind = BodyKind::other,
                       Phase phase = Phase::update)
      : body_{std::move(name), {}, kind, phase} {}

  // What a layer's backward begins with.
  void recompute(RecomputedPart part) { body_.recomputed = part; }
  // What follows is about this part of the model.
  void enter(Block block) { block_ = block; }

  // A kernel; waits for `after` besides its place in the lane. Returns its index.
  int compute(const Operator& work, std::vector<int> after = {});
  int communicate(LaneUse lane, std::string name, Action action, std::vector<int> after);
  int communicate(LaneId lane, std::string name, Action action, std::vector<int> after);

  // Between the GPU's memory and the host's, on the direction's lane.
  int copy(std::string name, const Copy& what, std::vector<int> after);

  // The first kernel as a dependency.
  std::vector<int> first_compute() const;
  // The last kernel so far as a dependency; empty when there is none.
  std::vector<int> last_compute() const;
  bool empty() const { return body_.instructions.empty(); }
  Body body() && { return std::move(body_); }

 private:
  int append(Instruction instruction);

  Body body_;
  Block block_ = Block::none;
  int first_compute_ = -1, last_compute_ = -1;
};

class ProgramBuilder {
 public:
  // `ranks_per_host`: who presorts samples in the host.
  ProgramBuilder(const Plan& plan, int ranks_per_host);

  CommunicatorId group(GroupUse use) const;
  int group_ranks(GroupUse use) const;
  BodyId add(Body body);
  void add(Role role) { program_.roles.push_back(std::move(role)); }
  Program program() && { return std::move(program_); }

 private:
  void add_group(GroupUse use, Communicator communicator);

  Program program_;
  std::vector<GroupUse> uses_;
};

}  // namespace quintet
