#!/usr/bin/env python3
"""Kills a random rank of a training run at a random moment, many times over.

Every time: the launcher must end within 10 s with exit code 1 and name the rank and the signal, every
other rank must have said which rank it lost, nothing may be left running, and the run must go on from
the newest checkpoint that was complete.

  tests/faults/killed_ranks.py --program build/release/quintet --trials 50
"""

import os
import signal
import sys
import time

from fault_trials import (KEEPING, RANKS, Training, complete_checkpoints, expect_all_name,
                          expect_in_time, losses_in, resume, run_trials)


def kill_one(program, chance, plan, folder):
    kept = folder / "kept"
    with Training(program, plan, folder, *KEEPING, "--checkpoint", str(kept)) as training:
        training.go_on_for(3)
        victim = chance.choice(RANKS)
        time.sleep(chance.random())
        start = time.monotonic()
        os.kill(training.ranks[victim], signal.SIGKILL)
        errors = training.errors_at_the_end()
        took = expect_in_time(time.monotonic() - start)
    assert f"quintet: rank {victim} was killed by signal 9" in errors, errors
    expect_all_name(errors, set(RANKS) - {victim}, f"rank {victim}: ")
    before = losses_in(training.log)
    done = max(before)
    newest = max(complete_checkpoints(kept), default=0)
    # One every second step; the newest may not have been complete.
    assert newest >= done - 4, f"{done} steps were done, the newest checkpoint is of {newest}"
    resume(program, plan, folder, newest, before)
    return f"rank {victim} killed after step {done}, resumed after step {newest}", took


if __name__ == "__main__":
    sys.exit(run_trials(__doc__, 50, kill_one))
