#!/usr/bin/env python3
"""Cuts a random rank's link in the middle of a training run in a box, many times over.

Every time: all ranks must have ended within 10 s, nothing may be left running, and every rank on the
other side of the cut must have named the rank that it lost. Needs network namespaces (skips loudly
without), iproute2 and nsenter; run it as the user who runs the box.

  tests/faults/cut_links.py --program build/release/quintet --trials 10
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from killed_ranks import LIMIT, PLANS, children, lives, rank_of, wait_for_steps


def ranks_below(process):
    """Rank -> process, of the ranks that a launcher's descendants are."""
    found = {}
    for child in children(process):
        try:
            found[rank_of(child)] = child
        except (AttributeError, OSError):
            pass  # a keeper of namespaces
        found.update(ranks_below(child))
    return found


def inside(process, *command):
    enter = ["nsenter", f"--net=/proc/{process}/ns/net"]
    if os.geteuid() != 0:
        enter = ["nsenter", "--target", str(process), "--user", "--preserve-credentials", "--net"]
    return subprocess.run([*enter, *command], check=True, stdout=subprocess.PIPE, text=True).stdout


def cut(process):
    for line in inside(process, "ip", "-o", "link").splitlines():
        device = line.split(":")[1].strip().split("@")[0]
        if device != "lo":
            inside(process, "ip", "link", "set", device, "down")


def cut_one(arguments, chance, plan, folder):
    log = folder / "log.jsonl"
    run = subprocess.Popen([arguments.program, "run", plan, "--model", "tiny-gpt", "--data",
                            "the-valley", "--steps", "100000", "--shape", "box-4-1gbit",
                            "--log", str(log)],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_steps(log, run, 3)
        ranks = ranks_below(run.pid)
        assert sorted(ranks) == [0, 1, 2, 3], f"expected 4 ranks, found {ranks}"
        victim = chance.randrange(4)
        time.sleep(chance.random())
        start = time.monotonic()
        cut(ranks[victim])
        errors = run.communicate(timeout=LIMIT + 20)[1]
        took = time.monotonic() - start
    finally:
        run.kill()
    left = [process for process in ranks.values() if lives(process)]
    assert run.returncode == 1, f"exit code {run.returncode}: {errors}"
    for rank in set(ranks) - {victim}:
        assert re.search(rf"^rank {rank}: quintet: rank {victim}: ", errors, re.M), \
            f"rank {rank} did not name rank {victim}: {errors}"
    assert took <= LIMIT, f"all ended only after {took:.1f} s"
    assert not left, f"still running: {left}"
    return victim, took


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="quintet")
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.program = os.path.abspath(arguments.program)
    if subprocess.run(["unshare", "--user", "--map-root-user", "--net", "true"]).returncode != 0:
        print("SKIPPED: no network namespaces here", file=sys.stderr)
        return 77
    chance = random.Random(arguments.seed)
    longest = 0.0
    for trial in range(1, arguments.trials + 1):
        plan = chance.choice(PLANS)
        with tempfile.TemporaryDirectory(prefix="quintet-faults-") as name:
            try:
                victim, took = cut_one(arguments, chance, plan, pathlib.Path(name))
            except AssertionError as wrong:
                print(f"trial {trial}, {plan}: {wrong}", file=sys.stderr)
                return 1
        longest = max(longest, took)
        print(f"trial {trial}: {plan}, rank {victim} cut off, all ended after {took:.2f} s",
              flush=True)
    print(f"{arguments.trials} trials, the longest end took {longest:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
