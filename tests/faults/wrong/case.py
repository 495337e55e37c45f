"""A wrong input: a command of quintet in a folder of its own, what is wrong there, and what must be said of it."""

import dataclasses
import json
import os
import pathlib
import shutil

SOURCE = pathlib.Path(__file__).resolve().parents[3]
KINDS = {}  # name -> function that lists its cases
RUNS = {}  # the same of `quintet run`
WINDOWS = {}  # the same of `quintet gui`, which is there where Qt is

# What the commands of most cases begin with. Their files are those of `lay_out`.
FILES = "simulate plan.json --model model.json --topology machine.json --costs costs.json"
CHAIN = "simulate chain_plan.json --model chain_model.json --topology chain.json --costs chain_costs.json"
ASK = "simulate --model gpt2 --topology dgx-h100-1 --global-batch 64 --sequence 1024"
TWO_HOSTS = "simulate --model gpt2 --topology dgx-h100 --hosts 2 --global-batch 64 --sequence 1024 --tensor 1"
RUN = "run run.json --model small.json --data text.txt"

COPIES = {
    "model.json": "traces/models/gpt2/config.json", "llama.json": "traces/models/llama-3-8b/config.json",
    "bert.json": "traces/models/bert-large/config.json",
    "machine.json": "topologies/dgx-a100-1.json", "hosts/dgx-a100.json": "topologies/hosts/dgx-a100.json",
    "big.json": "topologies/dgx-h100-1024.json", "hosts/dgx-h100.json": "topologies/hosts/dgx-h100.json",
    "torus.json": "topologies/torus-4x4x4.json", "tree.json": "topologies/samsung-a100-1024.json", "hosts/a100-4nic.json": "topologies/hosts/a100-4nic.json",
    "cores.json": "topologies/ethernet-cpu-4.json",
    "costs.json": "traces/costs/a100-sxm-80gb.json", "prices.json": "traces/prices.json",
    "stack.json": "traces/stacks/torchtitan.json",
    "chain.json": "topologies/pipeline-4.json", "hosts/ideal-1gpu.json": "topologies/hosts/ideal-1gpu.json",
    "chain_plan.json": "traces/plans/toy-pipeline-warm-up.json",
    "chain_model.json": "traces/models/toy-pipeline/config.json",
    "chain_costs.json": "traces/costs/toy-pipeline.json",
}
PLAN = {"name": "gpt2-tp4-dp2",
        "parallelism": {"tensor": 4, "data": 2, "sequence_length": 1024, "micro_batches": 4}}
RUN_PLAN = {"parallelism": {"data": 2, "sequence_length": 16, "compute_type": "fp32"}}
SMALL = {"model_type": "gpt2", "n_layer": 2, "n_embd": 32, "n_head": 4, "n_positions": 16,
         "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0}
ROW_HEADER = ("id,source,confidence,kind,status,framework,date,model,arch,params_b,layers,hidden,heads,kv_heads,ffn,"
              "vocab,seq,experts,topk,gpu,gpus,gpus_per_node,network,tp,pp,dp,cp,ep,vpp,mbs,gbs,recompute,"
              "seq_parallel,sharding,precision,attention,step_time_s,tokens_per_s_per_gpu,samples_per_s,"
              "tflops_per_gpu,mfu_pct,hfu_pct,peak_mem_gib,flops_convention,notes")
ROW = ("r-1,\"a, book\",high,measured,ok,Megatron-LM PTD-P,2021,gpt-small,gpt,,8,1024,16,16,4096,50257,1024,,,"
       "A100-SXM-80GB,16,8,8x HDR200 per node,2,2,4,1,1,2,1,32,full,false,none,fp16,megatron fused softmax,0.5,"
       ",,,,,,,")


@dataclasses.dataclass(frozen=True)
class Case:
    command: str  # behind `quintet`, in words of a shell
    place: str  # in the message: the option, file or field that is wrong
    remedy: tuple  # in the message: what is accepted, or what would do
    make: tuple  # of the folder: what is wrong in it
    environment: dict
    as_nobody: bool  # by a user who may not read and write everything


def wrong(command, place, remedy, *make, environment=None, as_nobody=False):
    remedy = (remedy,) if isinstance(remedy, str) else tuple(remedy)
    assert place and remedy, command
    return Case(command, place, remedy, make, environment or {}, as_nobody)


def kind(name, among=KINDS):
    def keep(function):
        assert name not in among, name
        among[name] = function
        return function
    return keep


def run_kind(name):
    return kind(name, RUNS)


def window_kind(name):
    return kind(name, WINDOWS)


def lay_out(folder):
    """Files of which nothing is wrong yet."""
    (folder / "hosts").mkdir(parents=True)
    for name, shipped in COPIES.items():
        shutil.copyfile(SOURCE / shipped, folder / name)
    for name, value in {"plan.json": PLAN, "run.json": RUN_PLAN, "small.json": SMALL}.items():
        (folder / name).write_text(json.dumps(value, indent=1))
    (folder / "text.txt").write_text("The quick brown fox jumps over the lazy dog. " * 200)
    (folder / "rows.csv").write_text(f"{ROW_HEADER}\n{ROW}\n")
    (folder / "gemms.csv").write_text("m,n,k,time_us,gpu,dtype\n4096,4096,4096,250,H100,bf16\n")


def put(file, path, value):
    """Another value at keys and positions joined by dots; LEFT_OUT: none."""
    def change(folder):
        whole = json.loads((folder / file).read_text())
        *keys, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        at = whole
        for key in keys:
            at = at[key] if isinstance(at, list) else at.setdefault(key, {})
        if value is LEFT_OUT:
            del at[last]
        else:
            at[last] = value
        (folder / file).write_text(json.dumps(whole, indent=1))
    return change


LEFT_OUT = object()


def content(file, value):
    """All of a file: text, bytes, or a value that is written as JSON."""
    def change(folder):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        data = value if isinstance(value, (str, bytes)) else json.dumps(value)
        (folder / file).write_bytes(data.encode() if isinstance(data, str) else data)
    return change


def replaced(file, old, new):
    def change(folder):
        data = (folder / file).read_bytes()
        assert data.count(old) >= 1, f"{file} has no {old}"
        (folder / file).write_bytes(data.replace(old, new, 1))
    return change


def gone(file):
    return lambda folder: (folder / file).unlink()


def fifo(file):
    def change(folder):
        (folder / file).unlink(missing_ok=True)
        os.mkfifo(folder / file)
    return change


def link(file, target):
    def change(folder):
        (folder / file).unlink(missing_ok=True)
        (folder / file).symlink_to(target)
    return change


def directory(file):
    def change(folder):
        (folder / file).unlink(missing_ok=True)
        (folder / file).mkdir()
    return change


def mode(file, bits):
    return lambda folder: (folder / file).chmod(bits)


def sparse(file, size, begin=b""):
    def change(folder):
        (folder / file).write_bytes(begin)
        os.truncate(folder / file, size)
    return change
