#include <array>

#include "sim/frameworks/torchtitan.h"

namespace quintet::torchtitan {
namespace {

using enum ArgumentType;

// Flags are TOML's true and false.
constexpr std::array table{
    ArgumentRow{"parallelism.tensor_parallel_degree", integer, "parallelism.tensor"},
    ArgumentRow{"parallelism.context_parallel_degree", integer, "parallelism.context"},
    ArgumentRow{"parallelism.expert_parallel_degree", integer, "parallelism.expert"},
    ArgumentRow{"parallelism.pipeline_parallel_degree", integer, "parallelism.pipeline"},
    ArgumentRow{"parallelism.data_parallel_replicate_degree", integer, "parallelism.data"},
    ArgumentRow{"parallelism.data_parallel_shard_degree", integer, "parallelism.sharding_group"},
    ArgumentRow{"parallelism.fsdp_reshard_after_forward", text, "parallelism.sharding",
                "default|always|never"},
    ArgumentRow{"parallelism.enable_async_tensor_parallel", flag, "ccl.overlap_tensor"},
    ArgumentRow{"parallelism.pipeline_parallel_schedule", text, "parallelism.schedule"},
    ArgumentRow{"parallelism.pipeline_parallel_microbatch_size", integer,
                "parallelism.micro_batch"},
    ArgumentRow{"parallelism.pipeline_parallel_first_stage_less_layers", integer,
                "parallelism.stage_layers"},
    ArgumentRow{"parallelism.pipeline_parallel_last_stage_less_layers", integer,
                "parallelism.stage_layers"},
    ArgumentRow{"parallelism.pipeline_parallel_layers_per_stage", integer,
                "parallelism.virtual_stages"},
    ArgumentRow{"training.local_batch_size", integer, "parallelism.micro_batch"},
    ArgumentRow{"training.global_batch_size", integer, "parallelism.micro_batches"},
    ArgumentRow{"training.seq_len", integer, "parallelism.sequence_length"},
    ArgumentRow{"training.max_norm", real, "parallelism.clipping"},
    ArgumentRow{"training.mixed_precision_param", text, "parallelism.compute_type",
                "bfloat16|float32"},
    ArgumentRow{"training.mixed_precision_reduce", text, "parallelism.gradient_type", "float32"},
    ArgumentRow{"activation_checkpoint.mode", text, "parallelism.recompute", "selective|full|none"},
    ArgumentRow{"activation_checkpoint.selective_ac_option", text, "parallelism.recompute"},
    ArgumentRow{"float8.recipe_name", text, "parallelism.fp8.scaling",
                "tensorwise|rowwise|rowwise_with_gw_hp"},
    ArgumentRow{"model.converters", text, "parallelism.compute_type"},
    ArgumentRow{"training.enable_cpu_offload", flag, "parallelism.offload"},
    ArgumentRow{"optimizer.name", text, "parallelism.optimizer"},
    // What a plan leaves to the model and the training.
    ArgumentRow{"job.description", text}, ArgumentRow{"job.dump_folder", text},
    ArgumentRow{"model.name", text}, ArgumentRow{"model.flavor", text},
    ArgumentRow{"model.tokenizer_path", text}, ArgumentRow{"optimizer.lr", real},
    ArgumentRow{"optimizer.eps", real}, ArgumentRow{"lr_scheduler.warmup_steps", integer},
    ArgumentRow{"training.steps", integer}, ArgumentRow{"training.dataset", text},
    ArgumentRow{"training.compile", flag}, ArgumentRow{"compile.enable", flag},
    ArgumentRow{"profiling.enable_profiling", flag}, ArgumentRow{"metrics.log_freq", integer},
    ArgumentRow{"metrics.enable_tensorboard", flag},
    ArgumentRow{"checkpoint.enable_checkpoint", flag}, ArgumentRow{"checkpoint.folder", text},
    ArgumentRow{"checkpoint.interval", integer}};

}  // namespace

std::span<const ArgumentRow> arguments() {
  return table;
}

}  // namespace quintet::torchtitan
