// Plan -> StepPieces.
#pragma once

#include <memory>
#include <vector>

#include "sim/analytic/one_of_each.h"
#include "sim/analytic/step_pieces.h"

namespace quintet {

class PiecePlanner {
 public:
  // References must outlive this.
  PiecePlanner(const Model& model, const CostTable& costs, const CompileOptions& options,
               CommunicationPieces& communications, PieceMaker& maker)
      : model_(model),
        costs_(costs),
        options_(options),
        communications_(communications),
        maker_(maker) {}

  StepPieces pieces(const Plan& plan);

 private:
  struct Asked;
  const StageKind& kind(const Asked& asked, int number, const std::vector<Chunk>& chunks);
  StageKind made_kind(const Asked& asked, int number, const std::vector<Chunk>& chunks);
  ChunkPieces chunk(const Asked& asked, const Chunk& chunk);
  BucketPieces bucket(const Asked& asked, const Bucket& bucket);
  EndPieces end(const Asked& asked, int number, const std::vector<Chunk>& chunks);
  MoveChain chain(const Asked& asked, const std::vector<ChainLink>& links, std::int64_t parameters,
                  std::int64_t last, int pieces);
  MoveChain over(const Asked& asked, const Communicator& communicator, Bytes size, DataType type);
  const TimedBody* kernels(const Asked& asked, const std::vector<Operator>& work);
  std::vector<double> speeds(const Asked& asked) const;
  std::int64_t partial_gradients(const Asked& asked, const std::vector<Chunk>& chunks) const;

  const Model& model_;
  const CostTable& costs_;
  const CompileOptions& options_;
  CommunicationPieces& communications_;
  PieceMaker& maker_;
  Pieces<const StageKind*> kinds_;
  OneOfEach<StageKind, StageKindHash> unlike_kinds_;
};

}  // namespace quintet
