// What one stage exchanges over the data axis, and its update: gradients by bucket, weights that
// are kept in shares, the end of the step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/parallelism/exchange_bodies.h"
#include "sim/parallelism/gradient_buckets.h"
#include "sim/parallelism/script_builder.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/plan/plan.h"

namespace quintet {

class StageExchange {
 public:
  // References must outlive this.
  StageExchange(const Model& model, const Plan& plan, const CompileOptions& options, int stage,
                ProgramBuilder& builder, ScriptBuilder& script);

  // Ranks keep shares of the weights: every use needs a gather.
  bool shards_weights() const;
  // The step begins with a gather of what the last update left in shares.
  bool gathers_before_first_forward() const;

  const std::vector<Bucket>& buckets_of(int chunk) const;

  void begin_step(const PassOrder& order);

  // What a pass waits for to have the weights of a bucket, or of all its chunk; nothing when they
  // are there.
  Calls bucket_gathered(const Pass& pass, std::size_t bucket) const;
  Calls chunk_gathered(const Pass& pass) const;

  // FSDP. A layer is gathered before each use; the embedding and the head once per micro-batch, and
  // kept until its backward (PyTorch's root module).
  int gather_layer(const Pass& pass, int layer);
  Calls gather_ends(const Pass& pass, const Chunk& ends);
  // A call that used gathered weights, which it then drops.
  void used(int call) { used_.push_back(call); }

  // Whether this pass leaves gradients of its chunk that no later pass changes, or that leave at
  // once.
  bool completes_gradients(const Pass& pass) const;
  // Likewise, or gradients that are clipped before others are added to them.
  bool takes_gradients(const Pass& pass) const;
  void exchange_bucket(const Pass& pass, const Calls& ready, std::size_t bucket);

  // What the next call is the first of: the pass under which the optimizer's state may come.
  void begin_last_pass() { before_last_pass_ = script_.last(); }
  void finish_step();

 private:
  bool profiled() const { return options_.work == WorkSource::stage_profiles; }
  bool gathers_after_update() const;
  bool exchanges_early() const;
  int gather(const Pass& pass, int layer, std::vector<ElementRange> elements);
  void gather_all(const Calls& after);
  void send_late_buckets();
  bool overflow_is_told() const;
  void keep_bucket(const Pass& pass, const Calls& ready, std::size_t bucket);
  Calls clip(const Bucket& bucket, ExchangeBodies::MicroBatch which, const Calls& ready,
             const About& about);
  About about(const Pass& pass, std::size_t bucket) const;
  void send_bucket(const Pass& pass, const Calls& ready, std::size_t bucket);
  bool replicates() const { return !is_plain(parallelism_.replicator); }
  bool replicates_early() const;
  void replicate(const Pass& pass, const Calls& ready, std::size_t bucket);
  Calls replicate_all(const Calls& ready);
  Calls merge_all(Calls ready);
  Calls prepare(const Bucket& bucket, const Calls& ready, const About& about);
  int in_pieces(BodyId piece, BodyId last, const Bucket& bucket, Calls after, About about);
  Calls gradients_ready() const;
  Calls sum_shared_gradients(Calls ready);
  Calls update(std::int64_t owned, const Calls& ready);
  std::int64_t parameters() const;
  std::int64_t chunk_begin(int chunk) const;
  std::vector<Bucket> made_buckets(const Chunk& chunk) const;
  std::int64_t head_elements(const Chunk& chunk) const;
  ElementRange bucket_elements(int chunk, std::size_t bucket) const;
  std::int64_t partial_gradients() const;

  const Model& model_;
  const Plan& plan_;
  const Parallelism& parallelism_;
  const CompileOptions& options_;
  const int stage_;
  ProgramBuilder& builder_;
  ScriptBuilder& script_;
  const ParameterSplit split_;
  const std::vector<Chunk> chunks_;
  const ExchangeBodies exchange_;
  std::vector<std::int64_t> begins_;          // by chunk, then their end; in parameters
  std::vector<std::vector<Bucket>> buckets_;  // by chunk

  std::map<int, Pass> last_pass_;            // by chunk: after it no gradient changes any more
  std::map<int, std::vector<int>> gathers_;  // by chunk, per bucket
  Calls used_;
  Calls exchanged_;
  int before_last_pass_ = -1;                       // the call before it
  std::vector<std::pair<Pass, std::size_t>> late_;  // buckets that wait for the end of backward
  std::map<std::pair<int, std::size_t>, int> replicated_;  // by chunk and bucket, the call
};

}  // namespace quintet
