#!/usr/bin/env python3
"""Kills a random rank of a training run at a random moment, many times over.

Every time: the launcher must end within 10 s with exit code 1 and name the rank and the signal, every
other rank must have said which rank it lost, nothing may be left running, and the run must go on from
the newest checkpoint that was complete.

  tests/faults/killed_ranks.py --program build/release/quintet --trials 50
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 10.0  # seconds until all must have ended
PLANS = ["tiny-gpt-tp2-pp2", "tiny-gpt-dp4", "tiny-gpt-zero3"]


def children(process):
    path = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in path.read_text().split()]


def rank_of(process):
    text = pathlib.Path(f"/proc/{process}/environ").read_bytes()
    return int(re.search(rb"(?:^|\0)QUINTET_RANK=(\d+)", text).group(1))


def lives(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def steps_in(log):
    records = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")]
    return [record["step"] for record in records if record["record"] == "step"]


def wait_for_steps(log, run, count):
    until = time.monotonic() + 60
    while time.monotonic() < until and run.poll() is None:
        if log.exists() and len(steps_in(log)) >= count:
            return
        time.sleep(0.01)
    raise AssertionError(f"no {count} steps within 60 s: {run.stderr.read() if run.poll() is not None else ''}")


def complete_checkpoints(folder):
    return sorted(int(path.parent.name.split("-")[1]) for path in folder.glob("step-*/manifest.json"))


def command(arguments, plan, folder, steps, more=()):
    return [arguments.program, "run", plan, "--model", "tiny-gpt", "--data", "the-valley",
            "--steps", str(steps), "--log", str(folder / "log.jsonl"),
            "--checkpoint", str(folder / "kept"), "--checkpoint-every", "2", *more]


def kill_one(arguments, chance, plan, folder):
    log = folder / "log.jsonl"
    run = subprocess.Popen(command(arguments, plan, folder, 100000), stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    try:
        wait_for_steps(log, run, 3)
        ranks = {rank_of(child): child for child in children(run.pid)}
        assert sorted(ranks) == [0, 1, 2, 3], f"expected 4 ranks, found {ranks}"
        victim = chance.randrange(4)
        time.sleep(chance.random())
        start = time.monotonic()
        os.kill(ranks[victim], signal.SIGKILL)
        errors = run.communicate(timeout=LIMIT + 20)[1]
        took = time.monotonic() - start
    finally:
        run.kill()
    left = [process for process in ranks.values() if lives(process)]
    assert run.returncode == 1, f"exit code {run.returncode}: {errors}"
    assert f"quintet: rank {victim} was killed by signal 9" in errors, errors
    for rank in set(ranks) - {victim}:
        assert re.search(rf"^rank {rank}: quintet: rank {victim}: ", errors, re.M), \
            f"rank {rank} did not name rank {victim}: {errors}"
    assert took <= LIMIT, f"all ended only after {took:.1f} s"
    assert not left, f"still running: {left}"
    return victim, took


def resume(arguments, plan, folder):
    done = steps_in(folder / "log.jsonl")[-1]
    kept = complete_checkpoints(folder / "kept")
    # One every second step; the newest may not have been complete.
    newest = kept[-1] if kept else 0
    assert newest >= done - 4, f"{done} steps were done, the newest checkpoint is of {newest}"
    again = subprocess.run(command(arguments, plan, folder, newest + 2, ["--resume"]),
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert again.returncode == 0, again.stdout
    steps = steps_in(folder / "log.jsonl")
    assert steps == [newest + 1, newest + 2], f"resumed with steps {steps} after {newest}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="quintet")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.program = os.path.abspath(arguments.program)
    chance = random.Random(arguments.seed)
    longest = 0.0
    for trial in range(1, arguments.trials + 1):
        plan = chance.choice(PLANS)
        with tempfile.TemporaryDirectory(prefix="quintet-faults-") as name:
            folder = pathlib.Path(name)
            try:
                victim, took = kill_one(arguments, chance, plan, folder)
                resume(arguments, plan, folder)
            except AssertionError as wrong:
                print(f"trial {trial}, {plan}: {wrong}", file=sys.stderr)
                return 1
        longest = max(longest, took)
        print(f"trial {trial}: {plan}, rank {victim} killed, all ended after {took:.2f} s, resumed",
              flush=True)
    print(f"{arguments.trials} trials, the longest end took {longest:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
