#!/usr/bin/env python3
"""Cuts a random rank's link in the middle of a training run in a box, many times over.

Every time: all ranks must have ended within 10 s, nothing may be left running, and every rank on the
other side of the cut must have named the rank that it lost. Needs network namespaces (skips loudly
without), iproute2 and nsenter; run it as the user who runs the box.

  tests/faults/cut_links.py --program build/release/quintet --trials 10
"""

import os
import subprocess
import sys
import time

from fault_trials import RANKS, Training, expect_all_name, expect_in_time, run_trials


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


def cut_one(program, chance, plan, folder):
    with Training(program, plan, folder, "--shape", "box-4-1gbit") as training:
        training.go_on_for(3)
        victim = chance.choice(RANKS)
        time.sleep(chance.random())
        start = time.monotonic()
        cut(training.ranks[victim])
        errors = training.errors_at_the_end()
        took = expect_in_time(time.monotonic() - start)
    expect_all_name(errors, set(RANKS) - {victim}, f"rank {victim}: ")
    return f"rank {victim} cut off", took


if __name__ == "__main__":
    if subprocess.run(["unshare", "--user", "--map-root-user", "--net", "true"]).returncode != 0:
        print("SKIPPED: no network namespaces here", file=sys.stderr)
        sys.exit(77)
    sys.exit(run_trials(__doc__, 10, cut_one))
