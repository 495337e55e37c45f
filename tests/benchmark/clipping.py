#!/usr/bin/env python3
"""Clips gradients in three places, in a box of shaped links on this machine: what a step takes, and
what the loss makes of it.

  tests/benchmark/clipping.py BUILD_DIRECTORY [--steps 12] [--rounds 3] [--costs TABLE] [--busy]

Time: a BERT of 12.8 million parameters on 4 ranks with links of 1 Gbit/s, buckets of 4 MB; clipping
per bucket before the reduction (BWGC), after the reduction, before the reduction (of all local
gradients). Operators and messages are measured once (quintet calibrate) unless --costs has a table;
every plan is predicted (quintet simulate) and run (quintet run --shape) in turns, so that all meet
the machine alike. Noise is how far apart the medians of the rounds lie.
Loss: a smaller BERT, 200 steps on unshaped ranks, clipped after the reduction with three seeds and
per bucket with the same three: the mean loss of the last 20 steps. Files stay in --out. Needs
nothing but Python 3.
"""

import argparse
import json
import pathlib
import statistics
import sys

import closed_loop

BERT = {"model_type": "bert", "num_hidden_layers": 4, "hidden_size": 512, "num_attention_heads": 8,
        "intermediate_size": 2048, "max_position_embeddings": 128, "type_vocab_size": 2,
        "vocab_size": 264, "hidden_act": "gelu", "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0, "tie_word_embeddings": True}
SMALL = {**BERT, "num_hidden_layers": 2, "hidden_size": 128, "num_attention_heads": 4,
         "intermediate_size": 512, "max_position_embeddings": 64}
MODES = ["per-bucket", "after-reduction", "before-reduction"]
SEEDS = [0, 1, 2]


def plan_file(folder, name, clipping, length, bucket):
    plan = {"name": name,
            "parallelism": {"data": 4, "sequence_length": length, "micro_batch": 4,
                            "micro_batches": 1, "compute_type": "fp32", "gradient_type": "fp32",
                            "clipping": clipping},
            "ccl": {"bucket": bucket}, "network": {"mtu": "1448 B"}}
    path = folder / f"{name}.json"
    path.write_text(json.dumps(plan, indent=2) + "\n")
    return path


def records(log):
    return [each for each in map(json.loads, log.read_text().splitlines())
            if each["record"] == "step"]


def times(options):
    plans = {mode: plan_file(options.out, f"bert-{mode}", mode, 128, "4 MB") for mode in MODES}
    if options.costs is None:
        closed_loop.calibrate(options, list(plans.values()))
    medians = {mode: [] for mode in MODES}
    for _ in range(options.rounds):
        for mode, plan in plans.items():
            medians[mode].append(statistics.median(closed_loop.measured_steps(options, plan)))
    print(f"\nBERT, 12.8 million parameters, 4 ranks, {options.topology.name}, {options.rounds} rounds "
          f"of {options.steps} steps")
    print(f"{'clipping':18} {'predicted':>10} {'measured':>10} {'error':>8}   medians of the rounds")
    for mode, plan in plans.items():
        predicted, measured = closed_loop.predicted_step(options, plan), statistics.median(medians[mode])
        print(f"{mode:18} {predicted * 1e3:7.1f} ms {measured * 1e3:7.1f} ms "
              f"{100 * (predicted / measured - 1):+6.1f} %   "
              + ", ".join(f"{each * 1e3:.1f}" for each in medians[mode]), flush=True)


def final_loss(options, plan, seed):
    log = plan.with_suffix(f".{seed}.log")
    log.unlink(missing_ok=True)
    closed_loop.run([options.quintet, "run", plan, "--model", options.model, "--data", options.data,
                     "--ranks", 4, "--steps", options.loss_steps, "--seed", seed, "--learning-rate",
                     1e-3, "--quiet", "--log", log], stdout=sys.stderr)
    return statistics.mean(each["loss"] for each in records(log)[-20:])


def losses(options):
    options.model = options.out / "small" / "config.json"
    options.model.parent.mkdir(exist_ok=True)
    options.model.write_text(json.dumps(SMALL, indent=2) + "\n")
    found = {}
    for mode in MODES[:2]:
        plan = plan_file(options.out, f"small-{mode}", mode, 64, "256 KB")
        found[mode] = [final_loss(options, plan, seed) for seed in SEEDS]
    print(f"\nMean loss of the last 20 of {options.loss_steps} steps, seeds {SEEDS}")
    for mode, each in found.items():
        print(f"{mode:18} " + " ".join(f"{loss:.4f}" for loss in each)
              + f"   mean {statistics.mean(each):.4f}")
    after, buckets = found["after-reduction"], found["per-bucket"]
    mean = statistics.mean(buckets)
    print("per-bucket's mean lies within after-reduction's seeds" if min(after) <= mean <= max(after)
          else f"per-bucket's mean is off their range by "
          f"{max(min(after) - mean, mean - max(after)):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=12, help="of a round, whose median counts")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--loss-steps", type=int, default=200)
    parser.add_argument("--only", choices=["times", "losses"])
    parser.add_argument("--topology", default="box-4-1gbit")
    parser.add_argument("--kernels", default="fast")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("clipping"))
    parser.add_argument("--busy", action="store_true", help="calibrate on a busy machine too")
    parser.add_argument("--costs", type=pathlib.Path, help="use this table, do not calibrate")
    options = parser.parse_args()
    options.ranks, options.operators = 4, "run"
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build / "quintet"
    options.model = options.out / "config.json"
    options.model.write_text(json.dumps(BERT, indent=2) + "\n")
    options.topology = closed_loop.topology_file(options.out, options.topology, options.ranks)
    options.data = (pathlib.Path(__file__).resolve().parents[2] / "traces" / "text" /
                    "the-valley.txt")
    if options.only != "losses":
        times(options)
    if options.only != "times":
        losses(options)


if __name__ == "__main__":
    main()
