#include <array>

#include "sim/frameworks/megatron.h"

namespace quintet::megatron {
namespace {

using enum ArgumentType;

constexpr std::array table{
    ArgumentRow{"--tensor-model-parallel-size", integer, "parallelism.tensor"},
    ArgumentRow{"--context-parallel-size", integer, "parallelism.context"},
    ArgumentRow{"--expert-model-parallel-size", integer, "parallelism.expert"},
    ArgumentRow{"--pipeline-model-parallel-size", integer, "parallelism.pipeline"},
    ArgumentRow{"--use-tp-pp-dp-mapping", flag, "parallelism.order"},
    ArgumentRow{"--sequence-parallel", flag, "parallelism.sequence_parallel"},
    ArgumentRow{"--use-distributed-optimizer", flag, "parallelism.sharding"},
    ArgumentRow{"--use-megatron-fsdp", flag, "parallelism.sharding"},
    ArgumentRow{"--data-parallel-sharding-strategy", text, "parallelism.sharding",
                "no_shard|optim|optim_grads|optim_grads_params"},
    ArgumentRow{"--use-torch-fsdp2", flag, "parallelism.sharding"},
    ArgumentRow{"--torch-fsdp2-no-reshard-after-forward", flag, "parallelism.sharding"},
    ArgumentRow{"--num-distributed-optimizer-instances", integer, "parallelism.sharding_group"},
    ArgumentRow{"--num-layers-per-virtual-pipeline-stage", integer, "parallelism.virtual_stages"},
    ArgumentRow{"--num-virtual-stages-per-pipeline-rank", integer, "parallelism.virtual_stages"},
    ArgumentRow{"--pipeline-model-parallel-layout", text, "parallelism.stage_layers"},
    ArgumentRow{"--seq-length", integer, "parallelism.sequence_length"},
    ArgumentRow{"--micro-batch-size", integer, "parallelism.micro_batch"},
    ArgumentRow{"--global-batch-size", integer, "parallelism.micro_batches"},
    ArgumentRow{"--recompute-activations", flag, "parallelism.recompute"},
    ArgumentRow{"--recompute-granularity", text, "parallelism.recompute", "full|selective"},
    ArgumentRow{"--recompute-method", text, "parallelism.recompute_layers", "uniform|block"},
    ArgumentRow{"--recompute-num-layers", integer, "parallelism.recompute_layers"},
    ArgumentRow{"--attention-backend", text, "parallelism.attention",
                "flash|fused|unfused|local|auto"},
    ArgumentRow{"--use-flash-attn", flag, "parallelism.attention"},
    ArgumentRow{"--bf16", flag, "parallelism.compute_type"},
    ArgumentRow{"--fp16", flag, "parallelism.compute_type"},
    ArgumentRow{"--fp8-format", text, "parallelism.compute_type", "e4m3|hybrid"},
    ArgumentRow{"--fp8-recipe", text, "parallelism.fp8.scaling",
                "tensorwise|delayed|mxfp8|blockwise|custom"},
    ArgumentRow{"--fp8-amax-history-len", integer, "parallelism.fp8.history"},
    ArgumentRow{"--fp8-amax-compute-algo", text, "parallelism.fp8.history", "most_recent|max"},
    ArgumentRow{"--fp8-margin", integer, "parallelism.fp8.margin"},
    ArgumentRow{"--accumulate-allreduce-grads-in-fp32", flag, "parallelism.gradient_type"},
    ArgumentRow{"--grad-reduce-in-bf16", flag, "parallelism.gradient_type"},
    ArgumentRow{"--optimizer", text, "parallelism.optimizer", "adam|sgd|muon|dist_muon"},
    ArgumentRow{"--clip-grad", real, "parallelism.clipping"},
    ArgumentRow{"--loss-scale", real, "parallelism.loss_scaling"},
    ArgumentRow{"--optimizer-cpu-offload", flag, "parallelism.offload.optimizer"},
    ArgumentRow{"--use-precision-aware-optimizer", flag, "parallelism.moment_type"},
    ArgumentRow{"--exp-avg-dtype", text, "parallelism.moment_type", "fp32|fp16|fp8"},
    ArgumentRow{"--exp-avg-sq-dtype", text, "parallelism.moment_type", "fp32|fp16|fp8"},
    ArgumentRow{"--overlap-grad-reduce", flag, "ccl.overlap_gradients"},
    ArgumentRow{"--overlap-param-gather", flag, "ccl.overlap_parameters"},
    ArgumentRow{"--tp-comm-overlap", flag, "ccl.overlap_tensor"},
    ArgumentRow{"--ddp-num-buckets", integer, "ccl.bucket"},
    ArgumentRow{"--ddp-bucket-size", integer, "ccl.bucket"},
    ArgumentRow{"--cuda-graph-impl", text, "host_net.launch", "none|local|transformer_engine"},
    ArgumentRow{"--cuda-graph-scope", text, "host_net.launch", "full|attn|full_iteration"},
    // What a plan leaves to the model, the launcher and the training.
    ArgumentRow{"--no-overlap-p2p-communication", flag}, ArgumentRow{"--num-layers", integer},
    ArgumentRow{"--hidden-size", integer}, ArgumentRow{"--ffn-hidden-size", integer},
    ArgumentRow{"--num-attention-heads", integer}, ArgumentRow{"--kv-channels", integer},
    ArgumentRow{"--group-query-attention", flag}, ArgumentRow{"--num-query-groups", integer},
    ArgumentRow{"--max-position-embeddings", integer},
    ArgumentRow{"--position-embedding-type", text, "", "learned_absolute|rope|mrope|relative|none"},
    ArgumentRow{"--normalization", text, "", "LayerNorm|RMSNorm"}, ArgumentRow{"--swiglu", flag},
    ArgumentRow{"--disable-bias-linear", flag}, ArgumentRow{"--add-qkv-bias", flag},
    ArgumentRow{"--qk-layernorm", flag}, ArgumentRow{"--untie-embeddings-and-output-weights", flag},
    ArgumentRow{"--attention-dropout", real}, ArgumentRow{"--hidden-dropout", real},
    ArgumentRow{"--vocab-size", integer}, ArgumentRow{"--tokenizer-type", text},
    ArgumentRow{"--tokenizer-model", text}, ArgumentRow{"--mock-data", flag},
    ArgumentRow{"--data-path", text}, ArgumentRow{"--split", text},
    ArgumentRow{"--train-iters", integer}, ArgumentRow{"--train-samples", integer},
    ArgumentRow{"--lr", real}, ArgumentRow{"--min-lr", real},
    ArgumentRow{"--lr-decay-style", text, "", "constant|linear|cosine|inverse-square-root|WSD"},
    ArgumentRow{"--lr-decay-iters", integer}, ArgumentRow{"--lr-warmup-iters", integer},
    ArgumentRow{"--lr-warmup-fraction", real}, ArgumentRow{"--weight-decay", real},
    ArgumentRow{"--adam-beta1", real}, ArgumentRow{"--adam-beta2", real},
    ArgumentRow{"--adam-eps", real}, ArgumentRow{"--init-method-std", real},
    ArgumentRow{"--seed", integer}, ArgumentRow{"--save", text}, ArgumentRow{"--load", text},
    ArgumentRow{"--save-interval", integer}, ArgumentRow{"--log-interval", integer},
    ArgumentRow{"--eval-interval", integer}, ArgumentRow{"--eval-iters", integer},
    ArgumentRow{"--tensorboard-dir", text}, ArgumentRow{"--log-throughput", flag},
    ArgumentRow{"--ckpt-format", text, "", "torch|torch_dist|zarr|torch_dcp|fsdp_dtensor"},
    ArgumentRow{"--distributed-backend", text, "", "nccl|gloo"},
    ArgumentRow{"--distributed-timeout-minutes", integer},
    ArgumentRow{"--no-gradient-accumulation-fusion", flag},
    ArgumentRow{"--no-check-for-nan-in-loss-and-grad", flag}, ArgumentRow{"--te-rng-tracker", flag},
    ArgumentRow{"--transformer-impl", text, "", "local|transformer_engine"},
    ArgumentRow{"--use-mcore-models", flag},
    // torchrun's own; argparse takes "-" and "_" alike there, both are in use.
    ArgumentRow{"--nproc_per_node", text}, ArgumentRow{"--nproc-per-node", text},
    ArgumentRow{"--nnodes", text}, ArgumentRow{"--node_rank", text},
    ArgumentRow{"--node-rank", text}, ArgumentRow{"--master_addr", text},
    ArgumentRow{"--master-addr", text}, ArgumentRow{"--master_port", text},
    ArgumentRow{"--master-port", text}, ArgumentRow{"--rdzv-backend", text},
    ArgumentRow{"--rdzv-endpoint", text}, ArgumentRow{"--rdzv-id", text},
    ArgumentRow{"--rdzv_backend", text}, ArgumentRow{"--rdzv_endpoint", text},
    ArgumentRow{"--rdzv_id", text}};

}  // namespace

std::span<const ArgumentRow> arguments() {
  return table;
}

}  // namespace quintet::megatron
