"""Megatron-Bridge's own rules, held to files that quintet wrote: python3 check_nemo.py FILE...

Python's own parser reads them. The table of fields is taken from the dataclasses of
github.com/NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge/training/config.py (4feb11f8) and
mixed_precision.py (d9f7643b), and of github.com/NVIDIA/Megatron-LM, megatron/core:
transformer/transformer_config.py (002526d8), model_parallel_config.py (02aa3ee4),
optimizer/optimizer_config.py (0075637c), distributed/distributed_data_parallel_config.py (00119989);
what excludes what from ConfigContainer.validate and Megatron-LM's validate_args.
"""
import ast
import sys

COUNT, MAYBE, FLAG, TEXT, NUMBER, NAME, LIST = "count maybe flag text number name list".split()
FIELDS = {
    "model": {"num_layers": COUNT, "hidden_size": COUNT, "ffn_hidden_size": MAYBE, "num_attention_heads": COUNT,
              "num_query_groups": MAYBE, "kv_channels": MAYBE, "seq_length": COUNT, "tensor_model_parallel_size": COUNT,
              "context_parallel_size": COUNT, "expert_model_parallel_size": COUNT, "pipeline_model_parallel_size": COUNT,
              "virtual_pipeline_model_parallel_size": MAYBE, "pipeline_model_parallel_layout": TEXT,
              "num_layers_in_first_pipeline_stage": MAYBE, "num_layers_in_last_pipeline_stage": MAYBE,
              "account_for_embedding_in_pipeline_split": FLAG, "account_for_loss_in_pipeline_split": FLAG,
              "sequence_parallel": FLAG, "tp_comm_overlap": FLAG, "gradient_accumulation_fusion": FLAG,
              "recompute_granularity": TEXT, "recompute_method": TEXT, "recompute_num_layers": MAYBE,
              "attention_backend": NAME, "cuda_graph_impl": TEXT, "cuda_graph_scope": LIST},
    "train": {"micro_batch_size": COUNT, "global_batch_size": COUNT},
    "dataset": {"seq_length": COUNT},
    "dist": {"use_tp_pp_dp_mapping": FLAG, "use_megatron_fsdp": FLAG, "use_torch_fsdp2": FLAG},
    "ddp": {"use_megatron_fsdp": FLAG, "data_parallel_sharding_strategy": TEXT, "use_distributed_optimizer": FLAG,
            "num_distributed_optimizer_instances": COUNT, "overlap_grad_reduce": FLAG, "overlap_param_gather": FLAG,
            "bucket_size": MAYBE, "check_for_nan_in_grad": FLAG},
    "optimizer": {"use_distributed_optimizer": FLAG, "overlap_param_gather": FLAG, "optimizer": TEXT,
                  "clip_grad": NUMBER, "optimizer_cpu_offload": FLAG, "use_precision_aware_optimizer": FLAG},
    "checkpoint": {"ckpt_format": TEXT},
    "rng": {"te_rng_tracker": FLAG},
    "rerun_state_machine": {"check_for_nan_in_loss": FLAG},
    "mixed_precision": {"bf16": FLAG, "fp16": FLAG, "fp32": FLAG, "params_dtype": NAME, "pipeline_dtype": NAME,
                        "grad_reduce_in_fp32": FLAG, "fp8": TEXT, "fp8_recipe": TEXT, "fp8_amax_history_len": COUNT,
                        "fp8_amax_compute_algo": TEXT, "fp8_margin": NUMBER},
}
WORDS = {
    "model.recompute_granularity": ("full", "selective"), "model.recompute_method": ("uniform", "block"),
    "model.cuda_graph_impl": ("none", "local", "transformer_engine"), "optimizer.optimizer": ("adam", "sgd", "muon"),
    "ddp.data_parallel_sharding_strategy": ("no_shard", "optim", "optim_grads", "optim_grads_params"),
    "mixed_precision.fp8": ("e4m3", "hybrid"), "mixed_precision.fp8_amax_compute_algo": ("most_recent", "max"),
    "mixed_precision.fp8_recipe": ("tensorwise", "delayed", "mxfp8", "blockwise"),
    "checkpoint.ckpt_format": ("torch_dist", "zarr", "fsdp_dtensor"),
}
NAMES = {"AttnBackend.flash", "AttnBackend.unfused", "torch.bfloat16", "torch.half", "torch.float32"}


def is_of(kind, value, node):
    whole = isinstance(value, int) and not isinstance(value, bool)
    return {COUNT: whole and value > 0, MAYBE: value is None or (whole and value > 0), FLAG: isinstance(value, bool),
            TEXT: value is None or isinstance(value, str), LIST: isinstance(value, list),
            NUMBER: whole or isinstance(value, float), NAME: ast.unparse(node) in NAMES}[kind]


