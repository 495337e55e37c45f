// Layer 1, decisions: who computes what, in which order.
#pragma once

#include <string_view>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/units.h"
#include "sim/parallelism/schedules/schedule.h"
#include "sim/plan/replicator.h"
#include "sim/plan/samples.h"

namespace quintet {

// A direction in which ranks differ.
enum class Axis { tensor, context, expert, data, pipeline };
inline constexpr int axis_count = 5;

// What data-parallel ranks keep one share of (ZeRO, arXiv 1910.02054: stages 1, 2, 3; 3 is FSDP).
enum class Sharding { none, optimizer, gradients, parameters };

// selective: the attention core only (arXiv 2205.05198)
enum class Recompute { none, selective, full };
enum class AttentionChoice { unfused, flash };
enum class Optimizer { adamw, lamb, sgd };

// How gradients are clipped, which decides what the optimizer waits for (bucket-wise clipping:
// arXiv 2402.02447).
enum class Clipping {
  none,
  after_reduction,   // global norm over reduced gradients: a barrier before the update
  before_reduction,  // global norm over local gradients: no bucket leaves before the last gradient
  // Each of B buckets is clipped by its own norm to 1 / sqrt(B) of what all may have, then sent: no
  // barrier. Micro-batches that are summed first are each clipped so, then added up; where backward
  // runs in two passes, which mix them, their sum is clipped.
  per_bucket,
};

// What waits in the host's memory while the GPU does not need it, and comes back by PCIe.
//
// The optimizer's state is streamed: piece after piece of moments and master weights comes to the
// GPU, is updated there and goes back (Megatron-LM's --offload-optimizer-states, ZeRO-Infinity's
// arXiv 2104.07857). ZeRO-Offload (arXiv 2101.06840) updates on the processor instead, which moves
// 4 bytes of 16-bit gradients and weights per parameter where this moves 24 (two ways at once); but
// the processors of a host have one memory for all its GPUs (28 bytes per parameter, against 12 of
// each GPU's own PCIe lanes each way), gradients' norm and clipping would have to go there too, and
// the update would have other bits than the GPU's. Where one GPU of PCIe 3 has a host for itself,
// ZeRO-Offload's way is faster; it is not modelled.
struct Offload {
  double optimizer = 0;      // this share of moments and master weights: 0 (none) to 1 (all)
  bool activations = false;  // the inputs of recomputed layers, each while it waits for backward
  Bytes piece{64e6};         // of the optimizer's state that comes at one time; two are there
  bool operator==(const Offload&) const = default;
};

// How the products of layers' weights in fp8 are done (arXiv 2209.05433; the recipes of
// Transformer Engine): weights and activations in e4m3, gradients in e5m2 ("HYBRID"); the weights
// themselves, norms, attention, embedding and head stay in bf16.
struct Float8Recipe {
  Float8Scaling scaling = Float8Scaling::delayed;
  int history = 1024;  // delayed: of so many steps the largest value counts
  int margin = 0;      // delayed: and room is left for one 2^margin times as large
  bool operator==(const Float8Recipe&) const = default;
};

struct Parallelism {
  int tensor = 1;
  int context = 1;
  int expert = 1;
  int data = 1;
  int pipeline = 1;
  // Innermost first: neighbours in the first axis are neighbours in rank.
  std::vector<Axis> order{Axis::tensor, Axis::context, Axis::expert, Axis::data, Axis::pipeline};
  // Norms and dropout split along the sequence inside the tensor axis (arXiv 2205.05198).
  bool sequence_parallel = false;

  Sharding sharding = Sharding::none;
  // Ranks that share one copy; 0: the whole data axis. Smaller: hybrid (HSDP, FlexDeMo).
  int sharding_group = 0;
  Replicator replicator;  // between sharding groups

  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int virtual_stages = 1;     // model chunks per stage, where the schedule has several
  std::vector<int> warm_ups;  // forwards before the first backward, where the schedule asks
  std::vector<StageTimes> stage_times{};  // what the order is planned for, where the schedule asks
  // B and W as separate instructions although the schedule does not need it.
  bool split_backward = false;
  // Layers per chunk of the model, in the model's order: entry chunk * pipeline + stage, so
  // pipeline * virtual_stages entries. Empty: the same for all, which must divide.
  std::vector<int> stage_layers;

  int sequence_length = 0;
  int micro_batch = 1;    // sequences per micro-batch
  int micro_batches = 1;  // per replica and step

  Recompute recompute = Recompute::none;
  int recompute_layers = 0;  // recompute full: only the first so many layers of each stage; 0: all
  AttentionChoice attention = AttentionChoice::flash;

  DataType compute_type = DataType::bf16;
  Float8Recipe float8;                      // where compute_type is fp8
  DataType gradient_type = DataType::fp32;  // accumulated and reduced in this type
  bool master_weights = true;               // fp32 copy beside the compute weights
  // AdamW's two moments: fp32, or bf16, rounded to the nearest (ties to even) after each update,
  // which computes in fp32.
  DataType moment_type = DataType::fp32;
  Optimizer optimizer = Optimizer::adamw;
  Clipping clipping = Clipping::after_reduction;
  // Gradients may overflow and be left out: where no norm of the summed gradients is taken for
  // clipping, one is, and all ranks are told of it.
  bool loss_scaling = false;
  Samples samples;
  LoadBalance load_balance = LoadBalance::none;  // of those
  Offload offload;

  bool operator==(const Parallelism&) const = default;
};

// The words of plan.json.
std::string_view name_of(Axis axis);
std::string_view name_of(Sharding sharding);
std::string_view name_of(Recompute recompute);
std::string_view name_of(AttentionChoice attention);
std::string_view name_of(Optimizer optimizer);
std::string_view name_of(Clipping clipping);
std::string_view name_of(Float8Scaling scaling);

// Ranks along an axis.
int degree(const Parallelism& parallelism, Axis axis);
int world_size(const Parallelism& parallelism);
int global_batch(const Parallelism& parallelism);  // sequences per step
// Neighbours of the data axis that share one copy of what is sharded; where nothing is, the whole
// axis, or, where a replicator joins replicas, one rank.
int shard_ranks(const Parallelism& parallelism);
// Data-parallel ranks whose gradients are summed whole in every step.
int ranks_summed(const Parallelism& parallelism);

}  // namespace quintet
