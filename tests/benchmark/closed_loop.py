#!/usr/bin/env python3
"""Predicts a step of several plans and runs them, in a box of shaped links on this machine.

  tests/benchmark/closed_loop.py BUILD_DIRECTORY [--ranks 4] [--steps 20] [--plans dp,tp2-pp2,zero3]

Calibrates once for all plans: operators' processor times from a short run of each in the box, where
ranks compute beside one another and beside the network's work (--operators alone: from steps without
a network), then messages (quintet calibrate). Then for every plan: quintet simulate, and a run of its
own (quintet run --shape). Prints predicted and measured step times (median), their differences and
Kendall's tau of the two orders. Files stay in --out. Needs nothing but Python 3. The model is a GPT of
12.8 million parameters, a step 16 sequences of 128 bytes: computing and 1 Gbit/s are about equally
long, and messages are long beside what a shaped link passes at once.
"""

import argparse
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import time

MODEL = {"model_type": "gpt2", "n_layer": 4, "n_embd": 512, "n_head": 8, "n_positions": 128,
         "vocab_size": 256, "activation_function": "gelu_new", "resid_pdrop": 0.0,
         "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": True}
SEQUENCES = 16  # of a step, whatever the plan

# Degrees and what else differs; micro-batches make up the step's sequences.
PLANS = {
    4: {
        "dp": {"data": 4, "micro_batch": 4},
        "dp-buckets": {"data": 4, "micro_batch": 1, "bucket": "4 MB"},
        "zero1": {"data": 4, "micro_batch": 2, "sharding": "optimizer"},
        "zero3": {"data": 4, "micro_batch": 4, "sharding": "parameters"},
        "tp2-dp2": {"tensor": 2, "data": 2, "micro_batch": 4},
        "tp2-pp2": {"tensor": 2, "pipeline": 2, "micro_batch": 4},
        "pp4": {"pipeline": 4, "micro_batch": 2},
        "tp4": {"tensor": 4, "micro_batch": 4},
    },
    8: {
        "dp": {"data": 8, "micro_batch": 2},
        "zero3": {"data": 8, "micro_batch": 2, "sharding": "parameters"},
        "tp2-pp2-dp2": {"tensor": 2, "pipeline": 2, "data": 2, "micro_batch": 2},
    },
}


def plan_file(folder, ranks, name):
    """Writes the plan as JSON and returns its path."""
    what = dict(PLANS[ranks][name])
    bucket = what.pop("bucket", None)
    parallelism = {"sequence_length": 128, "compute_type": "fp32", "gradient_type": "fp32",
                   **what}
    parallelism["micro_batches"] = SEQUENCES // (what.get("data", 1) * what["micro_batch"])
    plan = {"name": f"{name}-{ranks}", "parallelism": parallelism, "network": {"mtu": "1448 B"}}
    if bucket:
        plan["ccl"] = {"bucket": bucket}
    path = folder / f"{plan['name']}.json"
    path.write_text(json.dumps(plan, indent=2) + "\n")
    return path


def topology_file(folder, given, ranks):
    """The shipped box with as many hosts as ranks."""
    shipped = pathlib.Path(__file__).resolve().parents[2] / "topologies" / f"{given}.json"
    topology = json.loads(shipped.read_text())
    topology["hosts"] = ranks
    topology["host"] = str(shipped.parent / topology["host"])
    path = folder / f"box-{ranks}.json"
    path.write_text(json.dumps(topology, indent=2) + "\n")
    return path


def run(command, **more):
    print("+", *command, file=sys.stderr)
    done = subprocess.run([str(word) for word in command], **more)
    if done.returncode != 0:
        sys.exit(f"closed_loop.py: {command[0]} {command[1]} ended with {done.returncode}")
    return done


