#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/base/quantity_text.h"
#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

const char* const kind_field = "parallelism.replicator.kind";

void find_replicas_problem(const Parallelism& parallelism, Problems& found) {
  if (parallelism.data / std::max(1, shard_ranks(parallelism)) > 1) return;
  if (parallelism.data == 1)
    found.push_back({kind_field, "there is one data-parallel rank: no other to exchange with",
                     "use full with every 1, or parallelism.data above 1"});
  else
    found.push_back({kind_field,
                     fmt::format("all {} data-parallel ranks share one copy: no replicas are left "
                                 "to exchange with",
                                 parallelism.data),
                     "use full with every 1, or a parallelism.sharding_group below "
                     "parallelism.data"});
}

// DeMo's chunks: whose entries, in what.
void find_chunk_problems(const Parallelism& parallelism, Problems& found) {
  const Replicator& replicator = parallelism.replicator;
  if (replicator.kind != ReplicatorKind::demo) return;
  const bool line = shard_ranks(parallelism) > 1;
  const std::int64_t chunk = replicator.chunk, size = line ? chunk : chunk * chunk;
  if (replicator.top_k > size)
    found.push_back({"parallelism.replicator.top_k",
                     fmt::format("a chunk of {} entries{} has no {} coefficients", size,
                                 line ? " of a shared line of parameters" : "", replicator.top_k),
                     fmt::format("use {} or less", size)});
  if (replicator.index_type == IndexType::int16 && size > (1 << 16))
    found.push_back({"parallelism.replicator.index_type",
                     fmt::format("int16 does not count the {} entries of a chunk", size),
                     "use int32, or a smaller chunk"});
}

void find_value_problem(const Parallelism& parallelism, Problems& found) {
  const DataType type = parallelism.replicator.value_type;
  if (type == DataType::fp32 || type == DataType::bf16) return;
  found.push_back({"parallelism.replicator.value_type",
                   "replicas do not exchange " + std::string(name_of(type)), "use fp32 or bf16"});
}

void find_clipping_problems(const Parallelism& parallelism, Problems& found) {
  const Replicator& replicator = parallelism.replicator;
  if (parallelism.clipping == Clipping::per_bucket)
    found.push_back({"parallelism.clipping",
                     "buckets are clipped before a sum of all gradients, which this replicator has "
                     "not",
                     "use none or before-reduction, or replicator.kind full with every 1"});
  if (parallelism.clipping == Clipping::after_reduction && replicator.sign &&
      keeps_momentum(replicator.kind))
    found.push_back({"parallelism.clipping",
                     "what is merged are signs, whose norm says nothing of the gradients",
                     "use none or before-reduction, or replicator.sign false"});
}

}  // namespace

void find_replicator_problems(const Parallelism& parallelism, Problems& found) {
  if (is_plain(parallelism.replicator)) return;
  find_replicas_problem(parallelism, found);
  find_chunk_problems(parallelism, found);
  find_value_problem(parallelism, found);
  find_clipping_problems(parallelism, found);
  if (parallelism.offload.optimizer > 0)
    found.push_back({"parallelism.offload.optimizer",
                     "what a replicator keeps stays on the GPU, and its update takes the state "
                     "whole",
                     "use 0"});
  if (parallelism.replicator.kind == ReplicatorKind::none && parallelism.replicator.every > 1)
    found.push_back({"parallelism.replicator.every", "nothing is exchanged in any step", "use 1"});
}

// What of a model several ranks hold has to get the same update on all of them.
void find_copy_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  if (is_plain(parallelism.replicator)) return;
  const bool demo = parallelism.replicator.kind == ReplicatorKind::demo;
  if (model.tied_embeddings && parallelism.pipeline > 1)
    found.push_back({"parallelism.pipeline",
                     "the first and the last stage hold one embedding, of which a replicator would "
                     "choose other elements on each",
                     "use 1, or replicator.kind full with every 1"});
  if (demo && parallelism.tensor > 1 && shard_ranks(parallelism) > 1)
    found.push_back({"parallelism.tensor",
                     "demo over shared lines of parameters transforms what all tensor ranks hold "
                     "together with what each has of its own",
                     "use 1, or sharding none"});
  else if (demo && parallelism.tensor > model.kv_heads)
    found.push_back({"parallelism.tensor",
                     fmt::format("{} key/value heads are copied to {} ranks, and demo transforms "
                                 "them together with each rank's own query heads",
                                 model.kv_heads, parallelism.tensor),
                     fmt::format("use {} or less", model.kv_heads)});
}

}  // namespace quintet
