// A block of a body (attention, MLP, head): its kernels in their order, with the tensor-axis
// collectives that they wait for and that wait for them in place.
#pragma once

#include <string>
#include <vector>

#include "sim/model/layer_operators.h"
#include "sim/model/model.h"
#include "sim/parallelism/program_builder.h"
#include "sim/program/program.h"

namespace quintet {

// A forward done once, or repeated before its backward.
enum class Repetition { first, again };

class BlockBuilder {
 public:
  // References must outlive this. The collectives are on the program's tensor group.
  BlockBuilder(const Model& model, const LayerWork& work, ProgramBuilder& program,
               BodyBuilder& body)
      : model_(model), work_(work), program_(program), body_(body) {}

  void forward(Block place, const BlockOperators& block, Repetition repetition);
  void repeat_alone(Block place, const BlockOperators& block);
  // Without weight operators: the input gradient alone.
  void backward(Block place, const BlockOperators& input, const BlockOperators& weight);
  void weight_gradient(Block place, const BlockOperators& weight);

  // What blocks are made of; collectives return their number in the body, which later instructions
  // can wait for.
  bool split() const { return work_.split.tensor > 1; }
  bool sequence_split() const { return split() && work_.split.sequence_parallel; }
  // One kernel after the other; the first waits for `first_after` too.
  void run(const std::vector<Operator>& kernels, std::vector<int> first_after = {});
  // `moved`: the type in which it travels. `pieces`: of how many equal parts of the tensor this is
  // one.
  int gather(Purpose purpose, const std::string& what, std::vector<int> after, DataType moved,
             int pieces = 1);
  int reduce(Purpose purpose, const std::string& what, std::vector<int> after, int pieces = 1);

 private:
  bool gathers_again() const { return sequence_split() && !work_.fusion.gathered_inputs_kept; }
  // What a layer's GEMMs multiply is gathered in their type: Transformer Engine casts to fp8 first.
  DataType operand_type() const { return work_.gemm_type.value_or(work_.type); }
  bool in_pieces() const { return sequence_split() && work_.fusion.tensor_overlap; }
  void gathered_in_pieces(Purpose purpose, const std::string& what, const Operator& gemm);
  int reduced_in_pieces(Purpose purpose, const std::string& what, const Operator& gemm);

  const Model& model_;
  const LayerWork& work_;
  ProgramBuilder& program_;
  BodyBuilder& body_;
};

}  // namespace quintet
