#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/frameworks/megatron.h"
#include "sim/frameworks/nccl_environment.h"

namespace quintet::megatron {
namespace {

bool is_fsdp(const Parallelism& parallelism) {
  return parallelism.sharding == Sharding::gradients ||
         parallelism.sharding == Sharding::parameters;
}

class Writer {
 public:
  Writer(const Plan& plan, const Model& model) : plan_(plan), model_(model) {}

  std::vector<std::string> all() {
    of_model();
    degrees();
    sharding();
    stages();
    batch_and_recomputation();
    number_types();
    update();
    communication();
    return std::move(lines_);
  }

 private:
  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    lines_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }
  void say_if(bool is_so, std::string text) {
    if (is_so) lines_.push_back(std::move(text));
  }

  void of_model() {
    const bool rotary = model_.positions == PositionKind::rotary;
    const int length = plan_.parallelism.sequence_length;
    say("--num-layers {}", model_.layers);
    say("--hidden-size {}", model_.hidden);
    say("--ffn-hidden-size {}", model_.feed_forward);
    say("--num-attention-heads {}", model_.heads);
    say("--kv-channels {}", model_.head_dim);
    if (model_.kv_heads != model_.heads)
      say("--group-query-attention --num-query-groups {}", model_.kv_heads);
    say("--max-position-embeddings {}",
        rotary ? std::max(model_.max_positions, length) : model_.max_positions);
    say("--position-embedding-type {}", rotary ? "rope" : "learned_absolute");
    say("--normalization {}", model_.norm == NormKind::rms_norm ? "RMSNorm" : "LayerNorm");
    say_if(model_.mlp == MlpKind::gated_silu, "--swiglu");
    say_if(!model_.mlp_bias && !model_.attention_output_bias, "--disable-bias-linear");
    say_if(model_.qkv_bias && !model_.mlp_bias, "--add-qkv-bias");
    say_if(model_.qk_norm, "--qk-layernorm");
    say_if(!model_.tied_embeddings, "--untie-embeddings-and-output-weights");
    say("--attention-dropout {} --hidden-dropout {}", model_.attention_dropout, model_.dropout);
    say("--tokenizer-type NullTokenizer --vocab-size {}", model_.vocabulary);
    say("--mock-data --train-iters 50 --lr 1e-4");
  }

  void degrees() {
    const Parallelism& parallelism = plan_.parallelism;
    using enum Axis;
    say("--tensor-model-parallel-size {}", parallelism.tensor);
    if (parallelism.context > 1) say("--context-parallel-size {}", parallelism.context);
    say("--pipeline-model-parallel-size {}", parallelism.pipeline);
    say_if(parallelism.order == std::vector{tensor, context, expert, pipeline, data},
           "--use-tp-pp-dp-mapping");
    say_if(parallelism.sequence_parallel && parallelism.tensor > 1, "--sequence-parallel");
  }

  void sharding() {
    const Parallelism& parallelism = plan_.parallelism;
    if (parallelism.sharding == Sharding::none) return;
    say("--use-distributed-optimizer");
    if (is_fsdp(parallelism)) {
      say("--use-megatron-fsdp --data-parallel-sharding-strategy {}",
          parallelism.sharding == Sharding::gradients ? "optim_grads" : "optim_grads_params");
      say("--no-gradient-accumulation-fusion --ckpt-format fsdp_dtensor");
    }
    const int group = parallelism.sharding_group;
    if (group > 0 && group < parallelism.data && parallelism.data % group == 0)
      say("--num-distributed-optimizer-instances {}", parallelism.data / group);
  }

  void stages() {
    const Parallelism& parallelism = plan_.parallelism;
    const bool pieces = parallelism.virtual_stages > 1;
    // Pieces would make it interleaved.
    if (pieces && parallelism.schedule != PipelineSchedule::interleaved) return;
    if (!parallelism.stage_layers.empty())
      say("--pipeline-model-parallel-layout '{}'", layout_of(parallelism.stage_layers));
    else if (pieces)
      say("--num-virtual-stages-per-pipeline-rank {}", parallelism.virtual_stages);
  }