def predicted_step(options, plan):
    done = run([options.quintet, "simulate", plan, "--model", options.model, "--topology",
                options.topology, "--costs", options.costs, "--json", "--quiet", "--trace",
                plan.with_suffix(".predicted.json")],
               stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["summary"][0]["step_s"]


def run_plan(options, plan, steps, what):
    """Runs it in the box; the log and the timeline of the median step get names with `what`."""
    log = plan.with_suffix(f".{what}.log")
    log.unlink(missing_ok=True)
    timeline = plan.with_suffix(f".{what}.json")
    run([options.quintet, "run", plan, "--model", options.model, "--data", options.data,
         "--ranks", options.ranks, "--shape", options.topology, "--steps", steps,
         "--kernels", options.kernels, "--log", log, "--timeline", timeline])
    return log, timeline


def measured_steps(options, plan):
    """Seconds of every step but the first ones, which touch memory and open connections."""
    log, _ = run_plan(options, plan, options.steps + options.warm_up, "measured")
    steps = [json.loads(line) for line in log.read_text().splitlines()]
    return [step["step_s"] for step in steps if step["record"] == "step"][options.warm_up:]


def let_pressure_fall(limit=90):
    """The runs that time operators leave their own mark on what calibrate calls a busy machine."""
    begin = time.monotonic()
    while time.monotonic() - begin < limit:
        some = pathlib.Path("/proc/pressure/cpu").read_text().split("avg10=")[1].split()[0]
        if float(some) < 5:
            return
        time.sleep(3)


def calibrate(options, plans):
    options.costs = options.out / f"costs-{options.ranks}.json"
    timelines = []
    if options.operators == "run":
        timelines = [run_plan(options, plan, options.warm_up + 3, "calibration")[1]
                     for plan in plans]
    if not options.busy:
        let_pressure_fall()
    run([options.quintet, "calibrate", "--model", options.model, "--topology", options.topology,
         "--kernels", options.kernels, "-o", options.costs, "--plan", *plans,
         *(["--measured", *timelines] if timelines else []),
         *(["--busy"] if options.busy else [])])


def kendall_tau(pairs):
    """(concordant - discordant) / all pairs; ties count as neither."""
    score = sum((a[0] > b[0]) - (a[0] < b[0]) == (a[1] > b[1]) - (a[1] < b[1]) and 1 or -1
                for a, b in itertools.combinations(pairs, 2))
    return score / (len(pairs) * (len(pairs) - 1) / 2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, choices=sorted(PLANS), default=4)
    parser.add_argument("--steps", type=int, default=20, help="whose median counts")
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--plans", default="", help="names, by commas; default: all")
    parser.add_argument("--topology", default="box-4-1gbit")
    parser.add_argument("--kernels", default="fast")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("closed-loop"))
    parser.add_argument("--operators", choices=["run", "alone"], default="run",
                        help="where operators are timed")
    parser.add_argument("--busy", action="store_true", help="calibrate on a busy machine too")
    parser.add_argument("--costs", type=pathlib.Path, help="use this table, do not calibrate")
    return parser.parse_args()


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build / "quintet"
    options.model = options.out / "config.json"
    options.model.write_text(json.dumps(MODEL, indent=2) + "\n")
    options.topology = topology_file(options.out, options.topology, options.ranks)
    options.data = pathlib.Path(__file__).resolve().parents[2] / "traces" / "text" / "the-valley.txt"
    names = options.plans.split(",") if options.plans else list(PLANS[options.ranks])
    plans = {name: plan_file(options.out, options.ranks, name) for name in names}
    if options.costs is None:
        calibrate(options, plans.values())
    rows = []
    for name, plan in plans.items():
        predicted = predicted_step(options, plan)
        steps = sorted(measured_steps(options, plan))
        rows.append((name, predicted, statistics.median(steps), steps[0], steps[-1]))
    print(f"\n{options.ranks} ranks, {options.topology.name}, median of {options.steps} steps, "
          f"{time.strftime('%Y-%m-%d')}")
    print(f"{'plan':14} {'predicted':>10} {'measured':>10} {'error':>7}   measured from - to")
    for name, predicted, measured, least, most in rows:
        print(f"{name:14} {predicted * 1e3:7.1f} ms {measured * 1e3:7.1f} ms "
              f"{100 * (predicted / measured - 1):+6.1f} %   {least * 1e3:.1f} - {most * 1e3:.1f} ms")
    if len(rows) > 1:
        print(f"Kendall's tau {kendall_tau([(row[1], row[2]) for row in rows]):.2f}")


if __name__ == "__main__":
    main()