def assigned(tree, wrong):
    """Values by "model.seq_length"; names that stand for themselves are text."""
    values = {}
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        path = ast.unparse(statement.targets[0])
        if path == "RANKS":
            values["RANKS"] = ast.literal_eval(statement.value)
        if not path.startswith("cfg."):
            continue
        group, _, field = path[4:].partition(".")
        if not field:
            if ast.unparse(statement.value) not in ("None", "MixedPrecisionConfig()"):
                wrong.append(f"{path} = {ast.unparse(statement.value)}")
            continue
        kind = FIELDS.get(group, {}).get(field)
        try:
            value = ast.literal_eval(statement.value)
        except ValueError:
            value = ast.unparse(statement.value)
        if kind is None or not is_of(kind, value, statement.value):
            wrong.append(f"{path} = {value!r}")
        allowed = WORDS.get(f"{group}.{field}")
        if allowed and value is not None and value not in allowed:
            wrong.append(f"{path} = {value!r}")
        values[f"{group}.{field}"] = value
    return values


def unbound(tree):
    """Names that are used and nowhere bound."""
    import builtins
    bound = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(each.asname or each.name).split(".")[0] for each in node.names}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - bound


def wrong_together(v):
    tensor, stages = v["model.tensor_model_parallel_size"], v["model.pipeline_model_parallel_size"]
    model = tensor * stages * v["model.context_parallel_size"]
    if v["RANKS"] % model:
        yield f"{v['RANKS']} ranks cannot be dealt to {model}"
    round_ = v["train.micro_batch_size"] * (v["RANKS"] // model)
    if v["train.global_batch_size"] % round_:
        yield f"a batch of {v['train.global_batch_size']} is no multiple of {round_}"
    if v["model.seq_length"] != v["dataset.seq_length"]:
        yield "model and dataset have other lengths"
    layout, pieces = v["model.pipeline_model_parallel_layout"], v["model.virtual_pipeline_model_parallel_size"]
    if layout and pieces:
        yield "a layout says how many pieces there are"
    others = [v["model.num_layers_in_first_pipeline_stage"], v["model.num_layers_in_last_pipeline_stage"],
              v["model.account_for_embedding_in_pipeline_split"], v["model.account_for_loss_in_pipeline_split"]]
    if layout and any(others):
        yield "pipeline_model_parallel_layout cannot be set with other pipeline layout arguments"
    if layout and (layout.count("|") + 1) % stages:
        yield f"{layout} is not of {stages} stages"
    if layout and layout.count("t") != v["model.num_layers"]:
        yield f"{layout} has not {v['model.num_layers']} layers"
    if pieces and (stages < 2 or v["model.num_layers"] % (stages * pieces)):
        yield f"{v['model.num_layers']} layers in {stages} stages of {pieces} pieces"
    if v["ddp.overlap_param_gather"] and not (v["ddp.overlap_grad_reduce"] and v["ddp.use_distributed_optimizer"]):
        yield "overlap_param_gather needs overlap_grad_reduce and use_distributed_optimizer"
    if v["ddp.use_distributed_optimizer"] != v["optimizer.use_distributed_optimizer"]:
        yield "two distributed optimizers"
    if v["ddp.use_megatron_fsdp"] and (v["dist.use_tp_pp_dp_mapping"] or v["dist.use_torch_fsdp2"]):
        yield "use_tp_pp_dp_mapping and use_torch_fsdp2 exclude Megatron FSDP"
    if v["model.tp_comm_overlap"] and not (v["model.sequence_parallel"] and tensor > 1):
        yield "tp_comm_overlap needs sequence_parallel"
    if (v["model.recompute_granularity"] == "full") != (v["model.recompute_method"] is not None):
        yield "recompute_method is of full alone"
    if v["model.cuda_graph_impl"] == "local" and v.get("rerun_state_machine.check_for_nan_in_loss", True):
        yield "check_for_nan_in_loss must be disabled when using full_iteration CUDA graph"
    if v["model.cuda_graph_impl"] != "none" and v["model.recompute_granularity"]:
        yield "CUDA graphs not supported with activation recomputation"
    if sum(v.get(f"mixed_precision.{kind}", False) for kind in ("bf16", "fp16", "fp32")) != 1:
        yield "one type of numbers is to be on"


def main(files):
    found = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            tree = ast.parse(file.read(), name)
        wrong = [f"{each} is not bound" for each in unbound(tree)]
        values = assigned(tree, wrong)
        found += [f"{name}: {each}" for each in [*wrong, *wrong_together(values)]]
    print("\n".join(found) if found else f"{len(files)} files, nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