  void batch_and_recomputation() {
    const Parallelism& parallelism = plan_.parallelism;
    say("--seq-length {}", parallelism.sequence_length);
    say("--micro-batch-size {}", parallelism.micro_batch);
    say("--global-batch-size {}", global_batch(parallelism));
    say_if(parallelism.recompute == Recompute::selective, "--recompute-granularity selective");
    if (parallelism.recompute == Recompute::full) {
      // A block is of a virtual stage, a plan's count of a stage.
      const bool some = parallelism.recompute_layers > 0 && parallelism.virtual_stages == 1;
      say("--recompute-granularity full --recompute-method {} --recompute-num-layers {}",
          some ? "block" : "uniform", some ? parallelism.recompute_layers : 1);
    }
    say("--attention-backend {}",
        parallelism.attention == AttentionChoice::flash ? "flash" : "unfused");
    // TransformerConfig takes no recomputation in a graph of the whole step.
    if (plan_.host_net.launch != Launch::graphs || parallelism.recompute != Recompute::none) return;
    say("--cuda-graph-impl local --cuda-graph-scope full_iteration --te-rng-tracker");
    say("--no-check-for-nan-in-loss-and-grad");
  }

  void number_types() {
    const Parallelism& parallelism = plan_.parallelism;
    const DataType compute = parallelism.compute_type, gradients = parallelism.gradient_type;
    const bool bf16 = compute == DataType::bf16 || compute == DataType::fp8;
    say_if(bf16, "--bf16");
    say_if(compute == DataType::fp16, "--fp16");
    say_if(bf16 && gradients == DataType::bf16, "--grad-reduce-in-bf16");
    say_if(compute == DataType::fp16 && gradients == DataType::fp32,
           "--accumulate-allreduce-grads-in-fp32");
    if (compute != DataType::fp8) return;
    const Float8Recipe& float8 = parallelism.float8;
    switch (float8.scaling) {
      case Float8Scaling::delayed:
        return say(
            "--fp8-format hybrid --fp8-recipe delayed --fp8-amax-history-len {} "
            "--fp8-amax-compute-algo max --fp8-margin {}",
            float8.history, float8.margin);
      case Float8Scaling::current:
        return say("--fp8-format hybrid --fp8-recipe tensorwise");
      case Float8Scaling::block:
        return say("--fp8-format hybrid --fp8-recipe blockwise");
    }
  }

  void update() {
    const Parallelism& parallelism = plan_.parallelism;
    say_if(parallelism.optimizer == Optimizer::adamw, "--optimizer adam");
    say_if(parallelism.optimizer == Optimizer::sgd, "--optimizer sgd");
    say("--clip-grad {}", parallelism.clipping == Clipping::none ? "0.0" : "1.0");
  }

  void communication() {
    const Ccl& ccl = plan_.ccl;
    const Parallelism& parallelism = plan_.parallelism;
    const bool shared = parallelism.sharding != Sharding::none;
    say_if(ccl.overlap_gradients, "--overlap-grad-reduce");
    say_if(shared && ccl.overlap_gradients && ccl.overlap_parameters, "--overlap-param-gather");
    say_if(ccl.overlap_tensor && parallelism.sequence_parallel && parallelism.tensor > 1,
           "--tp-comm-overlap");
    if (!ccl.overlap_gradients || is_fsdp(parallelism)) return;
    const double parameters = ccl.bucket.value / size_of(parallelism.gradient_type).value;
    if (ccl.bucket.value == 0)
      say("--ddp-num-buckets 1");
    else if (parameters >= 1 && parameters <= std::numeric_limits<int>::max() &&
             std::floor(parameters) == parameters)
      say("--ddp-bucket-size {}", static_cast<int>(parameters));
  }

  const Plan& plan_;
  const Model& model_;
  std::vector<std::string> lines_;
};

std::string environment(const Plan& plan, const Topology& topology) {
  std::string all;
  if (wants_one_connection(plan.parallelism, topology))
    all += "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
  const std::vector<EnvironmentVariable> variables = nccl_environment(plan);
  if (!variables.empty()) all += "# They hold for the whole process: for all axes alike.\n";
  for (const EnvironmentVariable& each : variables)
    all += fmt::format("export {}={}\n", each.name, each.value);
  return all;
}

}  // namespace

bool wants_one_connection(const Parallelism& parallelism, const Topology& topology) {
  const bool split = parallelism.tensor > 1 || parallelism.context > 1;
  const int generation = topology.gpu_specs.empty() ? 0 : topology.gpu_specs.front().sm_version;
  return split && !is_fsdp(parallelism) && generation < 100;
}

