#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/frameworks/deepspeed.h"
#include "sim/json/json_value.h"

namespace quintet::deepspeed {
namespace {

constexpr double most_elements = 1e15;

const char* type_word(DataType type) {
  return type == DataType::bf16 ? "bf16" : type == DataType::fp16 ? "fp16" : "fp32";
}

// What the weights are computed in: fp8 is not said, and bf16 is what stands around it.
DataType model_type(const Parallelism& parallelism) {
  const DataType type = parallelism.compute_type;
  return type == DataType::fp32 || type == DataType::fp16 ? type : DataType::bf16;
}

// Stages 2 and 3 exclude pipelines, and 3 excludes tensors that are split automatically.
int stage_of(const Parallelism& parallelism) {
  const int stage = static_cast<int>(parallelism.sharding);
  if (parallelism.pipeline > 1) return std::min(stage, 1);
  return parallelism.tensor > 1 ? std::min(stage, 2) : stage;
}

Sharding said_sharding(const Parallelism& parallelism) {
  return static_cast<Sharding>(stage_of(parallelism));
}

// Without ZeRO gradients are summed in the model's type.
DataType summed_in(const Parallelism& parallelism) {
  return stage_of(parallelism) == 0 ? model_type(parallelism) : parallelism.gradient_type;
}

JsonValue zero(const Plan& plan) {
  const Parallelism& parallelism = plan.parallelism;
  const int stage = stage_of(parallelism);
  JsonValue all{{"stage", stage}};
  if (stage == 0) return all;
  all["overlap_comm"] = plan.ccl.overlap_gradients && parallelism.pipeline == 1 &&
                        !sums_after_backward(said_sharding(parallelism), model_type(parallelism),
                                             summed_in(parallelism));
  all["contiguous_gradients"] = true;
  all["reduce_scatter"] = true;
  const double elements = plan.ccl.bucket.value / size_of(summed_in(parallelism)).value;
  if (elements >= 1 && elements <= most_elements && std::floor(elements) == elements)
    all["reduce_bucket_size"] = static_cast<std::int64_t>(elements);
  if (stage < 3) return all;
  all["stage3_prefetch_bucket_size"] = plan.ccl.overlap_parameters ? 50'000'000 : 0;
  const int group = parallelism.sharding_group;
  if (group > 0 && group < parallelism.data && parallelism.data % group == 0)
    all["mics_shard_size"] = group;
  return all;
}

void add_types(JsonValue& all, const Parallelism& parallelism) {
  const DataType model = model_type(parallelism);
  if (model == DataType::bf16) {
    all["bf16"] = {{"enabled", true}};
    // Moments in fp32 beside weights in bf16 are for the processors' optimizer alone.
    if (stage_of(parallelism) > 0 && !parallelism.master_weights &&
        parallelism.moment_type == DataType::bf16) {
      all["bf16"]["bf16_master_weights_and_grads"] = true;
      all["bf16"]["bf16_optimizer_states"] = true;
    }
  }
  if (model == DataType::fp16) all["fp16"] = {{"enabled", true}, {"loss_scale", 0}};
  const char* const gradients = type_word(summed_in(parallelism));
  all["data_types"] = {{"grad_accum_dtype", gradients}};
  all["communication_data_type"] = gradients;
}

void add_update(JsonValue& all, const Parallelism& parallelism) {
  all["gradient_clipping"] = parallelism.clipping == Clipping::none ? 0.0 : 1.0;
  const Optimizer optimizer = parallelism.optimizer;
  all["optimizer"] = {{"type", optimizer == Optimizer::adamw  ? "AdamW"
                               : optimizer == Optimizer::lamb ? "Lamb"
                                                              : "SGD"},
                      {"params", {{"lr", 1e-4}}}};
  if (optimizer != Optimizer::adamw && stage_of(parallelism) > 0)
    all["zero_allow_untested_optimizer"] = true;
}

void add_layout(JsonValue& all, const Parallelism& parallelism, const Model& model) {
  const bool full = parallelism.recompute == Recompute::full;
  if (parallelism.pipeline > 1)
    all["pipeline"] = {{"stages", parallelism.pipeline},
                       {"activation_checkpoint_interval", full ? 1 : 0}};
  else if (full)
    all["activation_checkpointing"] = {{"partition_activations", false},
                                       {"number_checkpoints", model.layers}};
  if (parallelism.pipeline == 1 && parallelism.tensor > 1)
    all["tensor_parallel"] = {{"autotp_size", parallelism.tensor}};
  if (parallelism.context > 1) all["sequence_parallel_size"] = parallelism.context;
}

std::string launcher(const Plan& plan, const Topology& topology) {
  const int hosts = std::max(1, static_cast<int>(topology.hosts.size()));
  std::string line;
  for (const EnvironmentVariable& each : nccl_environment(plan))
    line += fmt::format("{}={} ", each.name, each.value);
  return line + fmt::format(
                    "deepspeed --num_nodes {} --num_gpus {} TRAIN.py --deepspeed "
                    "--deepspeed_config THIS.json",
                    hosts, world_size(plan.parallelism) / hosts);
}

// What stands outside of DeepSpeed's own keys.
JsonValue beside(const Plan& plan, const Model& model, const Topology& topology) {
  const Parallelism& parallelism = plan.parallelism;
  JsonValue all{{"plan", plan.name},
                {"model", model.name},
                {"machine", topology.name},
                {"launch", launcher(plan, topology)},
                {"ranks", world_size(parallelism)},
                {"sequence_length", parallelism.sequence_length}};
  if (parallelism.pipeline > 1) {
    all["pipeline_module"] = fmt::format(
        "PipelineModule(layers, topology=PipeModelDataParallelTopology(num_pp={}, num_mp={}, "
        "num_dp={}), partition_method='type:CLASS_OF_A_LAYER', activation_checkpoint_interval={})",
        parallelism.pipeline, parallelism.tensor, parallelism.data,
        parallelism.recompute == Recompute::full ? 1 : 0);
    all["topology"] = {
        {"pipe", parallelism.pipeline}, {"data", parallelism.data}, {"model", parallelism.tensor}};
  } else if (parallelism.recompute == Recompute::full) {
    all["checkpointing"] = "the model calls deepspeed.checkpointing.checkpoint for every layer";
  }
  for (const EnvironmentVariable& each : nccl_environment(plan))
    all["environment"][each.name] = each.value;
  return all;
}

}  // namespace

std::string written(const Plan& plan, const Model& model, const Topology& topology) {
  const Parallelism& parallelism = plan.parallelism;
  JsonValue all{{"train_batch_size", global_batch(parallelism)},
                {"train_micro_batch_size_per_gpu", parallelism.micro_batch},
                {"gradient_accumulation_steps", parallelism.micro_batches},
                {"zero_optimization", zero(plan)}};
  add_types(all, parallelism);
  add_update(all, parallelism);
  add_layout(all, parallelism, model);
  all["quintet"] = beside(plan, model, topology);
  return all.dump(2) + "\n";
}

std::string with_remarks(const std::string& text, const std::vector<Unsaid>& unsaid) {
  if (unsaid.empty()) return text;
  JsonValue all = JsonValue::parse(text);
  JsonValue list = JsonValue::array();
  for (const Unsaid& each : unsaid)
    list.push_back({{"field", each.field},
                    {"plan", each.value},
                    {"here", each.said},
                    {"reason", each.reason}});
  all["quintet"]["not_said"] = list;
  return all.dump(2) + "\n";
}

namespace {

std::string sharding_reason(const Parallelism& parallelism) {
  return parallelism.pipeline > 1 ? "ZeRO-2 and ZeRO-3 exclude pipeline parallelism"
                                  : "ZeRO-3 excludes tensor_parallel.autotp_size";
}

std::string overlap_reason(const Parallelism& parallelism) {
  if (stage_of(parallelism) == 0) return "without ZeRO gradients are summed after backward";
  return parallelism.pipeline > 1
             ? "pipelines sum gradients after backward"
             : "at stage 1 with bf16 and gradients of fp32 they are summed after backward";
}

std::string bucket_reason(const Parallelism& parallelism) {
  return sums_after_backward(said_sharding(parallelism), model_type(parallelism),
                             summed_in(parallelism))
             ? "gradients that are summed after backward go in buffers of 500000000 elements"
             : "reduce_bucket_size is a whole number of elements, and 1 bucket is not said";
}

}  // namespace

std::string reason(const Plan& plan, std::string_view field) {
  const Parallelism& parallelism = plan.parallelism;
  if (field == "parallelism.order") return "its ranks are tensor, data, pipeline, innermost first";
  if (field == "parallelism.sequence_parallel")
    return "its tensor parallelism sums whole sequences (all-reduce)";
  if (field == "parallelism.sharding") return sharding_reason(parallelism);
  if (field == "parallelism.sharding_group")
    return "copies of shards (mics_shard_size) are of ZeRO-3, and divide the data axis";
  if (field == "parallelism.schedule" || field == "parallelism.warm_ups" ||
      field == "parallelism.stage_times" || field == "parallelism.virtual_stages")
    return "its PipelineEngine has 1f1b (TrainSchedule), one piece to a stage";
  if (field == "parallelism.split_backward") return "B and W are one pass";
  if (field == "parallelism.stage_layers")
    return "PipelineModule deals layers by uniform, parameters or type:CLASS";
  if (field == "parallelism.recompute") return "it recomputes whole layers, or none";
  if (field == "parallelism.recompute_layers") return "all layers are recomputed, or none";
  if (field == "parallelism.attention") return "the model's code decides it";
  if (field == "parallelism.compute_type") return "it has fp32, bf16 and fp16";
  if (field.starts_with("parallelism.fp8")) return "it has no fp8";
  if (field == "parallelism.gradient_type")
    return stage_of(parallelism) == 0 ? "without ZeRO gradients are of the model's type"
                                      : "gradients are of fp32, bf16 or fp16";
  if (field == "parallelism.master_weights" || field == "parallelism.moment_type")
    return "bf16_master_weights_and_grads and bf16_optimizer_states come together, with ZeRO";
  if (field == "parallelism.clipping") return "it clips by the norm of all reduced gradients";
  if (field == "parallelism.loss_scaling") return "losses are scaled with fp16, and only there";
  if (field.starts_with("parallelism.offload"))
    return field.ends_with("activations")
               ? "its cpu_checkpointing is of activations that partition_activations split"
               : "its offload_optimizer updates on the processors instead";
  if (field.starts_with("parallelism.replicator"))
    return "whole gradients are summed in every step";
  if (field == "parallelism.expert") return "no mixture of experts is modelled";
  if (field == "ccl.overlap_gradients") return overlap_reason(parallelism);
  if (field == "ccl.overlap_parameters")
    return stage_of(parallelism) == 0 ? "nothing is sharded: it has no effect"
                                      : "ZeRO-1 and ZeRO-2 gather at the end of each step";
  if (field == "ccl.overlap_tensor")
    return "its tensor_parallel.overlap_comm sends an all-reduce beside a GEMM, in one piece";
  if (field == "ccl.bucket") return bucket_reason(parallelism);
  if (field == "host_net.launch") return "its graph_harvesting is of short sequences of kernels";
  const std::string of_nccl = nccl_reason(plan, field);
  return of_nccl.empty() ? "it has no key for it" : of_nccl;
}

}  // namespace quintet::deepspeed
