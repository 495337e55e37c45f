"""quintet run: texts, tokens, tokenizers, weights, hosts, checkpoints and shapes that are refused before the first step."""

import json
import struct

from wrong.case import RUN, SMALL, content, directory, fifo, gone, kind, link, mode, put, run_kind, sparse, wrong

WITHOUT_DATA = "run run.json --model small.json --data"
LLM_C = 20240520  # the first word of llm.c's shards, then version 1 and the number of tokens


def shard(*words, tokens=b""):
    return struct.pack("<256i", *words, *[0] * (256 - len(words))) + tokens


@run_kind("texts and tokens")
def data():
    for name, make, remedy in [
            ("a.bin", content("a.bin", shard(LLM_C, 2, 100)), "version"), ("a.bin", content("a.bin", shard(LLM_C, 1, 10**9)), "1000000000"),
            ("a.bin", content("a.bin", shard(LLM_C, 1, -5)), "-5"), ("a.bin", content("a.bin", b""), "holds no token"),
            ("a.txt", content("a.txt", b""), "holds 0 tokens"), ("a.txt", fifo("a.txt"), "regular file"), ("a.txt", link("a.txt", "a.txt"), "symbolic link"),
            ("folder", directory("folder"), "*.bin"), ("a.npy", content("a.npy", b"\x93NUMPY"), "need"), ("/dev/zero", gone("rows.csv"), "regular file"),
            ("a.bin", link("a.bin", "/dev/zero"), "regular file"), ("a.bin", sparse("a.bin", 10**12, shard(LLM_C, 1, 100)), "tokens")]:
        yield wrong(f"{WITHOUT_DATA} {name}", name, remedy, make)
    yield wrong(f"{WITHOUT_DATA} text.txt", "text.txt", "Permission denied", mode("text.txt", 0), as_nobody=True)
    yield wrong(f"{WITHOUT_DATA} ''", "--data", "expected FILE")


@run_kind("tokenizers")
def tokenizers():
    for value, remedy in [("{}", "model"), ({"model": {"type": "Unigram"}}, "BPE"), ({"model": {"type": "BPE", "vocab": {}, "merges": []}}, "is missing"),
                          ({"model": {"type": "BPE", "vocab": {"a": 70000}, "merges": ["a b"]}}, "tokenizer.json"), ("", "empty"), ("[", "line 1")]:
        yield wrong(f"{RUN} --tokenizer tokenizer.json", "tokenizer.json", remedy, content("tokenizer.json", value))
    yield wrong(f"{RUN} --tokenizer hosts", "hosts", "tokenizer.json")


def tensors(header, size=64):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + b"\0" * size


@run_kind("weights")
def weights():
    good = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
    for data_, remedy in [(b"", "takes 8"), (b"\xff" * 8, "header"), (tensors(b"{"), "line 1"), (tensors({"a": {**good, "dtype": "F7"}}), "F7"),
                          (tensors({"a": {**good, "data_offsets": [0, 10**15]}}), "a"), (tensors({"a": {**good, "data_offsets": [16, 0]}}), "a"),
                          (tensors({"a": {**good, "shape": [2**62, 2**62]}}), "a"), (tensors({"a": {**good, "shape": [-4]}}), "a"), (tensors({"a": good}, 16), "name weights of the model")]:
        yield wrong(f"{RUN} --weights w.safetensors", "w.safetensors", remedy, content("w.safetensors", data_))
    yield wrong(f"{RUN} --weights w", "w/no.safetensors", "No such file",
                content("w/model.safetensors.index.json", {"weight_map": {"transformer.wte.weight": "no.safetensors"}}))
    yield wrong(f"{RUN} --weights w.bin", "w.bin", "at most", content("w.bin", b"PK\x03\x04" + b"\0" * 100))


@run_kind("hosts, shapes and machines")
def places():
    for text, remedy in [("localhost slots=0 address=lo\n", "slots"), ("localhost slots=2 adress=lo\n", "address"), ("localhost slots=-2\n", "slots"),
                         ("-oProxyCommand=x slots=2\n", "name"), ("localhost\0 slots=2\n", "line 1"),
                         ("localhost slots=99999999999\n", "slots")]:
        yield wrong(f"{RUN} --hosts where", "where", remedy, content("where", text))
    for words, place, remedy in [
            ("--shape nowhere", "nowhere", "box-4-1gbit"), ("--shape dgx-h100-1", "run.json", "8 places"), ("--shape plan.json", "plan.json", "host object"),
            ("--hosts hosts", "hosts", "directory"), ("--topology dgx-h100-1", "run.json", "8 places"), ("--costs nowhere", "nowhere", "a100-sxm-80gb"),
            ("--address 300.1.1.1", "300.1.1.1", "lo"), ("--address 10.0.0.0/99", "10.0.0.0/99", "lo"),
            ("--device=gpu", "--device", "GPU"), ("--one-process --shape box-4-1gbit", "--one-process", "--shape")]:
        yield wrong(f"{RUN} {words}", place, remedy)


@run_kind("places of what a run writes")
def written():
    for words, place, remedy in [
            ("--log run.json", "run.json", "another"), ("--timeline text.txt", "text.txt", "another"), ("--log l.json --timeline l.json", "l.json", "another"),
            ("--checkpoint ''", "--checkpoint", "expected FOLDER"), ("--save-weights /proc/w", "/proc/w", "another place"), ("--log ''", "--log", "expected FILE"),
            ("--timeline /dev/full/x", "/dev/full", "directory"),
            (f"--log {'x' * 300}", "x" * 40, "too long")]:
        yield wrong(f"{RUN} {words}", place, remedy)
    yield wrong(f"{RUN} --checkpoint loop", "loop", "links", link("loop", "loop"))
    yield wrong(f"{RUN} --checkpoint shut/kept", "shut", "another place", directory("shut"), mode("shut", 0o555), as_nobody=True)
    yield wrong(f"{RUN} --checkpoint kept --resume", "kept", "manifest", content("kept/step-00000001/manifest.json", "{}"))


@run_kind("models that cannot be run")
def models():
    for path, value, remedy in [("activation_function", "relu", "gelu"), ("model_type", "llama", "is missing")]:
        yield wrong(RUN, path if remedy != "is missing" else "small.json", remedy, put("small.json", path, value))
    yield wrong(RUN, "text.txt", "vocabulary of 256", put("small.json", "vocab_size", 100))
    yield wrong(RUN, "sequence_length", "use 8 or less", put("small.json", "n_positions", 8))
    yield wrong(RUN, "memory", "--memory-check off", content("small.json", {**SMALL, "n_layer": 1000, "n_embd": 65536, "n_head": 64}))


assert kind
