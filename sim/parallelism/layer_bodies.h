// The repeated pieces of a step: forward, backward, B and W of a layer, of the embedding and of the
// head, with their tensor-axis collectives in place.
#pragma once

#include "sim/model/layer_operators.h"
#include "sim/model/model.h"
#include "sim/parallelism/program_builder.h"
#include "sim/program/program.h"

namespace quintet {

// Backward as one, or input gradient alone.
enum class BackwardPart { whole, input_gradient };

// A forward done once, or repeated before its backward.
enum class Repetition { first, again };

class LayerBodies {
 public:
  // References must outlive this.
  LayerBodies(const Model& model, const LayerWork& work, ProgramBuilder& builder)
      : model_(model), work_(work), builder_(builder) {}

  BodyId forward() const;
  BodyId backward(BackwardPart part, RecomputedPart recomputed) const;
  BodyId weight_gradient() const;

  BodyId embedding_forward() const;
  BodyId embedding_backward() const;
  BodyId head_forward() const;  // with the loss
  BodyId head_backward(BackwardPart part) const;
  BodyId head_weight_gradient() const;

 private:
  bool split() const { return work_.split.tensor > 1; }
  bool sequence_split() const { return split() && work_.split.sequence_parallel; }
  bool gathers_again() const { return sequence_split() && !work_.fusion.gathered_inputs_kept; }

  // What a layer's GEMMs multiply is gathered in their type: Transformer Engine casts to fp8 first.
  DataType operand_type() const { return work_.gemm_type.value_or(work_.type); }
  bool in_pieces() const { return sequence_split() && work_.fusion.tensor_overlap; }

  // `pieces`: of how many equal parts of the tensor this is one.
  int gather(BodyBuilder& body, Purpose purpose, const std::string& what, std::vector<int> after,
             DataType moved, int pieces = 1) const;
  int reduce(BodyBuilder& body, Purpose purpose, const std::string& what, std::vector<int> after,
             int pieces = 1) const;
  void gathered_in_pieces(BodyBuilder& body, Purpose purpose, const std::string& what,
                          const Operator& gemm) const;
  int reduced_in_pieces(BodyBuilder& body, Purpose purpose, const std::string& what,
                        const Operator& gemm) const;
  void run(BodyBuilder& body, const std::vector<Operator>& kernels,
           std::vector<int> first_after = {}) const;
  void forward_block(BodyBuilder& body, Block place, const BlockOperators& block,
                     Repetition repetition) const;
  void repeat_alone(BodyBuilder& body, Block place, const BlockOperators& block) const;
  void backward_block(BodyBuilder& body, Block place, const BlockOperators& input,
                      const BlockOperators& weight) const;
  void weight_block(BodyBuilder& body, Block place, const BlockOperators& weight) const;
  int gather_logits(BodyBuilder& body) const;
  int reduce_loss(BodyBuilder& body, Purpose purpose, const std::string& what) const;

  const Model& model_;
  const LayerWork& work_;
  ProgramBuilder& builder_;
};

}  // namespace quintet
