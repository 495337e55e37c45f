#include "sim/analytic/piece_plan.h"

#include <algorithm>

#include "sim/base/digest.h"
#include "sim/ccl/choice/cpu_choice.h"
#include "sim/model/parameters.h"
#include "sim/model/update_operators.h"
#include "sim/parallelism/program_builder.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet {

struct PiecePlanner::Asked {
  const Plan& plan;
  const Parallelism& parallelism;
  MachineUse& use;
  const DataChains& chains;
  Grid grid;
  ParameterSplit split;
  int data_ranks = 1;    // of a group that sums or shares
  bool sharded = false;  // ranks keep shares of the weights
};

namespace {

Bytes bytes_of(std::int64_t elements, DataType type) {
  return static_cast<double>(elements) * size_of(type);
}

std::int64_t packed(const CollectiveRule& rule) {
  const std::int64_t algorithm = rule.algorithm ? static_cast<int>(*rule.algorithm) + 1 : 0;
  const std::int64_t protocol = rule.protocol ? static_cast<int>(*rule.protocol) + 1 : 0;
  return algorithm + 16 * protocol + 64 * static_cast<std::int64_t>(rule.channels.value_or(0));
}

std::int64_t packed(const HostNet& host_net) {
  const Delivery between_stages = host_net.pipeline_delivery.value_or(host_net.delivery);
  return static_cast<int>(host_net.launch) + 2 * static_cast<int>(host_net.delivery) +
         8 * static_cast<int>(between_stages);
}

// What a stage's own kernels and sizes depend on beside its layers.
std::int64_t packed(const Parallelism& parallelism) {
  const int choices[] = {static_cast<int>(parallelism.clipping),
                         static_cast<int>(parallelism.sharding),
                         static_cast<int>(parallelism.gradient_type),
                         static_cast<int>(parallelism.compute_type),
                         static_cast<int>(parallelism.moment_type),
                         static_cast<int>(parallelism.optimizer),
                         parallelism.master_weights,
                         clips_micro_batches(parallelism)};
  std::int64_t word = 0;
  for (const int choice : choices) word = 16 * word + choice;
  return word;
}

// Whether a stage has a part in the tied embedding's sum.
int ends_of(const Parallelism& parallelism, const Model& model, int number) {
  const bool end = number == 0 || number == parallelism.pipeline - 1;
  return model.tied_embeddings && parallelism.pipeline > 1 && end ? parallelism.pipeline : 0;
}

bool kernels_only(const std::vector<ChainLink>& chain) {
  return chain.empty();
}

}  // namespace

std::size_t StageKindHash::operator()(const StageKind& kind) const {
  Digest digest;
  for (const ChunkPieces& part : kind.chunks) {
    digest.add(part.chunk.layers).add(static_cast<int>(part.buckets.size()));
    for (const BucketPieces& bucket : part.buckets)
      for (const MoveChain::Link& link : bucket.sum.links)
        digest.add(link.move.bytes).add(link.move.latency).add(link.move.share);
  }
  return static_cast<std::size_t>(digest.value());
}

