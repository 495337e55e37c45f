"""Plans' newer fields, plans and machines that do not fit, models of Hugging Face and their folders."""

from wrong.case import FILES, LEFT_OUT, content, directory, kind, link, put, wrong

P = "parallelism."


def planned(table, *more):
    for path, value, remedy in table:
        place = path.rsplit(".", 1)[-1]
        yield wrong(FILES, place, remedy, put("plan.json", path, value), *more)


@kind("plans: moments, offload, fp8")
def newer_fields():
    yield from planned([
        (P + "moment_type", "fp8", "bf16"), (P + "moment_type", "fp16", "bf16"), (P + "moment_type", "half", "bf16"),
        (P + "moment_type", 16, "bf16"), (P + "moment_type", None, "bf16"), (P + "moment_type", ["bf16"], "bf16"),
        (P + "offload", True, "object"), (P + "offload", "cpu", "object"), (P + "offload.optimizer", 1.01, "0 to 1"),
        (P + "offload.optimizer", -0.5, "0 to 1"), (P + "offload.optimizer", True, "0 to 1"),
        (P + "offload.optimizer", "50%", "0 to 1"), (P + "offload.optimizer", "all", "0 to 1"),
        (P + "offload.activations", True, "recompute"), (P + "offload.activations", 1, "true or false"),
        (P + "offload.piece", "0 B", "4 KiB"), (P + "offload.piece", 64, "80 GiB"), (P + "offload.piece", "-1 MB", "negative"),
        (P + "offload.pieces", "64 MB", "piece"), (P + "fp8", "delayed", "object"), (P + "fp8.scaling", "mx", "delayed"),
        (P + "fp8", {"scaling": "block"}, "compute_type"), (P + "fp8.history", 0, "1 to 65536"),
        (P + "fp8.history", 65537, "1 to 65536"), (P + "fp8.margin", -1, "0 to 16"), (P + "fp8.margin", 17, "0 to 16"),
        (P + "fp8.margin", 1.5, "whole number"), (P + "fp8.amax", 5, "history"), (P + "compute_type", "int8", "bf16"),
        (P + "compute_type", "fp4", "fp8"), (P + "gradient_type", "int32", "fp32"), (P + "optimizer", "muon", "adamw")])
    yield from planned([(P + "compute_type", "fp8", "bf16")])


@kind("plans: layers' lists")
def layers():
    yield from planned([
        (P + "order", ["tensor", "data", "pipeline"], "context"), (P + "order", "tensor", "pipeline"),
        (P + "order", ["tensor", "context", "expert", "data", "data"], "each of the five axes once"), (P + "stage_layers", [13], "12"),
        (P + "stage_layers", [0], "12"), (P + "stage_layers", [4, 4, 4], "1"), (P + "warm_ups", [1], "warm-up"),
        (P + "virtual_stages", 2, "interleaved"), (P + "recompute_layers", 4, "full"), (P + "sharding_group", 3, "2"),
        (P + "replicator", {"kind": "demo", "top_k": 5000}, "4096 or less"),
        (P + "replicator", {"kind": "random", "value_type": "fp16"}, "bf16"), (P + "replicator", {"kind": "none", "every": 2}, "use 1"), (P + "context", 2, "not modelled"),
        ("ccl.overlap_tensor", True, "not modelled"), ("ccl.rules", [{"algorithm": "nvls", "channels": 2000}], "1024"),
        ("ccl.rules", [None], "object"),
        ("intra_inter.placement", [7] * 8, "every number from 0 to 7 once"), ("intra_inter.placement", list(range(9)), "8"),
        ("intra_inter.placement", ["host0/gpu0"] * 8, "whole number"),
        ("intra_inter.decompositions", [{"axis": "data"}] * 2, "twice"), ("host_net", [], "object"),
        ("network", None, "object"), ("name", 17, "text"), ("name", None, "text"),
        (P + "sequence_length", 1e20, "100000000"), (P + "micro_batches", 0, "1 to 1048576"), (P + "load_balance", "presort-in-host", "parallelism.samples.lengths")])
    yield wrong(FILES, "global_batch", "micro_batches", put("plan.json", P + "global_batch", 16))
    yield wrong(FILES, "global_batch", "2", put("plan.json", P + "micro_batches", LEFT_OUT),
                put("plan.json", P + "global_batch", 7))


