#include "sim/parallelism/memory.h"

#include <algorithm>

#include "sim/model/activations.h"
#include "sim/model/state_bytes.h"
#include "sim/parallelism/gradient_buckets.h"
#include "sim/parallelism/pipeline_order.h"
#include "sim/parallelism/replication/replicator_operators.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/parallelism/state_stream.h"

namespace quintet {

namespace {

StateSharding sharding_of(const Parallelism& parallelism) {
  const int ranks = parallelism.sharding_group > 0 ? parallelism.sharding_group : parallelism.data;
  switch (parallelism.sharding) {
    case Sharding::none:
      return {};
    case Sharding::optimizer:
      return {1, 1, ranks};
    case Sharding::gradients:
      return {1, ranks, ranks};
    case Sharding::parameters:
      return {ranks, ranks, ranks};
  }
  return {};
}

// What one micro-batch of a chunk holds from its forward to its backward (or B), and from B to W.
struct Held {
  Bytes until_backward, until_weight_gradient;
};

LogitsCopy logits_copy(const Fusion& fusion) {
  if (fusion.cross_entropy) return LogitsCopy::in_place;
  return fusion.whole_logits ? LogitsCopy::whole : LogitsCopy::fp32;
}

class StageBook {
 public:
  StageBook(const Model& model, const Plan& plan, const CompileOptions& options, int stage)
      : model_(model),
        parallelism_(plan.parallelism),
        bucket_(plan.ccl.bucket),
        stage_(stage),
        split_{plan.parallelism.tensor, options.vocabulary_multiple},
        work_(layer_work(plan.parallelism, options.fusion, options.vocabulary_multiple)),
        logits_copy_(logits_copy(options.fusion)),
        by_tensor_(options.list_collectives),
        chunks_(stage_chunks(model, plan.parallelism)[static_cast<std::size_t>(stage)]),
        order_(pipeline_order(plan.parallelism, stage)) {}

  StageMemory memory() const {
    StageMemory memory;
    memory.stage = stage_;
    add_state(memory);
    memory.activations =
        peak([this](const Chunk& chunk) { return activations_of(chunk); }) + recomputing();
    offload_activations(memory);
    add_dummy_gradients(memory);
    add_logits(memory);
    memory.working = std::max(activation_gradient_bytes(model_, work_) - memory.logits, Bytes{});
    add_communication(memory);
    add_replicator(memory);
    return memory;
  }

 private:
  void add_state(StageMemory& memory) const {
    std::int64_t parameters = 0;
    for (const Chunk& chunk : chunks_)
      parameters += stage_parameters(model_, split_, stage_part(chunk));
    const StateSharding sharding = sharding_of(parallelism_);
    const StateBytes bytes = state_bytes_per_parameter(state_types(parallelism_), sharding);
    const auto count = static_cast<double>(parameters);
    memory.weights = count * bytes.weights;
    memory.gradients = count * bytes.gradients;
    memory.optimizer = count * bytes.optimizer;
    memory.optimizer += count / sharding.optimizer * kept_per_parameter(parallelism_.replicator);
    if (clips_micro_batches(parallelism_)) memory.gradients += count * size_of(DataType::fp32);
    offload_state((parameters + sharding.optimizer - 1) / sharding.optimizer, memory);
    if (parallelism_.sharding != Sharding::parameters) return;
    // The layer in use and the two gathered ahead, embedding and head; the largest of these's whole
    // gradient before it is scattered. Tensor by tensor: the largest of a layer's alone.
    const LayerParameters parts = layer_parameters(model_, split_);
    const std::int64_t largest = std::max(parts.mlp_up_weight, parts.qkv_weight);
    const auto layer = static_cast<double>(by_tensor_ ? largest : parts.total());
    double ends = 0;
    for (const Chunk& chunk : chunks_)
      ends +=
          static_cast<double>(stage_parameters(model_, split_, {0, chunk.embedding, chunk.head}));
    const double held = by_tensor_ ? 1.0 : std::min<double>(3, model_.layers);
    memory.weights += (held * layer + ends) * size_of(tensor_type(parallelism_.compute_type));
    memory.gradients += std::max(layer, ends) * size_of(parallelism_.gradient_type);
  }

  void offload_state(std::int64_t owned, StageMemory& memory) const {
    const StatePieces cut = state_pieces(parallelism_, owned);
    const Bytes each = streamed_bytes_per_parameter(state_types(parallelism_));
    memory.host = static_cast<double>(cut.streamed) * each;
    const std::int64_t there =
        cut.pieces < 2 ? cut.streamed : cut.piece() + std::max(cut.piece(), cut.last_piece());
    memory.optimizer -= static_cast<double>(cut.streamed - there) * each;
  }

  // Each shape of a layer, and of the head where there is one.
  void add_dummy_gradients(StageMemory& memory) const {
    if (!work_.fusion.dummy_weight_gradients || !work_.fusion.gradient_accumulation) return;
    std::int64_t weights = layer_parameters(model_, split_).total();
    if (chunks_.back().head) weights += stage_parameters(model_, split_, {0, false, true});
    memory.gradients +=
        static_cast<double>(weights) * size_of(tensor_type(parallelism_.compute_type));
  }

