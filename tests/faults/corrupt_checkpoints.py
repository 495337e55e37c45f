#!/usr/bin/env python3
"""Damages a random file of the newest checkpoint of a training run, many times over: turns random
bits, or cuts it off.

Every time: --resume must name the file that it refuses and why, and go on from the checkpoint
before, with the losses that the run had. With every checkpoint damaged, all ranks must end within
10 s with exit code 1, and each must name rank 0, which reads them first, and the file.

  tests/faults/corrupt_checkpoints.py --program build/release/quintet --trials 10
"""

import os
import re
import subprocess
import sys
import time

from fault_trials import (KEEPING, RANKS, Training, command, complete_checkpoints, expect_all_name,
                          expect_in_time, losses_in, resume, run_trials)


def damage(chance, folder):
    """The file, and what was done to it."""
    file = chance.choice(sorted(folder.iterdir()))
    content = bytearray(file.read_bytes())
    if chance.random() < 0.3:
        size = chance.randrange(len(content))
        os.truncate(file, size)
        return file, f"cut off at byte {size} of {len(content)}"
    places = sorted(chance.sample(range(len(content)), chance.randint(1, 8)))
    for place in places:
        content[place] ^= chance.randint(1, 255)
    file.write_bytes(content)
    return file, f"damaged at {len(places)} of {len(content)} bytes"


def train(program, chance, plan, folder):
    """Losses by step; a checkpoint every second step."""
    log = folder / "log.jsonl"
    run = subprocess.run(command(program, plan, log, 2 * chance.randint(2, 4), *KEEPING,
                                 "--checkpoint", str(folder / "kept")),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert run.returncode == 0, run.stdout
    return losses_in(log)


def resume_from_nothing(program, chance, plan, folder):
    """Seconds until a run has ended that finds no checkpoint whole."""
    kept = folder / "kept"
    damaged = [damage(chance, kept / f"step-{step:08d}") for step in complete_checkpoints(kept)]
    start = time.monotonic()
    with Training(program, plan, folder, "--checkpoint", str(kept), "--resume") as training:
        errors = training.errors_at_the_end()
        took = expect_in_time(time.monotonic() - start)
    expect_all_name(errors, RANKS, f"rank 0: {re.escape(str(damaged[-1][0]))}")
    return took


def corrupt_one(program, chance, plan, folder):
    before = train(program, chance, plan, folder)
    kept = folder / "kept"
    previous, newest = complete_checkpoints(kept)[-2:]
    file, done = damage(chance, kept / f"step-{newest:08d}")
    said = resume(program, plan, folder, previous, before)
    assert f"Refused {file}" in said, f"{file.name} {done}, but it was not refused: {said}"
    assert (kept / f"step-{newest:08d}.damaged").is_dir(), "it was not set aside"
    took = resume_from_nothing(program, chance, plan, folder)
    return f"{file.name} of step {newest} {done}, refused, step {previous} taken; then none", took


if __name__ == "__main__":
    sys.exit(run_trials(__doc__, 10, corrupt_one))
