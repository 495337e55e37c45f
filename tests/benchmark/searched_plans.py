#!/usr/bin/env python3
"""Searches plans for a box of shaped links on this machine, runs the best and some others, and compares.

  tests/benchmark/searched_plans.py BUILD_DIRECTORY [--topology box-4-1gbit] [--rounds 3] [--costs TABLE]
  tests/benchmark/searched_plans.py BUILD_DIRECTORY --topology box-4x2-two-rails --co-design

Calibrates as closed_loop.py does (or takes --costs), lets `quintet search --exact fluid` judge every plan of
a space (degrees, micro-batches, sharding, schedule; ccl's algorithms and buckets; hierarchical or flat;
placement), and runs the ten best and ten others drawn at random (--seed), each once per round in another
order, so that a machine that drifts does so under all of them. A plan's time is the median of all of its
steps but the first of each run. Prints predicted and measured times, what the chosen plan is slower than the
best measured one, and Kendall's tau. --co-design searches twice: layer 1 alone, all else as usual, and all
layers; both winners are run, and what the second gains is printed as predicted and as measured. Files stay
in --out. Needs nothing but Python 3.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

import closed_loop

MODEL = {"model_type": "gpt2", "n_layer": 8, "n_head": 8, "n_positions": 64,
         "vocab_size": 256, "activation_function": "gelu_new", "resid_pdrop": 0.0,
         "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": False}  # fmt: skip
BATCH, LENGTH, BEST, RANDOM = 16, 64, 10, 10
MICRO_BATCHES, SHARDINGS = (1, 2, 4), ("none", "optimizer")
USUAL = {"--micro-batch": ",".join(map(str, MICRO_BATCHES)), "--sharding": ",".join(SHARDINGS), "--sequence": LENGTH, "--global-batch": BATCH, "--precision": "fp32", "--attention": "flash"}
FIXED = ["network.mtu=1448 B", "parallelism.gradient_type=fp32"]
LAYER_1 = ["parallelism.tensor=1,2,4", "parallelism.pipeline=free", "parallelism.order=free"]
ALGORITHMS = "ring,tree,halving-doubling"
OTHERS = [f"ccl.data.algorithm={ALGORITHMS}", f"ccl.tensor.algorithm={ALGORITHMS}", "ccl.bucket=1 MB,4 MB,100 MB",
          "intra_inter.data=free", "intra_inter.placement=free"]  # fmt: skip


def search(options, name, fields, top):
    """The plans of the space, the best first: [{"name", "step_s", "plan", ...}]; their files are written."""
    command = [options.quintet, "search", "--model", options.model, "--topology", options.topology, "--costs",
               options.costs, "--exact", "fluid", "--top", top, "--json", "--quiet", "-o", options.out / name]  # fmt: skip
    for option, value in USUAL.items():
        command += [option, value]
    for field in fields:
        command += ["--set", field]
    for field in FIXED:
        command += ["--fix", field]
    begin = time.monotonic()
    done = closed_loop.run(command, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    print(f"{name}: {found['candidates']} candidates, proven at {found['proven']}, "
          f"{time.monotonic() - begin:.1f} s", file=sys.stderr)  # fmt: skip
    for place, plan in enumerate(found["plans"]):
        plan["file"] = options.out / f"{name}-{place + 1:03}.json"
        plan["file"].write_text(json.dumps(plan["plan"], indent=2) + "\n")
    return unlike(found["plans"])


def unlike(plans):
    """One plan of each predicted time: those that differ in decisions without effect are one."""
    kept = []
    for plan in plans:
        if not kept or plan["step_s"] > kept[-1]["step_s"] * (1 + 1e-6):
            kept.append(plan)
    return kept


def measure(options, plans):
    """Runs each plan in every round; adds "steps" to each."""
    rounds = random.Random(options.seed)
    for plan in plans:
        plan["steps"] = []
    for number in range(options.rounds):
        for plan in rounds.sample(plans, len(plans)):
            log, _ = closed_loop.run_plan(options, plan["file"], options.steps + options.warm_up, f"round{number}")
            records = [json.loads(line) for line in log.read_text().splitlines()]
            steps = [record["step_s"] for record in records if record["record"] == "step"]
            plan["steps"] += steps[options.warm_up :]
    for plan in plans:
        plan["measured"] = statistics.median(plan["steps"])


def table(options, plans):
    print(f"\n{options.ranks} ranks, {options.topology.name}, {options.rounds} rounds of {options.steps} steps, "
          f"{time.strftime('%Y-%m-%d')}")  # fmt: skip
    print(f"{'place':>5}  {'plan':44} {'predicted':>10} {'measured':>10} {'error':>7}   measured from - to")
    for plan in plans:
        error = plan["step_s"] / plan["measured"] - 1
        said = ", ".join(f"{field.split('.', 1)[1]} {value}" for field, value in plan["choices"].items())
        print(f"{plan['place']:5}  {said[:44]:44} {plan['step_s'] * 1e3:7.1f} ms {plan['measured'] * 1e3:7.1f} ms "
              f"{100 * error:+6.1f} %   {min(plan['steps']) * 1e3:.1f} - {max(plan['steps']) * 1e3:.1f} ms")  # fmt: skip
    pairs = [(plan["step_s"], plan["measured"]) for plan in plans]
    errors = sorted(abs(predicted / measured - 1) for predicted, measured in pairs)
    print(f"error: median {100 * statistics.median(errors):.1f} %, largest {100 * errors[-1]:.1f} %; "
          f"Kendall's tau {closed_loop.kendall_tau(pairs):.2f}")  # fmt: skip


def chosen_against_best(options):
    plans = search(options, "all", LAYER_1 + OTHERS, 10000)
    if len(plans) < 40:
        sys.exit(f"searched_plans.py: the space has {len(plans)} plans of different times, fewer than 40")
    for place, plan in enumerate(plans):
        plan["place"] = place + 1
    chosen = plans[:BEST] + random.Random(options.seed).sample(plans[BEST:], min(RANDOM, len(plans) - BEST))
    measure(options, chosen)
    table(options, chosen)
    best = min(chosen, key=lambda plan: plan["measured"])
    print(f"{len(plans)} plans of different predicted times; the chosen one is {100 * (chosen[0]['measured'] / best['measured'] - 1):.1f} % slower than "
          f"the best measured, place {best['place']}")  # fmt: skip


def co_design(options):
    alone = search(options, "layer-1", LAYER_1, 10)[0]
    together = search(options, "all-layers", LAYER_1 + OTHERS, 10)[0]
    alone["place"], together["place"] = "one", "all"
    measure(options, [alone, together])
    table(options, [alone, together])
    print(f"all layers against layer 1 alone: predicted {alone['step_s'] / together['step_s']:.2f} times as fast, "
          f"measured {alone['measured'] / together['measured']:.2f} times")  # fmt: skip


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--topology", default="box-4-1gbit")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=256, help="of the model, in 8 heads and 8 layers")
    parser.add_argument("--kernels", default="fast")
    parser.add_argument("--costs", type=pathlib.Path, help="use this table, do not calibrate")
    parser.add_argument("--busy", action="store_true", help="calibrate on a busy machine too")
    parser.add_argument("--co-design", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("searched"))
    return parser.parse_args()


def calibration_plans(options):
    """Every layout with every micro-batch and sharding that is searched: their short runs time the operators."""
    plans = []
    degrees = [1 << power for power in range(options.ranks.bit_length())]
    for tensor, pipeline in ((t, p) for t in degrees[:3] for p in degrees if options.ranks % (t * p) == 0):
        data = options.ranks // (tensor * pipeline)
        shardings = SHARDINGS if data > 1 else SHARDINGS[:1]
        for size, sharding in ((m, s) for m in MICRO_BATCHES for s in shardings if BATCH % (data * m) == 0):
            name = f"calibrate-t{tensor}-p{pipeline}-m{size}-{sharding}"
            parallelism = {"sequence_length": LENGTH, "compute_type": "fp32", "gradient_type": "fp32",
                           "tensor": tensor, "pipeline": pipeline, "data": data, "micro_batch": size,
                           "micro_batches": BATCH // (data * size), "sharding": sharding}  # fmt: skip
            plan = {"name": name, "parallelism": parallelism, "network": {"mtu": "1448 B"}}
            plans.append(options.out / f"{name}.json")
            plans[-1].write_text(json.dumps(plan, indent=2) + "\n")
    return plans


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build / "quintet"
    options.model = options.out / "config.json"
    options.model.write_text(json.dumps({**MODEL, "n_embd": options.width}, indent=2) + "\n")
    root = pathlib.Path(__file__).resolve().parents[2]
    options.topology = root / "topologies" / f"{options.topology}.json"
    machine = json.loads(options.topology.read_text())
    host = json.loads((options.topology.parent / machine["host"]).read_text())
    options.ranks = machine["hosts"] * host["slots"]
    options.data, options.operators = root / "traces" / "text" / "the-valley.txt", "run"
    if options.costs is None:
        closed_loop.calibrate(options, calibration_plans(options))
    (co_design if options.co_design else chosen_against_best)(options)


if __name__ == "__main__":
    main()