  // Kept from the forward to the backward of one micro-batch of one chunk.
  Bytes kept(const Chunk& chunk) const {
    const RecomputedPart part = recomputed_part(parallelism_.recompute, work_.fusion);
    int recomputed = chunk.layers;
    if (part == RecomputedPart::whole_layer && parallelism_.recompute_layers > 0)
      recomputed = std::min(chunk.layers, parallelism_.recompute_layers);
    const Bytes again =
        parallelism_.offload.activations ? Bytes{} : kept_bytes(model_, work_, part);
    Bytes bytes = static_cast<double>(recomputed) * again +
                  static_cast<double>(chunk.layers - recomputed) *
                      kept_bytes(model_, work_, RecomputedPart::nothing);
    if (chunk.embedding) bytes += embedding_activation_bytes(model_, work_);
    return bytes;
  }

  // One input is there while its layer computes or backward uses it, that of the layer below, which
  // backward uses next, and the first of the next pass, which comes under what that waits for.
  void offload_activations(StageMemory& memory) const {
    if (!parallelism_.offload.activations) return;
    const Bytes input = kept_bytes(model_, work_, RecomputedPart::whole_layer);
    const bool another = parallelism_.micro_batches > 1 || chunks_.size() > 1;
    const bool below = std::any_of(chunks_.begin(), chunks_.end(),
                                   [](const Chunk& chunk) { return chunk.layers > 1; });
    memory.activations += (1.0 + (below ? 1 : 0) + (another ? 1 : 0)) * input;
    memory.host += peak([&](const Chunk& chunk) {
      return Held{static_cast<double>(chunk.layers) * input, {}};
    });
  }

  // Recomputed layers stay whole from B to W: W multiplies their inputs. (It needs no attention
  // core.)
  Held activations_of(const Chunk& chunk) const {
    const Bytes all =
        static_cast<double>(chunk.layers) * kept_bytes(model_, work_, RecomputedPart::nothing);
    const bool whole =
        recomputed_part(parallelism_.recompute, work_.fusion) == RecomputedPart::whole_layer;
    return {kept(chunk), whole ? all : kept(chunk)};
  }

  template <class HeldBy>
  Bytes peak(HeldBy held_by) const {
    std::vector<Held> held_by_chunk;
    for (const Chunk& chunk : chunks_) held_by_chunk.push_back(held_by(chunk));
    Bytes now, peak;
    for (const Pass& pass : order_) {
      const Held& held = held_by_chunk[static_cast<std::size_t>(pass.chunk)];
      switch (pass.kind) {
        case PassKind::forward:
          now += held.until_backward;
          break;
        case PassKind::input_gradient:
          now += held.until_weight_gradient - held.until_backward;
          break;
        case PassKind::backward:
          now -= held.until_backward;
          break;
        case PassKind::weight_gradient:
          now -= held.until_weight_gradient;
          break;
      }
      peak = std::max(peak, now);
    }
    return peak;
  }

  // One layer's while its backward runs; a split backward keeps whole layers anyhow.
  Bytes recomputing() const {
    const RecomputedPart part = recomputed_part(parallelism_.recompute, work_.fusion);
    const bool counted = splits_backward(parallelism_) && part == RecomputedPart::whole_layer;
    return counted ? Bytes{} : recomputed_bytes(model_, work_, part);
  }

  // As many micro-batches' as wait for their backward at once, and one that runs.
  void add_logits(StageMemory& memory) const {
    if (!chunks_.back().head) return;
    const HeadActivations head = head_activations(model_, work_, logits_copy_);
    memory.logits = head.transient + peak([&](const Chunk& chunk) {
                      return chunk.head ? Held{head.kept, head.kept} : Held{};
                    });
  }

  void add_communication(StageMemory& memory) const {
    if (parallelism_.tensor > 1 && parallelism_.sequence_parallel)
      memory.communication += activation_bytes(model_, work_);
    const bool first = stage_ == 0, last = stage_ == parallelism_.pipeline - 1;
    const int neighbours = parallelism_.pipeline > 1 ? 2 - first - last : 0;
    memory.communication += 2.0 * neighbours * stage_boundary_bytes(model_, work_);
  }

  // All buckets' choices may be under way at once: what is sent and, of an all-gather, received.
  // The largest one's coefficients and their inverse, or its merged elements, in fp32.
  void add_replicator(StageMemory& memory) const {
    const Replicator& replicator = parallelism_.replicator;
    if (is_plain(replicator)) return;
    const int shards = parallelism_.sharding == Sharding::none ? 1 : shard_ranks(parallelism_);
    const int parts = replicator.kind == ReplicatorKind::demo ? parallelism_.data / shards : 1;
    Bytes largest;
    for (const Chunk& chunk : chunks_)
      for (const Bucket& bucket :
           gradient_buckets(model_, split_, chunk, bucket_, parallelism_.gradient_type)) {
        const ReplicatedUnit unit =
            replicated_unit(model_, split_, chunk, bucket, replicator, shards);
        memory.communication += parts * sent_bytes(unit, replicator);
        largest = std::max(largest, static_cast<double>(unit.elements) * Bytes{8});
      }
    memory.communication += keeps_momentum(replicator.kind) ? largest : Bytes{};
  }

  const Model& model_;
  const Parallelism& parallelism_;
  const Bytes bucket_;
  const int stage_;
  const ParameterSplit split_;
  const LayerWork work_;
  const LogitsCopy logits_copy_;
  const bool by_tensor_;
  const std::vector<Chunk> chunks_;
  const PassOrder order_;
};

}  // namespace

std::vector<StageMemory> stage_memory(const Model& model, const Plan& plan,
                                      const CompileOptions& options) {
  std::vector<StageMemory> stages;
  for (int stage = 0; stage < plan.parallelism.pipeline; ++stage)
    stages.push_back(StageBook(model, plan, options, stage).memory());
  return stages;
}

}  // namespace quintet
