#!/usr/bin/env python3
"""Strangers connect to every rank of a run of 4, from its first moment to its last, and say nonsense.

From an address that no rank has, and from one that all ranks have. No rank may notice: the run ends
well, says nothing of it, and its losses are those of an undisturbed run bit for bit.

  tests/faults/strangers.py --program build/release/quintet --connections 1000
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from fault_trials import RANKS, command, losses_in, ranks_below
from rubbish import doors_of, start_stranger

RANKS_ADDRESS, ANOTHER = "127.0.0.1", "127.66.0.9"


def undisturbed(arguments, log):
    subprocess.run(command(arguments.program, arguments.plan, log, arguments.steps), check=True,
                   stdout=subprocess.DEVNULL)
    return losses_in(log)


def doors_when_there(launcher):
    """As soon as a rank listens strangers come: it has not met the others then."""
    doors, until = set(), time.monotonic() + 60
    while len(doors) < len(RANKS):
        assert time.monotonic() < until and launcher.poll() is None, f"ranks listen on {doors}"
        for process in ranks_below(launcher.pid).values():
            try:
                doors.update(doors_of(process))
            except OSError:
                pass
        yield doors
        time.sleep(0.005)


def disturbed(arguments, log):
    launcher = subprocess.Popen(command(arguments.program, arguments.plan, log, arguments.steps),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    strangers, known = [], set()
    try:
        for doors in doors_when_there(launcher):
            for own in (RANKS_ADDRESS, ANOTHER) if doors - known else ():
                strangers.append(start_stranger(len(strangers), arguments.seconds, own,
                                                sorted(doors - known)))
            known |= doors
        output, errors = launcher.communicate(timeout=300)
    finally:
        launcher.kill()
    assert launcher.returncode == 0, f"exit code {launcher.returncode}: {output}{errors}"
    assert "rank" not in errors, errors
    return sum(int(stranger.communicate()[0] or 0) for stranger in strangers)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=os.path.abspath, help="quintet")
    parser.add_argument("--plan", default="tiny-gpt-dp4")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=10, help="how long each stranger stays")
    parser.add_argument("--connections", type=int, default=1000, help="at least so many")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quintet-strangers-") as name:
        usual = undisturbed(arguments, pathlib.Path(name) / "usual.jsonl")
        start = time.monotonic()
        connections = disturbed(arguments, pathlib.Path(name) / "disturbed.jsonl")
        took = time.monotonic() - start
        losses = losses_in(pathlib.Path(name) / "disturbed.jsonl")
    if losses != usual:
        print(f"losses {losses}, undisturbed {usual}", file=sys.stderr)
        return 1
    if connections < arguments.connections:
        print(f"only {connections} connections were made in {took:.1f} s", file=sys.stderr)
        return 1
    print(f"{connections} connections with rubbish during {arguments.steps} steps ({took:.1f} s): "
          "the losses are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