StepPieces PiecePlanner::pieces(const Plan& plan) {
  const Parallelism& parallelism = plan.parallelism;
  MachineUse& use = communications_.use_of(plan);
  const int group = shard_ranks(parallelism);
  Asked asked{plan,
              parallelism,
              use,
              maker_.chains(plan, use),
              grid_of(parallelism),
              {parallelism.tensor, options_.vocabulary_multiple},
              group,
              parallelism.sharding == Sharding::parameters && group > 1};
  StepPieces made;
  made.layers = &maker_.layers(plan, use);
  const std::vector<std::vector<Chunk>> chunks = stage_chunks(model_, parallelism);
  const std::vector<double> slow = speeds(asked);
  const int stages = parallelism.pipeline;
  const Bytes size = stage_boundary_bytes(
      model_, layer_work(parallelism, options_.fusion, options_.vocabulary_multiple));
  for (int number = 0; number < stages; ++number) {
    const auto place = static_cast<std::size_t>(number);
    StagePieces& stage = made.stages.emplace_back();
    stage.kind = &kind(asked, number, chunks[place]);
    stage.speed = slow.empty() ? 1.0 : slow[place];
    if (stages == 1) continue;
    stage.send_forward = communications_.message(use, asked.grid, plan.host_net, number,
                                                 (number + 1) % stages, size);
    stage.send_backward = communications_.message(use, asked.grid, plan.host_net, number,
                                                  (number + stages - 1) % stages, size);
  }
  Communicator norm{"model", {{Axis::tensor}, {Axis::pipeline}}, {}};
  const AxisPart shards{Axis::data, group < parallelism.data ? group : 0, 1};
  const bool shares = parallelism.sharding != Sharding::none;
  if (shares && parallelism.clipping == Clipping::after_reduction) norm.parts.push_back(shards);
  made.norm_sum = over(asked, norm, Bytes{4}, DataType::fp32);
  if (!parallelism.loss_scaling) return made;
  if (shares && parallelism.clipping != Clipping::after_reduction) norm.parts.push_back(shards);
  made.unscale_sum = over(asked, norm, Bytes{4}, DataType::fp32);
  return made;
}

// A slow rank slows its stage: whoever sums with it waits.
std::vector<double> PiecePlanner::speeds(const Asked& asked) const {
  const Topology& topology = communications_.topology();
  if (topology.slot_speeds.empty()) return {};
  std::vector<double> slowest(static_cast<std::size_t>(asked.parallelism.pipeline), 1.0);
  const std::vector<DeviceId> places = rank_slots(topology);
  for (std::size_t place = 0; place < topology.slot_speeds.size(); ++place) {
    const std::int32_t rank = asked.use.rank_of_device[places[place].index()];
    if (rank < 0) continue;
    const int stage = coordinate(asked.grid, Rank{rank}, Axis::pipeline);
    double& speed = slowest[static_cast<std::size_t>(stage)];
    speed = std::min(speed, topology.slot_speeds[place]);
  }
  return slowest;
}

// Stages with equal parts are alike, in one plan as in all that agree in these.
const StageKind& PiecePlanner::kind(const Asked& asked, int number,
                                    const std::vector<Chunk>& chunks) {
  constexpr std::size_t most_chunks = 8;
  if (chunks.size() > most_chunks) return unlike_kinds_.of(made_kind(asked, number, chunks));
  const Parallelism& p = asked.parallelism;
  PieceKey key(reinterpret_cast<std::uintptr_t>(&asked.chains), p.tensor, p.sequence_parallel,
               asked.plan.ccl.bucket.value, static_cast<int>(p.recompute), p.recompute_layers,
               packed(p), ends_of(p, model_, number), packed(asked.plan.host_net),
               asked.plan.intra_inter.decompositions.empty());
  for (const Axis axis : {Axis::data, Axis::tensor})
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather})
      key.add(packed(rule_for(asked.plan.ccl, kind, axis)));
  key.add(packed(rule_for(asked.plan.ccl, CollectiveKind::all_reduce, Axis::pipeline)));
  for (const Axis axis : p.order)
    key.add(static_cast<int>(axis) + 8 * static_cast<std::int64_t>(degree(p, axis)));
  for (const Chunk& chunk : chunks)
    key.add(4 * static_cast<std::int64_t>(chunk.layers) + 2 * chunk.embedding + chunk.head);
  const StageKind*& found = kinds_[key];
  if (found == nullptr) found = &unlike_kinds_.of(made_kind(asked, number, chunks));
  return *found;
}

StageKind PiecePlanner::made_kind(const Asked& asked, int number,
                                  const std::vector<Chunk>& chunks) {
  StageKind made;
  for (const Chunk& each : chunks) made.chunks.push_back(chunk(asked, each));
  made.end = end(asked, number, chunks);
  return made;
}

