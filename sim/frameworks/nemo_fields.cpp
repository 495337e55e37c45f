#include <algorithm>
#include <array>

#include "sim/frameworks/megatron.h"
#include "sim/frameworks/nemo.h"

namespace quintet::nemo {
namespace {

using enum Literal;

// A recipe has values of its own, so that what decides a plan is written even where it is usual.
constexpr std::array field_table{
    FieldRow{"model.num_layers", "--num-layers"},
    FieldRow{"model.hidden_size", "--hidden-size"},
    FieldRow{"model.ffn_hidden_size", "--ffn-hidden-size"},
    FieldRow{"model.num_attention_heads", "--num-attention-heads"},
    FieldRow{"model.num_query_groups", "--num-query-groups", number, "None"},
    FieldRow{"model.kv_channels", "--kv-channels"},
    FieldRow{"model.seq_length", "--seq-length"},
    FieldRow{"dataset.seq_length", "--seq-length"},
    FieldRow{"train.micro_batch_size", "--micro-batch-size"},
    FieldRow{"train.global_batch_size", "--global-batch-size"},
    FieldRow{"model.tensor_model_parallel_size", "--tensor-model-parallel-size"},
    FieldRow{"model.context_parallel_size", "--context-parallel-size", number, "1"},
    FieldRow{"model.expert_model_parallel_size", "--expert-model-parallel-size", number, "1"},
    FieldRow{"model.pipeline_model_parallel_size", "--pipeline-model-parallel-size"},
    FieldRow{"model.virtual_pipeline_model_parallel_size", "--num-virtual-stages-per-pipeline-rank",
             number, "None"},
    FieldRow{"model.pipeline_model_parallel_layout", "--pipeline-model-parallel-layout", quoted,
             "None"},
    FieldRow{"model.num_layers_in_first_pipeline_stage", "--decoder-first-pipeline-num-layers",
             number, "None"},
    FieldRow{"model.num_layers_in_last_pipeline_stage", "--decoder-last-pipeline-num-layers",
             number, "None"},
    FieldRow{"model.account_for_embedding_in_pipeline_split",
             "--account-for-embedding-in-pipeline-split", flag, "False"},
    FieldRow{"model.account_for_loss_in_pipeline_split", "--account-for-loss-in-pipeline-split",
             flag, "False"},
    FieldRow{"model.sequence_parallel", "--sequence-parallel", flag, "False"},
    FieldRow{"dist.use_tp_pp_dp_mapping", "--use-tp-pp-dp-mapping", flag, "False"},
    FieldRow{"dist.use_megatron_fsdp", "--use-megatron-fsdp", flag, "False"},
    FieldRow{"dist.use_torch_fsdp2", "--use-torch-fsdp2", flag, "False"},
    FieldRow{"ddp.use_megatron_fsdp", "--use-megatron-fsdp", flag, "False"},
    FieldRow{"ddp.data_parallel_sharding_strategy", "--data-parallel-sharding-strategy", quoted,
             "\"no_shard\""},
    FieldRow{"ddp.use_distributed_optimizer", "--use-distributed-optimizer", flag, "False"},
    FieldRow{"optimizer.use_distributed_optimizer", "--use-distributed-optimizer", flag, "False"},
    FieldRow{"ddp.num_distributed_optimizer_instances", "--num-distributed-optimizer-instances",
             number, "1"},
    FieldRow{"ddp.overlap_grad_reduce", "--overlap-grad-reduce", flag, "False"},
    FieldRow{"ddp.overlap_param_gather", "--overlap-param-gather", flag, "False"},
    FieldRow{"optimizer.overlap_param_gather", "--overlap-param-gather", flag, "False"},
    FieldRow{"ddp.bucket_size", "--ddp-bucket-size", number, "None"},
    FieldRow{"model.tp_comm_overlap", "--tp-comm-overlap", flag, "False"},
    FieldRow{"model.gradient_accumulation_fusion", "--no-gradient-accumulation-fusion", negated},
    FieldRow{"checkpoint.ckpt_format", "--ckpt-format", quoted},
    FieldRow{"model.recompute_granularity", "--recompute-granularity", quoted, "None"},
    FieldRow{"model.recompute_method", "--recompute-method", quoted, "None"},
    FieldRow{"model.recompute_num_layers", "--recompute-num-layers", number, "None"},
    FieldRow{"model.attention_backend", "--attention-backend", backend},
    FieldRow{"model.cuda_graph_impl", "--cuda-graph-impl", quoted, "\"none\""},
    FieldRow{"model.cuda_graph_scope", "--cuda-graph-scope", quoted_list, "[]"},
    FieldRow{"rng.te_rng_tracker", "--te-rng-tracker", flag},
    FieldRow{"rerun_state_machine.check_for_nan_in_loss", "--no-check-for-nan-in-loss-and-grad",
             negated},
    FieldRow{"ddp.check_for_nan_in_grad", "--no-check-for-nan-in-loss-and-grad", negated},
    FieldRow{"optimizer.optimizer", "--optimizer", quoted},
    FieldRow{"optimizer.clip_grad", "--clip-grad"},
    FieldRow{"optimizer.optimizer_cpu_offload", "--optimizer-cpu-offload", flag, "False"},
    FieldRow{"optimizer.use_precision_aware_optimizer", "--use-precision-aware-optimizer", flag,
             "False"}};

// Those that are not one argument each, and what a plan leaves to the training.
constexpr std::array further{
    ArgumentRow{"mixed_precision.bf16", ArgumentType::flag, "parallelism.compute_type"},
    ArgumentRow{"mixed_precision.fp16", ArgumentType::flag, "parallelism.compute_type"},
    ArgumentRow{"mixed_precision.fp32", ArgumentType::flag, "parallelism.compute_type"},
    ArgumentRow{"mixed_precision.params_dtype", ArgumentType::text},
    ArgumentRow{"mixed_precision.pipeline_dtype", ArgumentType::text},
    ArgumentRow{"mixed_precision.grad_reduce_in_fp32", ArgumentType::flag,
                "parallelism.gradient_type"},
    ArgumentRow{"mixed_precision.fp8", ArgumentType::text, "parallelism.compute_type",
                "e4m3|hybrid"},
    ArgumentRow{"mixed_precision.fp8_recipe", ArgumentType::text, "parallelism.fp8.scaling",
                "tensorwise|delayed|mxfp8|blockwise"},
    ArgumentRow{"mixed_precision.fp8_amax_history_len", ArgumentType::integer,
                "parallelism.fp8.history"},
    ArgumentRow{"mixed_precision.fp8_amax_compute_algo", ArgumentType::text,
                "parallelism.fp8.history", "most_recent|max"},
    ArgumentRow{"mixed_precision.fp8_margin", ArgumentType::integer, "parallelism.fp8.margin"},
    ArgumentRow{"mixed_precision.autocast_enabled", ArgumentType::flag},
    ArgumentRow{"mixed_precision.loss_scale", ArgumentType::real, "parallelism.loss_scaling"},
    ArgumentRow{"comm_overlap.tp_comm_overlap", ArgumentType::flag, "ccl.overlap_tensor"},
    ArgumentRow{"comm_overlap.overlap_grad_reduce", ArgumentType::flag, "ccl.overlap_gradients"},
    ArgumentRow{"comm_overlap.overlap_param_gather", ArgumentType::flag, "ccl.overlap_parameters"},
    ArgumentRow{"comm_overlap.bucket_size", ArgumentType::integer, "ccl.bucket"},
    ArgumentRow{"comm_overlap.tp_comm_bootstrap_backend", ArgumentType::text},
    ArgumentRow{"comm_overlap.overlap_p2p_comm", ArgumentType::flag},
    ArgumentRow{"comm_overlap.batch_p2p_comm", ArgumentType::flag},
    ArgumentRow{"comm_overlap.align_param_gather", ArgumentType::flag},
    ArgumentRow{"train.train_iters", ArgumentType::integer},
    ArgumentRow{"train.train_samples", ArgumentType::integer},
    ArgumentRow{"optimizer.lr", ArgumentType::real},
    ArgumentRow{"optimizer.min_lr", ArgumentType::real},
    ArgumentRow{"optimizer.weight_decay", ArgumentType::real}};

// The type of Megatron-LM's argument under the field's name.
std::vector<ArgumentRow> rows() {
  std::vector<ArgumentRow> all;
  for (const FieldRow& each : field_table) {
    ArgumentRow row = *row_of(megatron::arguments(), each.argument);
    row.name = each.path;
    all.push_back(row);
  }
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

struct Spelling {
  std::string_view argument, path;
};
constexpr std::array spellings{
    Spelling{"--bf16", "mixed_precision.bf16"},
    Spelling{"--fp16", "mixed_precision.fp16"},
    Spelling{"--grad-reduce-in-bf16", "mixed_precision.grad_reduce_in_fp32 = False"},
    Spelling{"--accumulate-allreduce-grads-in-fp32", "mixed_precision.grad_reduce_in_fp32"},
    Spelling{"--fp8-format", "mixed_precision.fp8"},
    Spelling{"--fp8-recipe", "mixed_precision.fp8_recipe"},
    Spelling{"--fp8-amax-history-len", "mixed_precision.fp8_amax_history_len"},
    Spelling{"--fp8-amax-compute-algo", "mixed_precision.fp8_amax_compute_algo"},
    Spelling{"--fp8-margin", "mixed_precision.fp8_margin"},
    Spelling{"--loss-scale", "mixed_precision.loss_scale"},
    Spelling{"--exp-avg-dtype", "optimizer.exp_avg_dtype"}};

// Empty: there is none.
std::string_view path_of(std::string_view argument) {
  for (const FieldRow& each : field_table)
    if (each.argument == argument) return each.path;
  for (const Spelling& each : spellings)
    if (each.argument == argument) return each.path;
  return "";
}

}  // namespace

std::string in_fields(std::string_view message) {
  std::string all;
  while (!message.empty()) {
    const std::size_t start = message.find("--");
    all += message.substr(0, start);
    if (start == std::string_view::npos) break;
    message.remove_prefix(start);
    const std::size_t end = std::min(
        message.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), message.size());
    const std::string_view path = path_of(message.substr(0, end));
    all += path.empty() ? message.substr(0, end) : path;
    message.remove_prefix(end);
  }
  return all;
}

std::span<const FieldRow> fields() {
  return field_table;
}

std::span<const ArgumentRow> arguments() {
  static const std::vector<ArgumentRow> all = rows();
  return all;
}

}  // namespace quintet::nemo
