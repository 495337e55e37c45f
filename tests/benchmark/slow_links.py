#!/usr/bin/env python3
"""Predicts and runs pipelines over a link that is late: 1F1B, zero-bubble, delegated, adapted, ours.

  tests/benchmark/slow_links.py BUILD_DIRECTORY [--costs TABLE] [--only METHOD,...] [--out FOLDER]

Four ranks, a host each in a box of shaped links, 12 micro-batches; the last stage's link is 0, 10, 20,
40 and 60 ms late one after another. 1F1B is Megatron-LM's order, zero-bubble PipeMorph's unadapted one
(warm-ups 7, 5, 3, 1; arXiv 2504.19232), delegated the same sent by delegates, adapted its algorithms 2
and 3 for that delay with delegates, and ours zero-bubble with --adapt: what the controller makes of
what it measures. `quintet simulate --faults` and `quintet run --shape --faults` get the same file. Without --costs
it calibrates first, as closed_loop.py does, and measures operators anew before every way: the same
step takes 62 to 90 ms on machines that others share. Steps in which the delay turns, or the controller makes
up its mind, are left out. Needs nothing but Python 3.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import closed_loop

MODEL = {"model_type": "gpt2", "n_layer": 16, "n_embd": 96, "n_head": 4, "n_positions": 32,
         "vocab_size": 256, "activation_function": "gelu_new", "resid_pdrop": 0.0,
         "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": False}  # fmt: skip
MICRO_BATCHES, DELEGATES = 12, 2
DELAYS = [0, 10, 20, 40, 60]  # ms
WELL, STEPS, SETTLED = 6, 10, 5  # steps before the first delay, of each delay, and of it left out
METHODS = ["1f1b", "zero-bubble", "delegated", "adapted", "ours"]


def write(path, content):
    path.write_text(json.dumps(content, indent=2) + "\n")
    return path


def plan_file(folder, name, **fields):
    parallelism = {"pipeline": 4, "sequence_length": 32, "micro_batches": MICRO_BATCHES,
                   "compute_type": "fp32", "gradient_type": "fp32", "clipping": "none"}  # fmt: skip
    delegated = fields.pop("delegated", False)
    host_net = {"pipeline_delivery": "delegated", "delegates": DELEGATES} if delegated else {}
    return write(folder / f"{name}.json", {"name": name, "parallelism": {**parallelism, **fields},
                 "host_net": host_net, "network": {"mtu": "1448 B"}})  # fmt: skip


def fault_file(folder, name, delays):
    """Each delay for STEPS steps, after WELL steps without."""
    events, step = [], WELL + 1
    for delay in delays:
        if delay:
            events.append({"what": "delay", "part": "host3/nic0", "by": f"{delay} ms", "step": step,
                           "until_step": step + STEPS})  # fmt: skip
        step += STEPS
    return write(folder / f"{name}.faults.json", {"name": name, "source": __file__, "events": events}), step - 1


def by_delay(steps, delays):
    """The settled steps of each delay; the settled ones before the first for 0."""
    found = {0: steps[2:WELL]}
    for number, delay in enumerate(delays):
        begin = WELL + number * STEPS
        found[delay] = steps[begin + SETTLED : begin + STEPS - 1]
    return found


def run(command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"slow_links.py: {' '.join(map(str, command))} ended with {done.returncode}")
    return done.stdout


def predicted(options, plan, faults, total, more):
    out = run([options.quintet, "simulate", plan, "--model", options.model, "--topology", options.topology,
               "--costs", options.costs, "--faults", faults, "--steps", total, "--json", "--quiet", *more])  # fmt: skip
    (found,) = json.loads(out)["runs"]
    return [rows["step_s"] for rows in found["steps"] for _ in range(rows["first"], rows["last"] + 1)]


def measured(options, plan, faults, total, more):
    log = options.out / f"{plan.stem}.{faults.stem}.log"
    log.unlink(missing_ok=True)
    run([options.quintet, "run", plan, "--model", options.model, "--data", options.data, "--shape",
         options.topology, "--faults", faults, "--steps", total, "--kernels", "fast", "--costs",
         options.costs, "--log", log, *more])  # fmt: skip
    records = [json.loads(line) for line in log.read_text().splitlines()]
    for each in records:
        if each["record"] == "plan":
            print(f"  after step {each['after_step']}: {each['name']}", file=sys.stderr)
    return [each["step_s"] for each in records if each["record"] == "step"]


def stage_times(options, plan):
    """What passes take, of the prediction without delays: seconds of F, B and W by stage."""
    trace = plan.with_suffix(".trace.json")
    run([options.quintet, "simulate", plan, "--model", options.model, "--topology", options.topology,
         "--costs", options.costs, "--quiet", "--trace", trace])  # fmt: skip
    sums = {}
    for event in json.loads(trace.read_text())["traceEvents"]:
        about = event.get("args", {})
        if event.get("ph") != "X" or "micro_batch" not in about or about.get("phase") is None:
            continue
        key = (event["pid"], about["phase"])
        sums[key] = sums.get(key, 0) + event["dur"] * 1e-6
    pids = sorted({pid for pid, _ in sums})
    return [[sums.get((pid, phase), 0) / MICRO_BATCHES for phase in ("forward", "input_gradient", "weight_gradient")]
            for pid in pids]  # fmt: skip


def adapted_plan(options, times, delay):
    stages = [{"forward": f"{f} s", "input_gradient": f"{b} s", "weight_gradient": f"{w} s",
               "delay": f"{delay if number == 2 else 0} ms"} for number, (f, b, w) in enumerate(times)]  # fmt: skip
    return plan_file(options.out, f"adapted-{delay}", schedule="adapted", stage_times=stages, delegated=True)


def rows_of(options, method, plans):
    """By delay: predicted, measured median, least and most."""
    if method == "adapted":
        rows = {}
        for delay in DELAYS[1:]:
            faults, total = fault_file(options.out, f"late-{delay}", [delay])
            plan = adapted_plan(options, options.times, delay)
            guess = by_delay(predicted(options, plan, faults, total, []), [delay])[delay]
            seen = by_delay(measured(options, plan, faults, total, []), [delay])[delay]
            rows[delay] = (guess, seen)
        return rows
    faults, total = fault_file(options.out, "late", DELAYS[1:])
    more = ["--adapt"] if method == "ours" else []
    guess = by_delay(predicted(options, plans[method], faults, total, more), DELAYS[1:])
    seen = by_delay(measured(options, plans[method], faults, total, more), DELAYS[1:])
    return {delay: (guess[delay], seen[delay]) for delay in DELAYS}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--costs", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(METHODS))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("slow-links"))
    parser.add_argument("--calibrate-only", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build / "quintet"
    options.model = write(options.out / "config.json", MODEL)
    options.topology = closed_loop.topology_file(options.out, "box-4-1gbit", 4)
    options.data = pathlib.Path(__file__).resolve().parents[2] / "traces" / "text" / "the-valley.txt"
    zero_bubble = {"schedule": "warm-up", "warm_ups": [7, 5, 3, 1]}
    plans = {"1f1b": plan_file(options.out, "1f1b"),
             "zero-bubble": plan_file(options.out, "zero-bubble", **zero_bubble),
             "delegated": plan_file(options.out, "delegated", delegated=True, **zero_bubble)}  # fmt: skip
    plans["ours"] = plans["zero-bubble"]
    given = options.costs is not None
    options.ranks, options.warm_up, options.kernels = 4, 17, "fast"
    options.operators, options.busy = "run", True

    def calibrate():  # messages once: the journal has them
        if not given:
            closed_loop.calibrate(options, [plans["1f1b"], plans["zero-bubble"]])
        options.times = stage_times(options, plans["zero-bubble"])

    if options.calibrate_only:
        return calibrate()
    print(f"4 ranks, {options.topology.name}, {time.strftime('%Y-%m-%d')}: a step in ms, median of {STEPS - SETTLED - 1}")
    print(f"{'':12} {'delay':>6} {'predicted':>10} {'measured':>10} {'error':>8}   from - to")
    for method in options.only.split(","):
        calibrate()
        for delay, (guess, seen) in rows_of(options, method, plans).items():
            expected, median = statistics.median(guess), statistics.median(seen)
            print(f"{method:12} {delay:6} {expected * 1e3:10.1f} {median * 1e3:10.1f} {100 * (expected / median - 1):+7.1f} %"
                  f"   {min(seen) * 1e3:.1f} - {max(seen) * 1e3:.1f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
