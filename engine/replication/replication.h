// A replicator on one rank: what it keeps from step to step (a momentum; DiLoCo's anchor and
// velocity), and the mathematics of sim/parallelism/replication/replicator_operators.h, operator by
// operator as the program asks for them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/parameters/training_state.h"
#include "engine/replication/replicated_parts.h"
#include "kernels/replicator.h"
#include "sim/model/operator.h"
#include "sim/program/program.h"

namespace quintet::engine {

// This rank among those that exchange the same elements.
struct ReplicaPlace {
  int position = 0, replicas = 1;
};

struct ReplicationInput {
  Replicator replicator;
  ReplicaPlace place;
};

// What is kept beside a stretch of a rank's own elements; no memory where the kind has none.
struct KeptByReplicator {
  float* momentum = nullptr;
  float* anchor = nullptr;
  float* velocity = nullptr;
};

class Replication {
 public:
  // `state` and `place` must outlive it. Where there is anything to exchange, the kernels of `place`
  // have those of replicators and of cosines.
  Replication(const ReplicationInput& input, const Program& program, const Script& script,
              const Shares& shares, TrainingState& state, Workplace& place);

  bool on() const { return !is_plain(input_.replicator); }
  // Weights were set: they are what DiLoCo's replicas have in common.
  void take_weights();
  // As before the first step, but for the anchor: until weights are taken it is anything.
  void forget();
  // The first step of training is 1. `rate`: where kernels find its learning rate.
  void begin_step(std::int64_t number, const float* rate);
  std::int64_t step() const { return step_; }

  // One of the operators of the call whose elements these are.
  void run(Computation what, const FlatUnit& unit);
  // What its collective works on.
  Buffer& exchanged(const FlatUnit& unit);

  // One of the rank's own elements (Atom::compact and what follows).
  KeptByReplicator kept(Index element);

 private:
  struct Unit {
    ReplicatedParts own;
    int number = 0;  // in the order of elements
    Buffer momentum, anchor, velocity;
    // Between the operators of a step.
    Buffer coefficients, line, positions, exchanged;
  };
  Unit& unit_of(const FlatUnit& unit);
  void add_to_momentum(Unit& unit);
  void transform(Unit& unit, kernels::CosineDirection direction, const Buffer& from, Buffer& to);
  void choose_coefficients(Unit& unit);
  void keep_sent(Unit& unit, const Buffer& values);
  void write_sent(Unit& unit, const Buffer& values);
  void keep_rest(Unit& unit);
  void mean_coefficients(Unit& unit);
  void write_gradient(Unit& unit, const Buffer& merged, float share);
  void choose_elements(Unit& unit);
  void copy_gradient(Unit& unit);
  void merge_elements(Unit& unit);
  void differ_from_anchor(Unit& unit);
  void step_anchor(Unit& unit);

  float share() const { return 1.0F / static_cast<float>(input_.place.replicas); }
  Index sent(const Unit& unit) const { return sent_elements(unit.own.cut, input_.replicator); }
  DataType value_type() const { return input_.replicator.value_type; }
  int index_width() const { return static_cast<int>(size_of(input_.replicator.index_type).value); }
  kernels::ReplicatorKernels& kernels() { return *place_.kernels().on_replicators(); }
  kernels::CosineKernels& cosines() { return *place_.kernels().on_cosines(); }
  kernels::Stream& stream() { return place_.stream(); }

  const ReplicationInput input_;
  TrainingState& state_;
  Workplace& place_;
  std::map<Index, Unit> units_;  // by the first flat element
  std::int64_t step_ = 1;
  const float* rate_ = nullptr;
};

// Whether an operator is one of these.
bool is_of_replicator(Computation computation);

}  // namespace quintet::engine
