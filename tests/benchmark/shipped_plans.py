#!/usr/bin/env python3
"""How long every shipped plan takes to predict on every shipped machine that has room for it, and how
much memory that needs; then three large steps. With two programs their results are compared to the digit.
Exit 1 where a bar (3 s of CPU time, 1 GB) is missed or results differ.

    tests/benchmark/shipped_plans.py build/release/quintet [OTHER_QUINTET] [--only WORD] [--limit SECONDS]
"""

import argparse
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
MOST_SECONDS, MOST_MEGABYTES = 3.0, 1000.0
MODELS = {  # of shipped plans, by how their names begin
    "korthikanti-gpt-175b": "gpt-3-175b",
    "korthikanti-gpt-": "korthikanti-",
    "llama-3-70b": "llama-3-70b",
    "pipemorph-14b": "pipemorph-14b",
    "toy-pipeline": "toy-pipeline",
    "tiny-gpt": "tiny-gpt",
    "bert-large-1024": "bert-large",
    "bert-": "bert-large-mlperf",
    "olmo-2-1b": "olmo-2-1b",
    "t5-small-like": "t5-small-like",
}
# Meta's numbers (The Llama 3 Herd of Models, arXiv 2407.21783, table 3).
LLAMA_405B = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
    "hidden_size": 16384, "intermediate_size": 53248, "num_hidden_layers": 126,
    "num_attention_heads": 128, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-05, "tie_word_embeddings": False,
}
# 8-way tensor, 16 stages, 128 replicas (the same paper, table 4, its first row of 16,384 GPUs).
PLAN_405B = {
    "name": "llama-3-405b-16384",
    "parallelism": {
        "tensor": 8, "data": 128, "pipeline": 16, "sequence_parallel": True, "sequence_length": 8192,
        "micro_batches": 16, "stage_layers": [7] + [8] * 14 + [7], "sharding": "optimizer",
    },
}


def loaded(path):
    with open(path) as file:
        return json.load(file)


def model_of(plan):
    for begin, model in MODELS.items():
        if plan.startswith(begin):
            return model + plan[len(begin):] if model.endswith("-") else model
    sys.exit(f"no model is known for the shipped plan {plan}")


def ranks_of(plan):
    ranks = 1
    for axis in ("tensor", "data", "pipeline"):
        ranks *= plan["parallelism"].get(axis, 1)
    return ranks


def places_of_host(topology, path):
    """Of machines whose number of hosts can be chosen; none elsewhere."""
    host = topology.get("host")
    if isinstance(host, str):
        host = loaded(os.path.join(os.path.dirname(path), host))
    if not host or topology.get("network", {}).get("family") in ("explicit", "torus"):
        return None
    return host.get("gpu", {}).get("count") or host.get("slots")


def shipped_runs():
    for plan_file in sorted(glob.glob(f"{ROOT}/traces/plans/*.json")):
        plan = os.path.basename(plan_file)[:-5]
        ranks = ranks_of(loaded(plan_file))
        for path in sorted(glob.glob(f"{ROOT}/topologies/*.json")):
            topology = loaded(path)
            places = places_of_host(topology, path)
            hosts = ["--hosts", str(ranks // places)] if places and ranks % places == 0 else []
            yield [plan, "--model", model_of(plan), "--topology", os.path.basename(path)[:-5], *hosts]


def large_runs(folder):
    def written(name, value):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            json.dump(value, file)
        return path

    def more_replicas(name, data, routing):
        plan = loaded(f"{ROOT}/traces/plans/{name}.json")
        plan["name"] = f"{name}-dp{data}-{routing}"
        plan["parallelism"]["data"] = data
        plan["network"] = {"routing": routing}
        return written(plan["name"] + ".json", plan)

    for routing in ("rail-pinned", "ecmp", "spray"):
        yield [more_replicas("korthikanti-gpt-175b", 16, routing), "--model", "gpt-3-175b",
               "--topology", "selene-a100", "--hosts", "128"]
    yield [more_replicas("korthikanti-gpt-1t", 6, "rail-pinned"), "--model", "korthikanti-1t",
           "--topology", "selene-a100", "--hosts", "384"]
    yield [written("405b-plan.json", PLAN_405B), "--model", written("config.json", LLAMA_405B),
           "--topology", "dgx-h100-1024", "--hosts", "2048"]


def measured(program, words, limit):
    """Exit code, CPU seconds, MB at most, what it printed, its last words."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        def limited():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        process = subprocess.Popen([program, "simulate", *words, "--json"], cwd=ROOT, stdout=out,
                                   stderr=err, preexec_fn=limited)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        return (process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
                out.read(), err.read().decode())


def says_all_of(new, old):
    """`new` has every number of `old`; it may say more. Files lie in another folder."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(
            key in new and (key == "file" or says_all_of(new[key], value)) for key, value in old.items())
    if isinstance(old, list):
        return isinstance(new, list) and len(new) == len(old) and all(map(says_all_of, new, old))
    return new == old


def row_of(programs, words, limit):
    """The row's text and whether it is as it should be; nothing for a plan that does not fit."""
    runs = []
    for program in programs:
        runs.append(measured(program, words, limit))
        if runs[-1][0] == 2:
            return None
    code, seconds, memory, printed, _ = runs[0]
    good = code in (0, 1) and seconds <= MOST_SECONDS and memory <= MOST_MEGABYTES
    columns = "".join(f"{s:9.2f} {m:8.0f}" for _, s, m, _, _ in runs)
    remark = "" if code in (0, 1) else f"  ended with {code}"
    if len(runs) > 1 and runs[1][0] in (0, 1):
        same = says_all_of(json.loads(printed), json.loads(runs[1][3]))
        good &= same
        remark += "  equal" if same else "  DIFFERS"
    name = " ".join(os.path.basename(w).replace(".json", "") for w in words if w not in
                    ("--model", "--topology"))
    return f"{name:84}{columns}{remark}", good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=200, help="CPU seconds after which a run ends")
    given = parser.parse_args()
    programs = [os.path.abspath(each) for each in given.programs]
    print(f"{'plan, model, machine':84}" + "   CPU s       MB" * len(programs), flush=True)
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for words in [*shipped_runs(), *large_runs(folder)]:
            if given.only not in " ".join(words):
                continue
            row = row_of(programs, words, given.limit)
            if row:
                print(row[0], flush=True)
                missed |= not row[1]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
