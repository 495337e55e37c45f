// The fields of plan.json (sim/json/field_list.h): what is read, written, explained by `quintet
// plan fields` and traces/plans/README.md, and known to editors. Only reader .cpp files include
// this header.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "sim/base/shown_text.h"
#include "sim/json/field_list.h"
#include "sim/plan/plan.h"

namespace quintet {

// Well above any machine there is, and far enough from overflow for products of a few.
inline constexpr int most_ranks = 1 << 20;
inline constexpr int most_micro_batches = 1 << 20;
inline constexpr int most_layers = 100'000;
inline constexpr int most_sequences = 1'000'000'000;  // of a step
inline constexpr int most_history = 1 << 16;  // a rank keeps so many numbers of each operand
inline constexpr int most_margin = 16;        // e5m2 has 32 powers of two

template <class File>
void share(File& file, const FieldKey& key, double& value) {
  file.field(key, value);
  if (value <= 0.0 || value > 1.0) file.refuse(key, "expected a share above 0 and up to 1");
}

// The first axis whose degree makes the ranks too many.
inline std::optional<Axis> axis_too_large(const Parallelism& parallelism) {
  std::int64_t ranks = 1;
  for (const Axis axis : Parallelism{}.order) {
    ranks *= degree(parallelism, axis);
    if (ranks > most_ranks) return axis;
  }
  return std::nullopt;
}

template <class File>
void fields(File& file, Replicator& replicator) {
  constexpr Replicator usual{};
  file.field({"kind",
              "what crosses the replicas of a sharding group: full, gradients; demo, the largest "
              "coefficients of a momentum's cosine transform; random and striding, a share of a "
              "momentum's elements; diloco, parameters, for an outer optimizer; none, nothing"},
             replicator.kind);
  file.field({"every", "of so many steps the last has the exchange"}, replicator.every,
             Between{1, 1'000'000});
  file.field({"chunk", "of demo: entries of a transform along one dimension"}, replicator.chunk,
             Between{1, 1 << 16});
  file.field({"top_k", "of demo: coefficients kept per chunk"}, replicator.top_k,
             Between{1, 1 << 16});
  share(file, {"rate", "of random and striding: the share sent"}, replicator.rate);
  file.unusual({"decay", "of demo, random and striding: what a step leaves of the momentum"},
               replicator.decay, usual.decay, Between{0.0, 1.0});
  file.unusual({"sign",
                "of demo, random and striding: of what was merged its sign alone reaches the "
                "optimizer"},
               replicator.sign, usual.sign);
  file.unusual({"index_type", "of demo: how a coefficient's place in its chunk is sent"},
               replicator.index_type, usual.index_type);
  file.unusual({"value_type", "number type of what is sent, fp32 or bf16; others are refused"},
               replicator.value_type, usual.value_type);
  file.unusual({"seed", "of random: the same on all replicas"}, replicator.seed, usual.seed,
               Between{0, 1'000'000'000});
  file.unusual({"outer_rate", "of diloco: the outer optimizer's learning rate"},
               replicator.outer_rate, usual.outer_rate, Between{0.0, 10.0});
  file.unusual({"outer_momentum", "of diloco: the outer optimizer's (Nesterov's) momentum"},
               replicator.outer_momentum, usual.outer_momentum, Between{0.0, 1.0});
}

// One of micro_batches and global_batch says how long a step is; both must agree.
template <class File>
void batch_fields(File& file, Parallelism& parallelism) {
  std::optional<int> micro_batches = parallelism.micro_batches, global_batch;
  file.preset(micro_batches, {});
  file.preset(global_batch, {});
  file.field({"micro_batch", "sequences in a micro-batch"}, parallelism.micro_batch,
             Between{1, most_micro_batches});
  file.field({"micro_batches",
              "micro-batches per replica and step; 1 where global_batch is not "
              "given either"},
             micro_batches, Between{1, most_micro_batches});
  file.field({"global_batch",
              "sequences per step, in place of micro_batches: micro_batch x "
              "micro_batches x data"},
             global_batch, Between{1, most_sequences});
  const std::int64_t round = std::int64_t{parallelism.micro_batch} * parallelism.data;
  if (global_batch && (round < 1 || *global_batch % round != 0))
    file.refuse("global_batch",
                fmt::format("{} sequences cannot be dealt to {} replicas in micro-batches of {}; "
                            "use a multiple of {}",
                            *global_batch, parallelism.data, parallelism.micro_batch, round));
  else if (global_batch && micro_batches && *micro_batches * round != *global_batch)
    file.refuse("global_batch",
                fmt::format("is {}, but micro_batch x micro_batches x data is {}; leave one of "
                            "global_batch and micro_batches out",
                            *global_batch, *micro_batches * round));
  else if (global_batch)
    micro_batches = static_cast<int>(*global_batch / round);
  parallelism.micro_batches = micro_batches.value_or(1);
  if (1.0 * parallelism.micro_batches * static_cast<double>(round) > most_sequences)
    file.refuse("micro_batches", "a step of more than 1000000000 sequences is not accepted");
}

template <class File>
void degree_fields(File& file, Parallelism& parallelism) {
  file.field({"tensor",
              "ranks over which every layer's matrices are split; the degrees multiply to "
              "the machine's places for ranks"},
             parallelism.tensor, Between{1, most_ranks});
  file.field({"context",
              "ranks over which sequences are split; not modelled yet: more than 1 is "
              "refused"},
             parallelism.context, Between{1, most_ranks});
  file.field({"expert",
              "ranks over which experts are spread; not modelled yet: more than 1 is "
              "refused"},
             parallelism.expert, Between{1, most_ranks});
  file.field({"data", "replicas, which take different sequences"}, parallelism.data,
             Between{1, most_ranks});
  file.field({"pipeline", "stages, which take different layers"}, parallelism.pipeline,
             Between{1, most_ranks});
  if (const auto axis = axis_too_large(parallelism))
    file.refuse(name_of(*axis),
                fmt::format("the degrees multiply to more than {} ranks", most_ranks));
  file.field(
      {"order", "axes, innermost first: neighbours in the first axis are neighbours in rank"},
      parallelism.order, "axes");
}

template <class File>
void fields(File& file, StageTimes& stage) {
  file.field({"forward", "of a micro-batch"}, stage.forward);
  file.field({"input_gradient", "B of a micro-batch"}, stage.input_gradient);
  file.field({"weight_gradient", "W of a micro-batch"}, stage.weight_gradient);
  file.field({"delay", "how much longer than usual a message to or from the next stage takes"},
             stage.delay);
}

template <class File>
void schedule_fields(File& file, Parallelism& parallelism) {
  file.field({"schedule",
              "order of work in the pipeline; all but 1f1b need pipeline above 1; zb-*: backward "
              "in two passes, B and W, whose memory is predicted as if all that forward kept "
              "stayed until W, the most it can be"},
             parallelism.schedule);
  file.field({"virtual_stages", "pieces of the model per stage (interleaved)"},
             parallelism.virtual_stages, Between{1, 1024});
  file.field({"warm_ups",
              "forwards before the first backward, per stage (warm-up; adapted: left out, "
              "algorithm 2 of PipeMorph counts them)"},
             parallelism.warm_ups, Between{0, most_micro_batches});
  file.unusual({"stage_times", "what each stage takes, for which the order is planned (adapted)"},
               parallelism.stage_times, {});
  file.field({"split_backward",
              "backward in two passes, B for inputs' and W for weights' gradients, also where the "
              "schedule does not need it"},
             parallelism.split_backward);
  file.field(
      {"stage_layers", "layers of each piece, in the model's order; empty: the same for all"},
      parallelism.stage_layers, Between{0, most_layers});
}

template <class File>
void fields(File& file, Float8Recipe& recipe) {
  file.field(
      {"scaling",
       "where scales come from: delayed, of a tensor, from the largest values of the steps "
       "before; current, from its own; block, of each 1 x 128 numbers, of weights 128 x 128"},
      recipe.scaling);
  file.field({"history", "of delayed: how many steps count"}, recipe.history,
             Between{1, most_history});
  file.field({"margin", "of delayed: room for numbers 2^margin times as large"}, recipe.margin,
             Between{0, most_margin});
}

template <class File>
void fields(File& file, Samples& samples) {
  file.required(
      {"lengths",
       "a histogram of the data's lengths: a file beside the plan's or from the folder of "
       "work on, or a shipped name; they are cut to sequence_length"},
      samples.lengths);
  file.field({"draw",
              "how a rank's samples are drawn: random; stratified, a number from each bin; packed, "
              "micro_batch is rows of sequence_length filled with them"},
             samples.draw);
  file.field({"bins", "of stratified: the longest sample of each, ascending; empty: four equal"},
             samples.bins, Between{1, 100'000'000});
  file.field(
      {"counts", "of stratified: samples of a micro-batch from each bin; empty: by the histogram"},
      samples.counts, Between{0, most_micro_batches});
  file.field({"seed", "of the lengths that a prediction draws"}, samples.seed,
             Between{0, 2'000'000'000});
}

template <class File>
void fields(File& file, Offload& offload) {
  file.field({"optimizer",
              "the share (to 1: all) of moments and master weights that lies in the host's pinned "
              "memory: it comes by PCIe piece by piece, is updated on the GPU and goes back; not "
              "with lamb"},
             offload.optimizer, Between{0.0, 1.0});
  file.field({"activations",
              "a recomputed layer's input goes to the host's memory while the layer computes, and "
              "comes back while the layer after it runs backward; only with recompute full of all "
              "layers"},
             offload.activations);
  file.field({"piece", "size of one copy of that state, 4 KiB or more; the GPU has room for two"},
             offload.piece);
}

template <class File>
void fields(File& file, Parallelism& parallelism) {
  degree_fields(file, parallelism);
  file.field({"sequence_parallel",
              "norms and dropout split along the sequence inside the tensor "
              "axis"},
             parallelism.sequence_parallel);
  file.field({"sharding",
              "what data-parallel ranks keep one share of: optimizer is ZeRO 1, gradients "
              "ZeRO 2, parameters ZeRO 3 or FSDP"},
             parallelism.sharding);
  file.field({"sharding_group",
              "ranks that share one copy; 0: the whole data axis; smaller: hybrid "
              "(HSDP)"},
             parallelism.sharding_group, Between{0, most_ranks});
  file.field({"replicator", "what crosses the replicas of a sharding group"},
             parallelism.replicator);
  schedule_fields(file, parallelism);
  file.required({"sequence_length", "tokens of a sequence"}, parallelism.sequence_length,
                Between{1, 100'000'000});
  batch_fields(file, parallelism);
  file.field({"recompute",
              "what backward computes once more instead of keeping it: selective is the "
              "attention core"},
             parallelism.recompute);
  file.field({"recompute_layers", "of full: only the first so many layers of a stage; 0: all"},
             parallelism.recompute_layers, Between{0, most_layers});
  file.field({"attention", "attention's kernel: flash keeps no matrix of scores"},
             parallelism.attention);
  file.field({"compute_type",
              "number type of products and activations; fp8: of the products with layers' weights, "
              "all else in bf16"},
             parallelism.compute_type);
  file.unusual({"fp8", "how products are done where compute_type is fp8"}, parallelism.float8, {});
  file.field({"gradient_type", "number type in which gradients are summed and reduced"},
             parallelism.gradient_type);
  file.field({"master_weights", "an fp32 copy of the weights beside those computed with"},
             parallelism.master_weights);
  file.unusual({"moment_type",
                "of AdamW's two moments, fp32 or bf16, which is rounded to the nearest after each "
                "update, which computes in fp32; others are refused"},
               parallelism.moment_type, DataType::fp32);
  file.field({"optimizer", "what updates the weights"}, parallelism.optimizer);
  file.field(
      {"clipping", "when gradients are clipped by their norm, for which the optimizer waits"},
      parallelism.clipping);
  file.unusual(
      {"loss_scaling",
       "loss scaling may be used with every kind of clipping: before the update the summed "
       "gradients are looked through for overflow, by which all ranks leave the step out; "
       "clipping after-reduction does it anyhow"},
      parallelism.loss_scaling, false);
  file.field({"load_balance",
              "samples of unequal length are exchanged before the step and dealt anew by length, "
              "among the ranks of each host or all"},
             parallelism.load_balance);
  file.unusual({"samples", "samples of unequal length, which are not padded"}, parallelism.samples,
               Samples{});
  file.unusual({"offload", "what waits in the host's memory while the GPU does not need it"},
               parallelism.offload, Offload{});
}

template <class File>
void fields(File& file, CollectiveRule& rule) {
  file.field({"kind", "which kind of collective the rule is for; left out: all"}, rule.kind);
  file.field({"axis", "axis whose collectives the rule is for; left out: all"}, rule.axis);
  file.field({"algorithm",
              "NCCL's, or ours (all after pat); left out: the "
              "tuner's choice"},
             rule.algorithm);
  file.field({"protocol", "NCCL's protocol; left out: the tuner's choice"}, rule.protocol);
  file.field({"channels", "NCCL's channels; left out: the tuner's choice"}, rule.channels,
             Between{1, 1024});
}

template <class File>
void fields(File& file, Ccl& ccl) {
  file.field({"tuner", "NCCL's version, whose tables choose where no rule does"}, ccl.tuner);
  file.field({"rules", "choices that are forced; the first that matches decides, field by field"},
             ccl.rules);
  file.field({"overlap_gradients", "buckets leave during backward"}, ccl.overlap_gradients);
  file.field({"overlap_parameters", "the next layer is gathered under this one's compute"},
             ccl.overlap_parameters);
  file.field({"overlap_tensor",
              "tensor collectives in pieces under their product; not modelled yet: "
              "true is refused"},
             ccl.overlap_tensor);
  file.field({"bucket", "gradients that are reduced together; 0 B: all of a stage and piece"},
             ccl.bucket);
}

template <class File>
void fields(File& file, AxisDecomposition& row) {
  file.required({"axis", "whose collectives"}, row.axis);
  file.field({"decomposition", "hierarchical: phases inside and across hosts"}, row.decomposition);
}

template <class File>
void fields(File& file, IntraInter& intra_inter) {
  file.field({"decompositions", "how collectives of an axis are decomposed; axes not listed: flat"},
             intra_inter.decompositions);
  file.field({"forwarding",
              "same-rail is NCCL's PXN: over NVLink to the GPU whose NIC is on the "
              "destination's rail"},
             intra_inter.forwarding);
  file.field({"placement", "the place of each rank; empty: rank i in place i"},
             intra_inter.placement, Between{0, most_ranks - 1});
}

template <class File>
void fields(File& file, HostNet& host_net) {
  file.field({"delivery",
              "from GPU memory to the wire: direct is GPUDirect RDMA, staged goes through "
              "the host's memory, delegated by the host's processors"},
             host_net.delivery);
  file.field({"pipeline_delivery", "delivery of messages between stages; left out: as delivery"},
             host_net.pipeline_delivery);
  file.field({"delegates", "queues of delivery by the host's processors (delegated)"},
             host_net.delegates, Between{1, 1024});
  file.field({"queue_pairs", "queue pairs of a connection, each on a path of its own"},
             host_net.queue_pairs, Between{1, 1024});
  file.field(
      {"launch", "how kernels are launched: one by one, or the step captured once (CUDA graphs)"},
      host_net.launch);
  file.unusual(
      {"head_of_line",
       "what a GPU's send between stages holds up until it is over: none; launches, all that "
       "the CPU launches after it; neighbours, moreover both directions of a pair of stages "
       "take turns (NCCL under a slow link); nothing where delegates send"},
      host_net.head_of_line, HeadOfLine::none);
}

template <class File>
void fields(File& file, Network& network) {
  file.field({"routing",
              "way of packets: one path per destination (rail-pinned), a path by hash (ecmp), or "
              "all paths (spray)"},
             network.routing);
  file.field({"hash_seed", "seed of the hash of ecmp"}, network.hash_seed);
  share(file, {"spray_efficiency", "share of the rate of all paths together that spraying reaches"},
        network.spray_efficiency);
  Bytes mtu{static_cast<double>(network.mtu)};
  file.field({"mtu", "payload of a packet"}, mtu);
  if (mtu.value >= 1.0 && mtu.value <= 1e9 && std::floor(mtu.value) == mtu.value)
    network.mtu = static_cast<int>(mtu.value);
  else
    file.refuse("mtu", "expected a whole number of bytes from \"1 B\" to \"1 GB\", found " +
                           in_quotes(text(mtu)));
}

template <class File>
void fields(File& file, Evaluation& evaluation) {
  file.field({"every",
              "samples trained between two evaluations, which are after a step, one at most; "
              "0: none"},
             evaluation.every, Between{0, most_sequences});
  file.field({"samples", "that one evaluation passes forward"}, evaluation.samples,
             Between{0, most_sequences});
}

template <class File>
void fields(File& file, Checkpoints& checkpoints) {
  file.field({"every", "steps between two checkpoints; 0: none"}, checkpoints.every,
             Between{0, most_sequences});
  file.field({"size", "of one; 0 B: the weights and the optimizer's state, once"},
             checkpoints.size);
  file.unusual({"rate", "at which the storage takes what all ranks write; steps wait for it"},
               checkpoints.rate, Bandwidth{});
}

template <class File>
void fields(File& file, WholeRun& run) {
  file.field({"start_up", "from the start of the run to its first step"}, run.start_up);
  file.field({"batch",
              "samples that a step trains, where they are not the plan's sequences (packed input, "
              "or sequences of one length in the place of many); 0: the global batch"},
             run.batch, Between{0, most_sequences});
  file.unusual({"evaluation", "forward passes over held-out samples, which steps wait for"},
               run.evaluation, Evaluation{});
  file.unusual({"checkpoints", "writing of the state, which steps wait for"}, run.checkpoints,
               Checkpoints{});
}

template <class File>
void fields(File& file, Plan& plan) {
  file.field({"name", "of the plan in reports; empty: the file's"}, plan.name);
  file.field({"parallelism", "who computes what"}, plan.parallelism);
  file.field({"ccl", "which steps a collective takes"}, plan.ccl);
  file.field({"intra_inter", "what stays inside a host, what leaves it"}, plan.intra_inter);
  file.field({"host_net", "how a byte gets from GPU memory to the wire"}, plan.host_net);
  file.field({"network", "which way it goes"}, plan.network);
  file.unusual(
      {"run", "what a whole run (simulate --steps, --samples, --tokens) does beside its steps"},
      plan.run, WholeRun{});
}

}  // namespace quintet
