#!/usr/bin/env python3
"""Holds predicted runs with faults to runs of the same fault file in a box of shaped links.

  tests/benchmark/faulted_loop.py BUILD_DIRECTORY --costs TABLE [--plans dp,pp4,...] [--faults a,b,...]

For every plan of tests/benchmark/closed_loop.py (4 ranks, a host each behind one switch of 1 Gbit/s)
and every kind of fault: `quintet simulate --faults` and `quintet run --shape --faults` of one file, in
which the fault begins with a step and is over with another. Prints the median step before, under and
after it, predicted and measured, the steps measured from - to, and the load of the machine meanwhile:
other work on it makes measured steps longer. Steps that the fault begins or ends in are left out.
TABLE is of closed_loop.py for the same plans (its --out has it): no shipped table knows this model's
operators. Needs nothing but Python 3.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import closed_loop

BEFORE, UNDER, AFTER, WARM_UP = 6, 6, 6, 2
FAULTS = {
    "slow": [{"what": "slow", "part": "host1/nic0", "share": 0.25}],
    "late": [{"what": "delay", "part": "host1/nic0", "by": "20 ms"}],
    "both": [{"what": "slow", "part": "host1/nic0", "share": 0.25},
             {"what": "delay", "part": "host1/nic0", "by": "20 ms"}],
    "rank": [{"what": "slow", "rank": 1, "share": 0.5}],
}  # fmt: skip


def fault_file(folder, name, first, last):
    """Wrong from the beginning of one step to that of another."""
    events = [{**event, "step": first, "until_step": last} for event in FAULTS[name]]
    path = folder / f"{name}.faults.json"
    path.write_text(json.dumps({"name": name, "source": __file__, "events": events}, indent=2) + "\n")
    return path


def by_phase(steps, first, last):
    """Steps before, under and after; without the warm-up and without those in which it turned."""
    return [steps[WARM_UP : first - 1], steps[first : last - 1], steps[last:]]


def predicted(options, plan, faults, total):
    done = subprocess.run(
        [options.quintet, "simulate", plan, "--model", options.model, "--topology", options.topology,
         "--costs", options.costs, "--faults", faults, "--steps", str(total),
         "--json", "--quiet"], check=True, stdout=subprocess.PIPE, text=True)  # fmt: skip
    (run,) = json.loads(done.stdout)["runs"]
    return [rows["step_s"] for rows in run["steps"] for _ in range(rows["first"], rows["last"] + 1)]


def measured(options, plan, faults, total):
    log = options.out / f"{plan.stem}.{faults.stem}.log"
    subprocess.run(
        [options.quintet, "run", plan, "--model", options.model, "--data", options.data, "--shape",
         options.topology, "--faults", faults, "--steps", str(total), "--kernels", "fast", "--log", log],
        check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    records = [json.loads(line) for line in log.read_text().splitlines()]
    for each in records:
        if each["record"] == "fault" and each.get("failure"):
            sys.exit(f"{faults}: {each['failure']}")
    return [each["step_s"] for each in records if each["record"] == "step"]


def row(what, prediction, measurement):
    median = statistics.median(measurement)
    return (f"  {what:7} {prediction * 1e3:8.1f} ms {median * 1e3:8.1f} ms {100 * (prediction / median - 1):+6.1f} %"
            f"   {min(measurement) * 1e3:.1f} - {max(measurement) * 1e3:.1f} ms")  # fmt: skip


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--costs", type=pathlib.Path, required=True)
    parser.add_argument("--plans", default="dp,zero3,tp2-pp2,pp4")
    parser.add_argument("--faults", default="slow,late,both,rank")
    parser.add_argument("--topology", default="box-4-1gbit")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("faulted-loop"))
    return parser.parse_args()


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build / "quintet"
    options.model = options.out / "config.json"
    options.model.write_text(json.dumps(closed_loop.MODEL, indent=2) + "\n")
    options.topology = closed_loop.topology_file(options.out, options.topology, 4)
    options.data = pathlib.Path(__file__).resolve().parents[2] / "traces" / "text" / "the-valley.txt"
    first = WARM_UP + BEFORE + 1
    last = first + UNDER + 1
    total = last + AFTER
    print(f"4 ranks, {options.topology.name}, medians of {BEFORE} to {UNDER} steps, {time.strftime('%Y-%m-%d')}")
    print(f"{'':9} {'predicted':>11} {'measured':>11} {'error':>8}   measured from - to")
    for name in options.plans.split(","):
        plan = closed_loop.plan_file(options.out, 4, name)
        for fault in options.faults.split(","):
            file = fault_file(options.out, fault, first, last)
            expected = by_phase(predicted(options, plan, file, total), first, last)
            seen = by_phase(measured(options, plan, file, total), first, last)
            print(f"{name}, {fault} (load {os.getloadavg()[0]:.1f})")
            for what, one, other in zip(("before", "under", "after"), expected, seen):
                print(row(what, statistics.median(one), other), flush=True)


if __name__ == "__main__":
    main()
