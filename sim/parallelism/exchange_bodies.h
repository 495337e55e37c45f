// The repeated pieces of a step that move gradients and weights over the data axis, and the update.
#pragma once

#include <cstdint>

#include "sim/model/model.h"
#include "sim/model/operator.h"
#include "sim/model/update_operators.h"
#include "sim/parallelism/compile.h"
#include "sim/parallelism/program_builder.h"
#include "sim/parallelism/replication/replicated_unit.h"
#include "sim/plan/plan.h"

namespace quintet {

class ExchangeBodies {
 public:
  ExchangeBodies(const Plan& plan, const CompileOptions& options, ProgramBuilder& builder)
      : plan_(plan), options_(options), builder_(builder) {}

  // Samples of unequal length: every rank of a group gathers those of all and takes its own by
  // length (sim/plan/sample_format.h).
  BodyId presort(const Model& model) const;
  // What happens to gradients before they leave: clipped by their own norm, or scaled to the mean.
  // Apart from the exchange, so that backward's kernels never queue behind a kernel that waits for
  // a bucket's earlier piece to be sent.
  BodyId prepare(std::int64_t parameters) const;
  // What becomes of a bucket of micro-batches that are clipped one by one: the last of them leaves
  // with what was kept of the others.
  enum class MicroBatch { alone, kept, last };
  BodyId clip_bucket(std::int64_t parameters, MicroBatch which) const;
  // One bucket, or a piece of one: sum over the data axis - to shares when the state is sharded -
  // and between sharding groups.
  BodyId gradients(std::int64_t parameters) const;
  // A replicator's choice of a unit with the collective between sharding groups, and what becomes
  // of it afterwards. Apart, so that one unit's kernels run under another's collective.
  BodyId replicate(const ReplicatedUnit& unit) const;
  BodyId merge(const ReplicatedUnit& unit) const;
  // Weights of so many parameters put together from the ranks' shares.
  BodyId gather_weights(std::int64_t parameters) const;
  // Gradients that all tensor ranks hold a part of (norms under sequence parallelism).
  BodyId sum_over_tensor(std::int64_t parameters) const;
  // The token embedding's gradient, summed over first and last stage.
  BodyId sum_tied_embedding(std::int64_t parameters) const;
  // Norm of this rank's gradients, its sum over the model's ranks, clip.
  BodyId clip(GradientScope scope, std::int64_t parameters) const;
  // Whether what this rank updates overflowed, on any of the model's ranks; and what the update
  // divides by.
  BodyId unscale(std::int64_t parameters) const;
  // LAMB: the norms of so many tensors are summed over all that hold a part of them.
  BodyId update(std::int64_t parameters, std::int64_t tensors) const;

  bool clips_buckets() const { return plan_.parallelism.clipping == Clipping::per_bucket; }
  bool shared_state() const { return plan_.parallelism.sharding != Sharding::none; }
  bool exchanges() const { return builder_.group_ranks(GroupUse::data) > 1; }

 private:
  // The norm of gradients, and its sum over the ranks that hold the others; what comes after it
  // waits for the calls it returns.
  std::vector<int> add_norm(BodyBuilder& body, GradientScope scope, GroupUse over,
                            std::int64_t parameters) const;
  // CompileOptions::sums_whole_gradients, where it says something.
  bool sums_whole() const;
  BodyId whole_sum(std::int64_t parameters) const;
  // A buffer copied from or to one tensor per rank.
  Operator copies_by_rank(Bytes size, DataType type) const;

  const Plan& plan_;
  const CompileOptions& options_;
  ProgramBuilder& builder_;
};

}  // namespace quintet
