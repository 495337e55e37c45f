#!/usr/bin/env python3
"""Runs and steps with one thing wrong each: does the report of `quintet replay` name it first?

  tests/benchmark/diagnosed_runs.py BUILD_DIRECTORY [--out FOLDER] [--only slow-rank,...]

Two are runs of this project's engine in a box of four hosts joined by 1 Gbit/s (needs root, for
namespaces), of 24 steps of tiny-gpt: a rank at a tenth of a core, and a cable at a tenth of its rate.
Two are predicted steps: eight H100s whose CPUs take 12 us to launch a kernel, and buckets of 4 KiB.
Prints the first finding of each and fails where it is another one than what is wrong. Other work on the
machine makes runs noisy; what is wrong here is larger than that. Needs nothing but Python 3.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

FAULTS = {
    "slow-rank": {"what": "slow", "rank": 1, "share": 0.1, "step": 2},
    "slow-link": {"what": "slow", "part": "host1/nic0", "share": 0.1, "step": 2},
}


def measured(options, name, plan):
    faults = options.out / f"{name}.faults.json"
    faults.write_text(json.dumps({"name": name, "source": __file__, "events": [FAULTS[name]]}) + "\n")
    timeline = options.out / f"{name}.json"
    subprocess.run(
        [options.quintet, "run", plan, "--model", "tiny-gpt", "--data", "the-valley", "--shape",
         "box-4-1gbit", "--steps", "24", "--faults", faults, "--timeline", timeline, "--quiet"],
        check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return timeline


def predicted(options, name, *arguments):
    timeline = options.out / f"{name}.json"
    subprocess.run([options.quintet, "simulate", *arguments, "--model", "tiny-gpt", "--unfolded",
                    "--trace", timeline, "--quiet"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return timeline


# What is wrong: how to make it, and what the first finding is.
CASES = {
    "slow-rank": (lambda options: measured(options, "slow-rank", "tiny-gpt-dp4"),
                  lambda first: first["kind"] == "slow ranks" and first["ranks"] == [1]),
    "slow-link": (lambda options: measured(options, "slow-link", "tiny-gpt-tp2-pp2"),
                  lambda first: first["kind"] == "slow network" and first["hosts"] == ["host1"]),
    "launch-bound": (lambda options: predicted(
                         options, "launch-bound", "--topology", "dgx-h100-1", "--sequence", "128", "--data",
                         "8", "--micro-batches", "2", "--set", "costs.launch.eager=12us", "--trace-ranks",
                         "0-7"),
                     lambda first: first["kind"] == "launch-bound"),
    "small-buckets": (lambda options: predicted(
                          options, "small-buckets", "tiny-gpt-dp4", "--topology", "box-4-1gbit", "--set",
                          "ccl.bucket=4KiB", "--trace-ranks", "0-3"),
                      lambda first: first["kind"] == "small collectives"),
}  # fmt: skip


def first_finding(options, timeline):
    done = subprocess.run([options.quintet, "replay", timeline, "--report", "--json", "--quiet"],
                          check=True, stdout=subprocess.PIPE, text=True)  # fmt: skip
    diagnosis = json.loads(done.stdout)
    timeline.with_suffix(".report.json").write_text(done.stdout)
    for rank in diagnosis["ranks"]:
        parts = sum(rank[part] for part in ("compute", "bubble", "waiting", "copy", "host", "idle"))
        if parts + sum(rank["exposed"].values()) != diagnosis["step"]:
            sys.exit(f"{timeline}: the parts of rank {rank['rank']} do not sum to the step")
    findings = diagnosis["findings"]
    return (findings[0], diagnosis["step"]) if findings else ({"kind": "none", "cost": 0, "cause": ""}, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="keep timelines and reports there")
    parser.add_argument("--only", default=",".join(CASES), help="some of " + ", ".join(CASES))
    options = parser.parse_args()
    options.quintet = options.build / "quintet"
    with tempfile.TemporaryDirectory() as temporary:
        options.out = options.out or pathlib.Path(temporary)
        options.out.mkdir(parents=True, exist_ok=True)
        missed = 0
        for name in options.only.split(","):
            make, is_right = CASES[name]
            first, step = first_finding(options, make(options))
            right = is_right(first)
            missed += not right
            print(f"{name:14} {'named' if right else 'MISSED':7} {100 * first['cost'] / step:5.1f} %  {first['cause']}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
