"""DeepSpeed's own rules, held to files that quintet wrote: python3 check_deepspeed.py FILE...

A table of its own, taken from github.com/deepspeedai/DeepSpeed: the pydantic models of
deepspeed/runtime/zero/config.py (cbf3d661), zero/offload_config.py (1978617c), precision_config.py
(61a29f94) and tensor_parallel/config.py (1b267b6b), whose base class forbids other keys; the keys
and batch rules of config.py (3a890ec5); and what engine.py (b555aa53) and pipe/engine.py (e787c163)
assert. The ranks are those of the launcher's line.
"""
import json
import re
import sys

ANY = lambda value: True
BOOL = lambda value: isinstance(value, bool)
COUNT = lambda least: lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least
NUMBER = lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
WORD = lambda *words: lambda value: value in words
ELEMENTS = WORD("fp16", "float16", "half", "fp32", "float32", "float", "bf16", "bfloat16")

# Of sections, every key; of the file, those that a plan may need.
SECTIONS = {
    "zero_optimization": {
        "stage": WORD(0, 1, 2, 3), "overlap_comm": BOOL, "contiguous_gradients": BOOL, "reduce_scatter": BOOL,
        "reduce_bucket_size": COUNT(0), "allgather_bucket_size": COUNT(0), "allgather_partitions": BOOL,
        "stage3_prefetch_bucket_size": COUNT(0), "mics_shard_size": COUNT(-1), "sub_group_size": COUNT(0),
        "zero_hpz_partition_size": COUNT(0), "offload_optimizer": ANY, "offload_param": ANY},
    "bf16": {"enabled": BOOL, "immediate_grad_update": BOOL, "check_grad_overflow": BOOL,
             "bf16_master_weights_and_grads": BOOL, "bf16_optimizer_states": BOOL},
    "fp16": {"enabled": BOOL, "auto_cast": BOOL, "loss_scale": NUMBER, "initial_scale_power": COUNT(0),
             "loss_scale_window": COUNT(1), "hysteresis": COUNT(1), "consecutive_hysteresis": BOOL,
             "min_loss_scale": NUMBER, "fp16_master_weights_and_grads": BOOL},
    "data_types": {"grad_accum_dtype": ELEMENTS},
    "optimizer": {"type": WORD("Adam", "AdamW", "Lamb", "SGD"), "params": ANY, "legacy_fusion": BOOL},
    "activation_checkpointing": {
        "partition_activations": BOOL, "number_checkpoints": COUNT(1), "contiguous_memory_optimization": BOOL,
        "cpu_checkpointing": BOOL, "synchronize_checkpoint_boundary": BOOL, "profile": BOOL},
    "pipeline": {"stages": COUNT(1), "partition": ANY, "seed_layers": BOOL, "activation_checkpoint_interval": COUNT(0),
                 "pipe_partitioned": BOOL, "grad_partitioned": BOOL, "use_reentrant": BOOL},
    "tensor_parallel": {"autotp_size": COUNT(0), "overlap_comm": BOOL, "dtype": ANY, "tp": ANY},
    "quintet": {"plan": ANY, "model": ANY, "machine": ANY, "launch": ANY, "ranks": COUNT(1), "sequence_length": COUNT(1),
                "pipeline_module": ANY, "topology": ANY, "checkpointing": ANY, "environment": ANY, "not_said": ANY},
}
KEYS = {"train_batch_size": COUNT(1), "train_micro_batch_size_per_gpu": COUNT(1),
        "gradient_accumulation_steps": COUNT(1), "communication_data_type": WORD("fp32", "fp16", "bf16"),
        "gradient_clipping": NUMBER, "zero_allow_untested_optimizer": BOOL, "sequence_parallel_size": COUNT(1)}
KIND = {"float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32", "bfloat16": "bf16"}


def no_duplicates(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), f"a key stands twice in {pairs}"
    return dict(pairs)


def wrong_keys(config):
    for key, value in config.items():
        if key in SECTIONS:
            for inner, of in value.items():
                if inner not in SECTIONS[key]:
                    yield f"{key} has no {inner}"
                elif not SECTIONS[key][inner](of):
                    yield f"{key}.{inner} = {of!r}"
        elif key not in KEYS:
            yield f"there is no {key}"
        elif not KEYS[key](value):
            yield f"{key} = {value!r}"


def wrong_together(config):
    beside = config["quintet"]
    launched = re.search(r"--num_nodes (\d+) --num_gpus (\d+)", beside["launch"])
    ranks = int(launched[1]) * int(launched[2])
    if ranks != beside["ranks"]:
        yield f"{ranks} ranks are started, not {beside['ranks']}"
    pipeline = config.get("pipeline", {})
    stages = pipeline.get("stages", 1)
    tensor = config.get("tensor_parallel", {}).get("autotp_size", 0)
    model = tensor or 1
    if "topology" in beside:
        model = beside["topology"]["model"]
        if beside["topology"]["pipe"] != stages or model * stages * beside["topology"]["data"] != ranks:
            yield f"the topology {beside['topology']} is not of {ranks} ranks in {stages} stages"
    replicas = ranks // stages // model
    batch = config["train_micro_batch_size_per_gpu"] * config["gradient_accumulation_steps"] * replicas
    if batch != config["train_batch_size"]:
        yield f"a batch of {config['train_batch_size']} is not {batch}"
    zero = config["zero_optimization"]
    stage = zero["stage"]
    bf16, fp16 = (config.get(kind, {}).get("enabled", False) for kind in ("bf16", "fp16"))
    if bf16 and fp16:
        yield "bf16 and fp16"
    if stages > 1 and stage > 1:
        yield "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism"
    if stages > 1 and zero.get("overlap_comm", False):
        yield "a pipeline does not overlap"
    if tensor > 0 and stage > 2:
        yield "autotp and ZeRO-3"
    computed = "bf16" if bf16 else "fp16" if fp16 else "fp32"
    summed = config.get("data_types", {}).get("grad_accum_dtype", computed)
    summed = KIND.get(summed, summed)
    if stage == 0 and summed != computed:
        yield f"unsupported mix of {computed} and {summed}"
    own = config.get("bf16", {})
    if own.get("bf16_optimizer_states") and not own.get("bf16_master_weights_and_grads"):
        yield "bf16_optimizer_states requires bf16_master_weights_and_grads"
    if own.get("bf16_master_weights_and_grads") and (stage == 0 or not own.get("bf16_optimizer_states")):
        yield "bf16_master_weights_and_grads without ZeRO, or with moments that need the processors"
    if zero.get("mics_shard_size", -1) > 0 and (stage != 3 or replicas % zero["mics_shard_size"] != 0):
        yield "mics_shard_size"
    kind = config["optimizer"]["type"]
    if kind == "Lamb" and config.get("fp16", {}).get("loss_scale", 0) != 0:
        yield "Lamb requires dynamic loss scaling"
    if kind == "SGD" and stage > 0 and not config.get("zero_allow_untested_optimizer"):
        yield "an untested ZeRO optimizer"
    if "max_grad_norm" in config["optimizer"]["params"]:
        yield "max_grad_norm is not supported as an optimizer parameter"


def main(files):
    found = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            config = json.load(file, object_pairs_hook=no_duplicates)
        found += [f"{name}: {wrong}" for wrong in [*wrong_keys(config), *wrong_together(config)]]
    print("\n".join(found) if found else f"{len(files)} files, nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
