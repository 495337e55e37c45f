#!/usr/bin/env python3
"""Lets the disk fill up under the checkpoints of a training run, many times over.

The disk is a tmpfs of random size in a mount namespace of its own, with room for the first
checkpoint but not for as many as are kept. Every time: all ranks must have ended within 10 s and
have named a rank that could not write, its file and the cause, nothing may be left running, and
the run must go on from the newest checkpoint that was complete, once there is room. Needs user and
mount namespaces (skips loudly without).

  tests/faults/full_disks.py --program build/release/quintet --trials 10
"""

import os
import subprocess
import sys
import time

from fault_trials import (KEEPING, RANKS, Training, complete_checkpoints, expect_all_name,
                          expect_in_time, losses_in, resume, run_trials)

NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]
INSIDE = "QUINTET_TEST_OWN_MOUNTS"
# tiny-gpt: 842,496 weights with two moments in fp32 are 10.1 MB; three are kept.
SMALLEST, LARGEST, ENOUGH = 11, 39, 100  # MB


def mount(options, place):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(place)], check=True)


def fill(program, plan, folder, kept):
    """What was said, and the seconds from the last checkpoint that still fitted to the end: never
    less than from the moment when the disk was full."""
    with Training(program, plan, folder, *KEEPING, "--checkpoint", str(kept)) as training:
        training.go_on_for(1)
        errors = training.errors_at_the_end()
        end = time.time()
    complete = complete_checkpoints(kept)
    assert complete, f"no checkpoint is complete: {errors}"
    fitted = (kept / f"step-{complete[-1]:08d}" / "manifest.json").stat().st_mtime
    return errors, expect_in_time(end - fitted)


def fill_one(program, chance, plan, folder):
    kept = folder / "kept"
    kept.mkdir()
    size = chance.uniform(SMALLEST, LARGEST)
    mount(f"size={size * 1e6:.0f}", kept)
    try:
        errors, took = fill(program, plan, folder, kept)
        expect_all_name(errors, RANKS,
                        rf"rank [0-3]: {kept}/step-\d+/\S+: cannot be .*: No space left on device")
        newest = complete_checkpoints(kept)[-1]
        mount(f"remount,size={ENOUGH * 1e6:.0f}", kept)
        resume(program, plan, folder, newest, losses_in(folder / "log.jsonl"))
        assert not list(kept.glob("**/*.part")), "something unfinished is left"
    finally:
        subprocess.run(["umount", str(kept)], check=True)
    return f"{size:.1f} MB full after step {newest}'s checkpoint, resumed from it", took


if __name__ == "__main__":
    if INSIDE not in os.environ:
        if subprocess.run([*NAMESPACE, "true"]).returncode != 0:
            print("SKIPPED: no user and mount namespaces here", file=sys.stderr)
            sys.exit(77)
        os.environ[INSIDE] = "1"
        os.execvp(NAMESPACE[0], [*NAMESPACE, sys.executable, *sys.argv])
    sys.exit(run_trials(__doc__, 10, fill_one))
