#include <fmt/format.h>

#include <utility>

#include "sim/base/shown_text.h"
#include "sim/frameworks/nccl_environment.h"
#include "sim/frameworks/torchtitan.h"

namespace quintet::torchtitan {
namespace {

std::string replicas(const Parallelism& parallelism) {
  const bool alone =
      parallelism.tensor == 1 && parallelism.pipeline == 1 && parallelism.context == 1;
  const int data = parallelism.data, group = parallelism.sharding_group;
  int copies = 1;
  if (parallelism.sharding == Sharding::none && alone)
    copies = data;
  else if (group > 1 && group < data && data % group == 0)
    copies = data / group;
  std::string text =
      fmt::format("data_parallel_replicate_degree = {}\ndata_parallel_shard_degree = {}\n", copies,
                  data / copies);
  if (data > copies)
    text += fmt::format("fsdp_reshard_after_forward = \"{}\"\n",
                        parallelism.sharding == Sharding::parameters ? "always" : "never");
  return text;
}

std::string modules(const std::vector<int>& stage_layers) {
  std::string text = "module_fqns_per_model_part = [\n";
  int next = 0;
  for (std::size_t piece = 0; piece < stage_layers.size(); ++piece) {
    std::string names = piece == 0 ? "\"tok_embeddings\"" : "";
    const auto add = [&](const std::string& name) {
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
    };
    for (int layer = 0; layer < stage_layers[piece]; ++layer) add(fmt::format("layers.{}", next++));
    if (piece + 1 == stage_layers.size()) {
      add("norm");
      add("output");
    }
    text += "  [" + names + "],\n";
  }
  return text + "]\n";
}

std::string stages(const Parallelism& parallelism, const Model& model) {
  if (parallelism.pipeline == 1) return "";
  const bool interleaved = parallelism.schedule == PipelineSchedule::interleaved;
  const char* const schedule = interleaved                                       ? "Interleaved1F1B"
                               : parallelism.schedule == PipelineSchedule::gpipe ? "GPipe"
                                                                                 : "1F1B";
  std::string text =
      fmt::format("pipeline_parallel_schedule = \"{}\"\npipeline_parallel_microbatch_size = {}\n",
                  schedule, parallelism.micro_batch);
  if (!parallelism.stage_layers.empty()) return text + modules(parallelism.stage_layers);
  return text + fmt::format(
                    "pipeline_parallel_first_stage_less_layers = 0\n"
                    "pipeline_parallel_last_stage_less_layers = 0\n"
                    "pipeline_parallel_layers_per_stage = {}\n",
                    model.layers / (parallelism.pipeline * parallelism.virtual_stages));
}

std::string training(const Plan& plan) {
  const Parallelism& parallelism = plan.parallelism;
  const int each = parallelism.pipeline > 1 ? parallelism.micro_batches : 1;
  std::string text = fmt::format(
      "\n[training]\nseq_len = {}\nlocal_batch_size = {}\nglobal_batch_size = {}\nmax_norm = 1.0\n"
      "mixed_precision_param = \"{}\"\nmixed_precision_reduce = \"float32\"\n",
      parallelism.sequence_length, std::int64_t{parallelism.micro_batch} * each,
      global_batch(parallelism),
      parallelism.compute_type == DataType::fp32 ? "float32" : "bfloat16");
  if (plan.ccl.overlap_tensor && parallelism.tensor > 1) text += "compile = true\n";
  return text;
}

// Scales of the current tensor are the one recipe that a plan has too.
bool says_float8(const Parallelism& parallelism) {
  return parallelism.compute_type == DataType::fp8 &&
         parallelism.float8.scaling == Float8Scaling::current;
}

}  // namespace

std::string written(const Plan& plan, const Model& model, const Topology& topology) {
  const Parallelism& parallelism = plan.parallelism;
  std::string text = fmt::format(
      "# {}: {} on {}, in words of torchtitan. [model] is to name the model and its flavor.\n",
      shown(plan.name, 100), shown(model.name, 100), shown(topology.name, 100));
  if (says_float8(parallelism)) text += "\n[model]\nconverters = [\"float8\"]\n";
  text += fmt::format(
      "\n[parallelism]\ntensor_parallel_degree = {}\ncontext_parallel_degree = {}\n"
      "pipeline_parallel_degree = {}\n",
      parallelism.tensor, parallelism.context, parallelism.pipeline);
  text += replicas(parallelism) + stages(parallelism, model);
  if (plan.ccl.overlap_tensor && parallelism.tensor > 1)
    text += "enable_async_tensor_parallel = true\n";
  text += training(plan);
  text += fmt::format("\n[activation_checkpoint]\nmode = \"{}\"\n",
                      parallelism.recompute == Recompute::full ? "full" : "none");
  if (says_float8(parallelism)) text += "\n[float8]\nrecipe_name = \"tensorwise\"\n";
  return text + "\n[optimizer]\nname = \"AdamW\"\n";
}

namespace {

// What NCCL's variables would say of a field, if they say it.
std::string variables_of(const Plan& plan, std::string_view field) {
  std::string all;
  for (const EnvironmentVariable& each : nccl_environment(plan)) {
    Plan with;
    const Result<bool> taken = take_nccl_variable(each, with);
    const bool is_it =
        taken && *taken &&
        ((field == "ccl.rules" && !with.ccl.rules.empty()) ||
         (field == "intra_inter.forwarding" && !(with.intra_inter == IntraInter{})) ||
         (field == "host_net.delivery" && with.host_net.delivery != HostNet{}.delivery) ||
         (field == "host_net.queue_pairs" && with.host_net.queue_pairs != 1));
    if (is_it) all += fmt::format("{}{}={}", all.empty() ? "" : " ", each.name, each.value);
  }
  return all;
}

}  // namespace

std::string reason(const Plan& plan, std::string_view field) {
  if (const std::string variables = variables_of(plan, field); !variables.empty())
    return "its environment says it, for the whole process: " + variables;
  const Parallelism& parallelism = plan.parallelism;
  if (field == "parallelism.order") return "its mesh is tensor, context, shards, copies, stages";
  if (field == "parallelism.sequence_parallel") return "tensor parallelism always has it";
  if (field == "parallelism.sharding")
    return parallelism.sharding == Sharding::none
               ? "replicas without shards (DDP) take no other parallelism"
               : "FSDP shares gradients or parameters";
  if (field == "parallelism.sharding_group") return "copies of shards divide the data axis";
  if (field == "parallelism.schedule" || field == "parallelism.warm_ups" ||
      field == "parallelism.stage_times")
    return "its schedules that a plan has are 1F1B, GPipe and Interleaved1F1B";
  if (field == "parallelism.stage_layers") return "without stages there is nothing to deal";
  if (field == "parallelism.virtual_stages") return "its pieces are those of Interleaved1F1B";
  if (field == "parallelism.split_backward") return "B and W are one pass in these schedules";
  if (field == "parallelism.recompute")
    return "its selective recomputes every n-th layer or chosen operators";
  if (field == "parallelism.recompute_layers") return "all layers are recomputed, or none";
  if (field == "parallelism.attention") return "its attention is flash";
  if (field == "parallelism.compute_type")
    return "it has float32, bfloat16 (with shards, or on one axis alone) and float8 with "
           "scales of the tensor at hand";
  if (field.starts_with("parallelism.fp8")) return "float8 has scales of the tensor at hand";
  if (field == "parallelism.gradient_type") return "mixed_precision_reduce takes float32 alone";
  if (field == "parallelism.master_weights") return "weights are kept in float32";
  if (field == "parallelism.moment_type") return "moments are of the weights' type, float32";
  if (field == "parallelism.optimizer") return "it has Adam and AdamW";
  if (field == "parallelism.clipping") return "it always clips by the norm of all gradients";
  if (field == "parallelism.loss_scaling") return "losses are not scaled";
  if (field.starts_with("parallelism.offload"))
    return "its CPU offload keeps parameters in the host's memory, too";
  if (field.starts_with("parallelism.replicator"))
    return "whole gradients are summed in every step";
  if (field.starts_with("ccl.overlap")) return "FSDP and DDP always overlap";
  if (field == "ccl.bucket") return "FSDP sends layer by layer, DDP in buckets of 100 MiB";
  if (field == "host_net.launch") return "it captures no CUDA graphs";
  const std::string of_nccl = nccl_reason(plan, field);
  return of_nccl.empty() ? "it has no key for it" : of_nccl;
}

}  // namespace quintet::torchtitan