std::vector<std::string> said(const Plan& plan, const Model& model) {
  return Writer(plan, model).all();
}

std::string written(const Plan& plan, const Model& model, const Topology& topology) {
  const std::size_t hosts = std::max<std::size_t>(topology.hosts.size(), 1);
  std::string text = fmt::format(
      "#!/usr/bin/env bash\n"
      "# {}: {} on {}, in words of Megatron-LM. Run it in Megatron-LM's folder, on each host with\n"
      "# its NODE_RANK and the first one's MASTER_ADDR.\n"
      "set -euo pipefail\n{}"
      "torchrun \\\n"
      "  --nproc_per_node {} --nnodes {} --node_rank \"${{NODE_RANK:-0}}\" \\\n"
      "  --master_addr \"${{MASTER_ADDR:-localhost}}\" --master_port \"${{MASTER_PORT:-6000}}\" "
      "\\\n"
      "  pretrain_gpt.py",
      shown(plan.name, 100), shown(model.name, 100), shown(topology.name, 100),
      environment(plan, topology), static_cast<std::size_t>(world_size(plan.parallelism)) / hosts,
      hosts);
  for (const std::string& line : said(plan, model)) text += " \\\n  " + line;
  return text + "\n";
}

std::string reason(const Plan& plan, std::string_view field) {
  const Parallelism& parallelism = plan.parallelism;
  if (field == "parallelism.order")
    return "it has tp-cp-ep-dp-pp and, with --use-tp-pp-dp-mapping, tp-cp-ep-pp-dp";
  if (field == "parallelism.schedule" || field == "parallelism.warm_ups" ||
      field == "parallelism.stage_times")
    return "its pipelines are 1f1b and interleaved";
  if (field == "parallelism.virtual_stages") return "its pieces are those of interleaved";
  if (field == "parallelism.split_backward") return "B and W are one pass";
  if (field == "parallelism.clipping") return "it clips by the norm of all reduced gradients";
  if (field == "parallelism.optimizer") return "it has adam, sgd and muon";
  if (field == "parallelism.loss_scaling") return "losses are scaled with --fp16, and only there";
  if (field == "parallelism.gradient_type")
    return "gradients are of fp32, with --grad-reduce-in-bf16 of bf16, with --fp16 of fp16";
  if (field == "parallelism.compute_type") return "it has fp32, --bf16, --fp16 and --fp8-format";
  if (field == "parallelism.master_weights")
    return "weights of 16 bits always have fp32 ones beside";
  if (field == "parallelism.moment_type") return "its --exp-avg-dtype has fp32, fp16 and fp8";
  if (field.starts_with("parallelism.fp8")) return "it is of --fp8-format and the recipe delayed";
  if (field == "parallelism.recompute_layers")
    return "a block (--recompute-num-layers) is of a virtual stage";
  if (field == "parallelism.sharding_group")
    return "copies (--num-distributed-optimizer-instances) are smaller than the data axis and "
           "divide it";
  if (field.starts_with("parallelism.offload"))
    return "its --optimizer-cpu-offload updates on the processors instead";
  if (field.starts_with("parallelism.replicator"))
    return "whole gradients are summed in every step";
  if (field == "parallelism.expert") return "no mixture of experts is modelled";
  if (field == "ccl.overlap_parameters")
    return parallelism.sharding == Sharding::none
               ? "nothing is sharded: it has no effect"
               : "--overlap-param-gather needs --overlap-grad-reduce";
  if (field == "ccl.overlap_tensor") return "--tp-comm-overlap needs --sequence-parallel";
  if (field == "ccl.bucket")
    return is_fsdp(parallelism) ? "Megatron FSDP sends layer by layer"
           : plan.ccl.overlap_gradients
               ? "--ddp-bucket-size is a whole number of parameters, up to 2147483647"
               : "without --overlap-grad-reduce there is one bucket";
  if (field == "host_net.launch")
    return "CUDA graphs of the whole step exclude --recompute-granularity";
  const std::string of_nccl = nccl_reason(plan, field);
  return of_nccl.empty() ? "it has no argument for it" : of_nccl;
}

}  // namespace quintet::megatron