ChunkPieces PiecePlanner::chunk(const Asked& asked, const Chunk& chunk) {
  const Parallelism& parallelism = asked.parallelism;
  ChunkPieces made;
  made.chunk = chunk;
  made.chunk.first_layer = 0;  // wherever they lie, stages of as many layers are alike
  made.recomputed = chunk.layers;
  if (parallelism.recompute == Recompute::full && parallelism.recompute_layers > 0)
    made.recomputed = std::min(chunk.layers, parallelism.recompute_layers);
  const std::int64_t layer = layer_parameters(model_, asked.split).total();
  const DataType type = parallelism.gradient_type;
  for (const Bucket& each :
       gradient_buckets(model_, asked.split, made.chunk,
                        asked.sharded ? bytes_of(layer, type) : asked.plan.ccl.bucket, type))
    made.buckets.push_back(bucket(asked, each));
  if (!asked.sharded) return made;
  const std::int64_t embedding =
      chunk.embedding ? embedding_parameters(model_, asked.split).total() : 0;
  const std::int64_t head =
      stage_parameters(model_, asked.split, stage_part(chunk)) -
      stage_parameters(model_, asked.split, {chunk.layers, chunk.embedding, false});
  const auto gather = [&](std::int64_t parameters) {
    return chain(asked, asked.chains.weights, parameters, parameters, 1);
  };
  made.gather_layer = gather(layer);
  if (chunk.embedding) made.gather_embedding = gather(embedding + head);
  if (chunk.head && !chunk.embedding) made.gather_head = gather(head);
  return made;
}

BucketPieces PiecePlanner::bucket(const Asked& asked, const Bucket& bucket) {
  const Parallelism& parallelism = asked.parallelism;
  const DataType type = parallelism.gradient_type;
  BucketPieces made;
  made.bucket = bucket;
  if (bucket.parameters == 0) return made;
  const auto clip = [&](bool adds) {
    std::vector<Operator> work{
        gradient_norm_operator(GradientScope::bucket, bucket.parameters, type),
        gradient_clip_operator(GradientScope::bucket, bucket.parameters, type)};
    if (adds) work.push_back(gradient_add_operator(bucket.parameters, type, DataType::fp32));
    return kernels(asked, work);
  };
  const bool clips = parallelism.clipping == Clipping::per_bucket;
  const bool kept = clips_micro_batches(parallelism);
  const bool leaves = !kernels_only(asked.chains.gradients);
  if (clips)
    made.prepare = clip(kept);
  else if (leaves)
    made.prepare = kernels(asked, {bucket_mean_operator(bucket.parameters, type)});
  if (kept) made.keep = clip(true);
  made.sum =
      chain(asked, asked.chains.gradients, bucket.piece(), bucket.last_piece(), bucket.pieces);
  made.gather =
      chain(asked, asked.chains.weights, bucket.piece(), bucket.last_piece(), bucket.pieces);
  return made;
}

MoveChain PiecePlanner::chain(const Asked& asked, const std::vector<ChainLink>& links,
                              std::int64_t parameters, std::int64_t last, int pieces) {
  MoveChain made;
  const auto add = [&](std::int64_t elements, int times) {
    for (const ChainLink& link : links) {
      Collective collective = link.collective;
      collective.size = static_cast<double>(elements) * collective.size;
      made.links.push_back({communications_.collective(asked.use, *link.groups, asked.plan.ccl,
                                                       asked.plan.host_net, link.axis, collective),
                            times});
    }
  };
  if (parameters == last) {
    add(parameters, pieces);
  } else {
    add(parameters, pieces - 1);
    add(last, 1);
  }
  return made;
}

MoveChain PiecePlanner::over(const Asked& asked, const Communicator& communicator, Bytes size,
                             DataType type) {
  if (group_size(asked.grid, communicator) < 2) return {};
  Collective sum;
  sum.size = size;
  sum.type = type;
  return {{{communications_.collective(
                asked.use, communications_.groups(asked.use, asked.grid, communicator),
                asked.plan.ccl, asked.plan.host_net, communicator.parts.front().axis, sum),
            1}}};
}

