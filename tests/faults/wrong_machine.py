#!/usr/bin/env python3
"""Predicts a machine, runs on another, and has `quintet compare` say what is wrong with it.

  tests/faults/wrong_machine.py BUILD_DIRECTORY [--out wrong-machine] [--steps 8] [--busy]

Four ranks of a 12.8 million parameter GPT in a box on this machine (quintet run --shape), operators
and messages measured beforehand on 1 Gbit/s links (quintet calibrate --measured). Then
  as predicted    data parallel on 1 Gbit/s links, for what compare says when all is well
  half the rate   the same on links of 500 Mbit/s: the network and the data axis must come first
  a slow rank     a pipeline of four, rank 2 stopped for half of the time (SIGSTOP, 15 ms in 30):
                  its computing must come first
Prints what compare says of each; exit code 1 if one of the last two is not named first. Needs
nothing but Python 3 and the right to make network namespaces. About two minutes on an idle machine.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import fault_trials

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "benchmark"))
import closed_loop  # noqa: E402

SLOW_RANK = 2
STOPPED = 0.015  # seconds, of each twice as long


def machine_at(folder, name, rate):
    """box-4-1gbit with other NICs."""
    host = json.loads((ROOT / "topologies" / "hosts" / "box-1gbit.json").read_text())
    host["nic"]["bandwidth"] = rate
    (folder / f"host-{name}.json").write_text(json.dumps(host, indent=2) + "\n")
    machine = json.loads((ROOT / "topologies" / "box-4-1gbit.json").read_text())
    machine["host"] = str(folder / f"host-{name}.json")
    path = folder / f"{name}.json"
    path.write_text(json.dumps(machine, indent=2) + "\n")
    return path


def run_command(options, plan, machine, timeline):
    return [str(word) for word in
            [options.quintet, "run", plan, "--model", options.model, "--data", options.data,
             "--ranks", 4, "--shape", machine, "--steps", options.steps + 3, "--timeline",
             timeline]]


def slow_down(process, rank):
    """Stops a rank for half of the time until the launcher has ended."""
    until = time.monotonic() + 60
    ranks = {}
    while rank not in ranks and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
        ranks = fault_trials.ranks_below(process.pid)
    pid = ranks.get(rank)
    while pid is not None and process.poll() is None:
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(STOPPED)
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            break
        time.sleep(STOPPED)


def run_plan(options, plan, machine, timeline, slowed=None):
    print("+ run", plan.name, machine.name, file=sys.stderr)
    with subprocess.Popen(run_command(options, plan, machine, timeline),
                          stdout=subprocess.DEVNULL) as process:
        if slowed is not None:
            slow_down(process, slowed)
        if process.wait() != 0:
            sys.exit(f"wrong_machine.py: the run of {plan} ended with {process.returncode}")


def compared(options, plan, timeline):
    """What compare says of a run of the plan, as text and as JSON; the prediction is for 1 Gbit/s."""
    predicted = plan.with_suffix(".predicted.json")
    closed_loop.run([options.quintet, "simulate", plan, "--model", options.model, "--topology",
                     options.machine, "--costs", options.costs, "--quiet", "--trace", predicted],
                    stdout=subprocess.DEVNULL)
    command = [str(options.quintet), "compare", str(predicted), str(timeline)]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    done = subprocess.run(command + ["--json"], stdout=subprocess.PIPE, text=True, check=True)
    return text, json.loads(done.stdout)


def first_cause(comparison):
    step = comparison["step"]
    assert sum(each["measured"] for each in comparison["causes"]) == step["measured"]
    assert sum(each["predicted"] for each in comparison["causes"]) == step["predicted"]
    return max(comparison["causes"], key=lambda each: abs(each["measured"] - each["predicted"]))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("wrong-machine"))
    parser.add_argument("--steps", type=int, default=8, help="besides three that do not count")
    parser.add_argument("--busy", action="store_true", help="measure on a busy machine, too")
    return parser.parse_args()


def main():
    options = arguments()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build.resolve() / "quintet"
    options.model = options.out / "config.json"
    options.model.write_text(json.dumps(closed_loop.MODEL, indent=2) + "\n")
    options.data = ROOT / "traces" / "text" / "the-valley.txt"
    options.machine = machine_at(options.out, "1gbit", "1 Gb/s")
    slow_machine = machine_at(options.out, "500mbit", "500 Mb/s")
    data, pipeline = (closed_loop.plan_file(options.out, 4, name) for name in ("dp", "pp4"))
    timelines = []
    for plan in (data, pipeline):
        timelines.append(plan.with_suffix(".calibration.json"))
        run_plan(options, plan, options.machine, timelines[-1])
    options.costs = options.out / "costs.json"
    if not options.busy:
        closed_loop.let_pressure_fall()
    closed_loop.run([options.quintet, "calibrate", "--model", options.model, "--topology",
                     options.machine, "-o", options.costs, "--plan", data, pipeline, "--measured",
                     *timelines, "--message-time", 20,
                     *(["--busy"] if options.busy else [])])
    trials = [("as predicted", data, options.machine, None, {}),
              ("half the rate", data, slow_machine, None, {"cause": "network", "axis": "data"}),
              ("a slow rank", pipeline, options.machine, SLOW_RANK,
               {"cause": "rank", "rank": SLOW_RANK})]
    missed = []
    for name, plan, machine, slowed, wanted in trials:
        timeline = options.out / f"{name.replace(' ', '-')}.json"
        run_plan(options, plan, machine, timeline, slowed)
        text, comparison = compared(options, plan, timeline)
        print(f"\n== {name}\n{text.split('Where the time of a step goes')[0].rstrip()}")
        found = first_cause(comparison)
        if any(found.get(key) != value for key, value in wanted.items()):
            missed.append(name)
    if missed:
        sys.exit(f"\nNot named first: {', '.join(missed)}")
    print("\nBoth faults are named first.")


if __name__ == "__main__":
    main()