@kind("models: Hugging Face's keys")
def hugging_face():
    for file, path, value, remedy in [
            ("llama.json", "num_key_value_heads", 7, "32"), ("llama.json", "num_key_value_heads", 0, "from 1"),
            ("llama.json", "num_key_value_heads", 64, "32"), ("llama.json", "num_key_value_heads", "8", "whole number"),
            ("llama.json", "hidden_size", 0, "from 1"), ("llama.json", "hidden_size", 4096.5, "whole number"),
            ("llama.json", "hidden_size", 2**40, "to"), ("llama.json", "vocab_size", -1, "from 1"),
            ("llama.json", "vocab_size", LEFT_OUT, "is missing"), ("llama.json", "vocab_size", 10**12, "to"),
            ("llama.json", "intermediate_size", None, "whole number"), ("llama.json", "head_dim", 0, "from 1"),
            ("llama.json", "head_dim", "auto", "whole number"), ("llama.json", "hidden_act", "relu6", "silu"),
            ("llama.json", "hidden_act", 5, "text"), ("llama.json", "tie_word_embeddings", "no", "true or false"),
            ("llama.json", "attention_dropout", 1.5, "1"),
            ("llama.json", "model_type", ["llama"], "text"),
            ("llama.json", "model_type", "deepseek_v3", "qwen3"), ("llama.json", "model_type", "LLaMA2", "llama"),
            ("llama.json", "num_experts_per_tok", 2, "mixture"), ("llama.json", "num_hidden_layers", 10**9, "10000"),
            ("llama.json", "num_hidden_layers", True, "whole number"),
            ("model.json", "n_head", 0, "from 1"), ("model.json", "n_positions", 0, "from 1"),
            ("model.json", "n_inner", -4, "from 1"), ("model.json", "activation_function", "swoosh", "gelu"),
            ("model.json", "resid_pdrop", 1.0, "below 1"), ("model.json", "resid_pdrop", "0.1", "number"),
            ("bert.json", "type_vocab_size", -1, "from"), ("bert.json", "hidden_dropout_prob", 2, "1"),
            ("bert.json", "position_embedding_type", "relative_key", "absolute")]:
        yield wrong(FILES.replace("model.json", file) if file != "model.json" else FILES, path, remedy, put(file, path, value))
    yield wrong(FILES, "num_hidden_layers", "is missing", content("model.json", {"architectures": ["LlamaForCausalLM"]}))
    yield wrong(FILES, "model_type", "llama", content("model.json", "{}"))
    yield wrong(FILES, "text_config", "llama", content("model.json", {"model_type": "llava", "text_config": {"model_type": "llama"}}))


@kind("models: folders")
def folders():
    base = "simulate plan.json --topology machine.json --costs costs.json --model"
    for make, name, place, remedy in [
            (content("m/params.json", {"dim": 4096}), "m", "config.json", "no such file"),
            (content("m/model.safetensors", b"\0" * 64), "m/model.safetensors", "m/model.safetensors", "text file"),
            (content("m/config.json/x", "x"), "m", "config.json", "directory"),
            (content("m/config.json", ""), "m", "config.json", "empty"),
            (content("m/config.json", [{}]), "m", "config.json", "object"),
            (content("m/config.json", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n"), "m/", "config.json", "JSON"),
            (content("m/adapter_config.json", {"peft_type": "LORA"}), "m", "config.json", "no such file"),
            (content("m/tokenizer.json", {"model": {}}), "m/tokenizer.json", "m/tokenizer.json", "model_type"),
            (content("m/model.safetensors.index.json", {"weight_map": {}}), "m/model.safetensors.index.json", "index.json", "model_type"),
            (link("m", "m"), "m", "m", "symbolic link"), (link("m", "/nowhere/at/all"), "m", "m", "symbolic link")]:
        yield wrong(f"{base} {name}", place, remedy, make)
    yield wrong(f"{base} m", "config.json", "regular file", directory("m"), link("m/config.json", "/dev/zero"))


@kind("verbs of plan")
def verbs():
    on = "--model gpt2 --topology dgx-h100-1"
    for words, place, remedy in [
            ("nwe", "nwe", "new"), ("new --model gpt2", "--topology", "required"),
            (f"new plan.json {on} --global-batch 8", "plan.json", "new"),
            (f"new {on} --global-batch 0", "--global-batch", "from 1"), (f"new {on} --global-batch 8 -o nowhere/p.json", "nowhere/p.json", "mkdir"),
            (f"new {on} --global-batch 8 --hosts 2", "dgx-h100-1.json", "add a network"), ("check plan.json", "--model", "required"),
            (f"check {on} nowhere.json", "nowhere.json", "no such file"),
            ("fields nowhere", "nowhere", "parallelism"), ("diff plan.json", "diff", "two plans"),
            ("diff plan.json plan.json plan.json", "diff", "two plans"), ("diff plan.json nowhere", "nowhere", "tiny-gpt-dp4"),
            ("diff plan.json model.json", "model.json", "unknown key"), ("fields plan.json", "plan.json", "parallelism"),
            (f"check plan.json {on} --tensor 1,2", "--tensor", "one"), (f"explain plan.json {on} --set parallelism.tensor=x", "parallelism.tensor", "whole number"),
            (f"new {on} --global-batch 8 --tensor 3", "--tensor 3", "does not divide"), ("", "action", "check")]:
        yield wrong(f"plan {words}", place, remedy)