const TimedBody* PiecePlanner::kernels(const Asked& asked, const std::vector<Operator>& work) {
  return &maker_.kernels(work, asked.plan.host_net.launch);
}

// As StageExchange::partial_gradients.
std::int64_t PiecePlanner::partial_gradients(const Asked& asked,
                                             const std::vector<Chunk>& chunks) const {
  const LayerParameters layer = layer_parameters(model_, asked.split);
  const EmbeddingParameters embedding = embedding_parameters(model_, asked.split);
  const HeadParameters head = head_parameters(model_, asked.split);
  std::int64_t sum = 0;
  for (const Chunk& part : chunks) {
    if (!asked.parallelism.sequence_parallel) {
      sum += part.layers * layer.qk_norms;
      continue;
    }
    sum += part.layers * layer.replicated();
    if (part.embedding) sum += embedding.total() - embedding.tokens;
    if (part.head) sum += head.final_norm + head.transform;
  }
  return sum;
}

EndPieces PiecePlanner::end(const Asked& asked, int number, const std::vector<Chunk>& chunks) {
  const Parallelism& parallelism = asked.parallelism;
  const DataType type = parallelism.gradient_type;
  EndPieces made;
  std::int64_t all = 0, tensors = 0;
  for (const Chunk& part : chunks) {
    all += stage_parameters(model_, asked.split, stage_part(part));
    tensors += stage_tensors(model_, stage_part(part));
  }
  const int shares = parallelism.sharding != Sharding::none ? asked.data_ranks : 1;
  const std::int64_t owned = (all + shares - 1) / shares;
  if (parallelism.clipping == Clipping::after_reduction ||
      parallelism.clipping == Clipping::before_reduction) {
    const bool before = parallelism.clipping == Clipping::before_reduction;
    const bool leaves = !kernels_only(asked.chains.gradients);
    const GradientScope scope = before && leaves ? GradientScope::local : GradientScope::updated;
    made.norm = kernels(asked, {gradient_norm_operator(scope, before ? all : owned, type)});
    made.clip = kernels(asked, {gradient_clip_operator(scope, before ? all : owned, type)});
  }
  made.unscale_norm = kernels(asked, {gradient_norm_operator(GradientScope::updated, owned, type)});
  made.unscale = kernels(asked, {gradient_unscale_operator(type)});
  const std::int64_t partial = parallelism.tensor > 1 ? partial_gradients(asked, chunks) : 0;
  if (partial > 0)
    made.shared_sum = over(asked, {"tensor", {{Axis::tensor}}, {}}, bytes_of(partial, type), type);
  const bool end = number == 0 || number == parallelism.pipeline - 1;
  if (model_.tied_embeddings && parallelism.pipeline > 1 && end)
    made.tied_sum = over(asked, {"embedding", {{Axis::pipeline}}, {0, parallelism.pipeline - 1}},
                         bytes_of(embedding_parameters(model_, asked.split).tokens, type), type);
  std::vector<Operator> update = update_operators(
      {update_rule(parallelism.optimizer), owned, tensor_type(parallelism.compute_type), type,
       parallelism.master_weights, parallelism.moment_type});
  if (parallelism.optimizer == Optimizer::lamb) {
    Communicator stage{"stage", {{Axis::tensor}}, {}};
    if (parallelism.sharding != Sharding::none)
      stage.parts.push_back(
          {Axis::data, asked.data_ranks < parallelism.data ? asked.data_ranks : 0, 1});
    made.tensor_norms = over(asked, stage, bytes_of(2 * tensors, DataType::fp32), DataType::fp32);
    made.update_rest = kernels(asked, {update.begin() + 2, update.end()});
    update.resize(2);
  }
  made.update = kernels(asked, update);
  return made;
}

}  // namespace quintet
