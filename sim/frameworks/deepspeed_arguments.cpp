#include <array>

#include "sim/frameworks/deepspeed.h"

namespace quintet::deepspeed {
namespace {

using enum ArgumentType;

constexpr std::string_view element_types =
    "fp32|float32|float|torch.float32|fp16|float16|half|torch.float16|bf16|bfloat16|torch.bfloat16";

// Sizes in elements are real: DeepSpeed takes 5e8 as well as 500000000.
constexpr std::array table{
    ArgumentRow{"train_batch_size", integer, "parallelism.micro_batches"},
    ArgumentRow{"train_micro_batch_size_per_gpu", integer, "parallelism.micro_batch"},
    ArgumentRow{"gradient_accumulation_steps", integer, "parallelism.micro_batches"},
    ArgumentRow{"zero_optimization.stage", integer, "parallelism.sharding"},
    // Its default is not false at every stage.
    ArgumentRow{"zero_optimization.overlap_comm", text, "ccl.overlap_gradients", "true|false"},
    ArgumentRow{"zero_optimization.reduce_bucket_size", real, "ccl.bucket"},
    ArgumentRow{"zero_optimization.stage3_prefetch_bucket_size", real, "ccl.overlap_parameters"},
    ArgumentRow{"zero_optimization.mics_shard_size", integer, "parallelism.sharding_group"},
    ArgumentRow{"zero_optimization.zero_hpz_partition_size", integer, "parallelism.sharding_group"},
    ArgumentRow{"zero_optimization.zero_quantized_weights", flag},
    ArgumentRow{"zero_optimization.zero_quantized_gradients", flag},
    ArgumentRow{"zero_optimization.offload_optimizer.device", text, "parallelism.offload.optimizer",
                "none|cpu|nvme"},
    ArgumentRow{"zero_optimization.offload_optimizer.ratio", real, "parallelism.offload.optimizer"},
    ArgumentRow{"zero_optimization.offload_param.device", text, "", "none|cpu|nvme"},
    ArgumentRow{"bf16.enabled", flag, "parallelism.compute_type"},
    ArgumentRow{"bfloat16.enabled", flag, "parallelism.compute_type"},
    ArgumentRow{"bf16.bf16_master_weights_and_grads", flag, "parallelism.master_weights"},
    ArgumentRow{"bf16.bf16_optimizer_states", flag, "parallelism.moment_type"},
    ArgumentRow{"fp16.enabled", flag, "parallelism.compute_type"},
    ArgumentRow{"fp16.loss_scale", real, "parallelism.loss_scaling"},
    ArgumentRow{"fp16.fp16_master_weights_and_grads", flag, "parallelism.master_weights"},
    ArgumentRow{"data_types.grad_accum_dtype", text, "parallelism.gradient_type", element_types},
    ArgumentRow{"communication_data_type", text, "parallelism.gradient_type",
                "fp32|fp16|bf16|FP32|FP16|BF16"},
    ArgumentRow{"gradient_clipping", real, "parallelism.clipping"},
    ArgumentRow{"optimizer.type", text, "parallelism.optimizer"},
    ArgumentRow{"optimizer.params.max_grad_norm", real},
    ArgumentRow{"activation_checkpointing.number_checkpoints", integer, "parallelism.recompute"},
    ArgumentRow{"activation_checkpointing.partition_activations", flag},
    ArgumentRow{"activation_checkpointing.cpu_checkpointing", flag,
                "parallelism.offload.activations"},
    ArgumentRow{"pipeline.stages", integer, "parallelism.pipeline"},
    ArgumentRow{"pipeline.activation_checkpoint_interval", integer, "parallelism.recompute"},
    ArgumentRow{"tensor_parallel.autotp_size", integer, "parallelism.tensor"},
    ArgumentRow{"tensor_parallel.overlap_comm", flag, "ccl.overlap_tensor"},
    ArgumentRow{"sequence_parallel_size", integer, "parallelism.context"},
    ArgumentRow{"graph_harvesting", flag, "host_net.launch"},
    ArgumentRow{"quintet.ranks", integer, "parallelism.data"},
    ArgumentRow{"quintet.sequence_length", integer, "parallelism.sequence_length"},
    ArgumentRow{"quintet.topology.pipe", integer, "parallelism.pipeline"},
    ArgumentRow{"quintet.topology.data", integer, "parallelism.data"},
    ArgumentRow{"quintet.topology.model", integer, "parallelism.tensor"},
    // What a plan leaves to the training.
    ArgumentRow{"bf16.immediate_grad_update", flag}, ArgumentRow{"bf16.check_grad_overflow", flag},
    ArgumentRow{"fp16.auto_cast", flag}, ArgumentRow{"fp16.initial_scale_power", integer},
    ArgumentRow{"fp16.loss_scale_window", integer}, ArgumentRow{"fp16.hysteresis", integer},
    ArgumentRow{"fp16.consecutive_hysteresis", flag}, ArgumentRow{"fp16.min_loss_scale", real},
    ArgumentRow{"zero_optimization.contiguous_gradients", flag},
    ArgumentRow{"zero_optimization.reduce_scatter", flag},
    ArgumentRow{"zero_optimization.allgather_partitions", flag},
    ArgumentRow{"zero_optimization.allgather_bucket_size", real},
    ArgumentRow{"zero_optimization.sub_group_size", real},
    ArgumentRow{"zero_optimization.round_robin_gradients", flag},
    ArgumentRow{"zero_optimization.stage3_max_live_parameters", real},
    ArgumentRow{"zero_optimization.stage3_max_reuse_distance", real},
    ArgumentRow{"zero_optimization.stage3_param_persistence_threshold", real},
    ArgumentRow{"zero_optimization.stage3_gather_16bit_weights_on_model_save", flag},
    ArgumentRow{"zero_optimization.offload_optimizer.pin_memory", flag},
    ArgumentRow{"zero_optimization.offload_param.pin_memory", flag},
    ArgumentRow{"activation_checkpointing.contiguous_memory_optimization", flag},
    ArgumentRow{"activation_checkpointing.synchronize_checkpoint_boundary", flag},
    ArgumentRow{"activation_checkpointing.profile", flag}, ArgumentRow{"pipeline.partition", text},
    ArgumentRow{"pipeline.seed_layers", flag}, ArgumentRow{"pipeline.pipe_partitioned", flag},
    ArgumentRow{"pipeline.grad_partitioned", flag}, ArgumentRow{"pipeline.use_reentrant", flag},
    ArgumentRow{"zero_allow_untested_optimizer", flag},
    ArgumentRow{"zero_force_ds_cpu_optimizer", flag}, ArgumentRow{"steps_per_print", integer},
    ArgumentRow{"wall_clock_breakdown", flag}, ArgumentRow{"memory_breakdown", flag},
    ArgumentRow{"dump_state", flag}, ArgumentRow{"prescale_gradients", flag},
    ArgumentRow{"gradient_predivide_factor", real}, ArgumentRow{"sparse_gradients", flag},
    ArgumentRow{"dataloader_drop_last", flag}};

}  // namespace

std::span<const ArgumentRow> arguments() {
  return table;
}

bool sums_after_backward(Sharding sharding, DataType compute, DataType gradients) {
  return sharding == Sharding::none || (sharding == Sharding::optimizer &&
                                        compute == DataType::bf16 && gradients == DataType::fp32);
}

}  // namespace quintet::deepspeed
