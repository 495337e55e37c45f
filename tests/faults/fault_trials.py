"""A training run of 4 ranks that something goes wrong with, many times over: what the programs
beside this share."""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

LIMIT = 10.0  # seconds until all must have ended
PLANS = ["tiny-gpt-tp2-pp2", "tiny-gpt-dp4", "tiny-gpt-zero3"]
RANKS = [0, 1, 2, 3]
KEEPING = ["--checkpoint-every", "2"]


class Training:
    """A run, its standard error kept; gone at the end of a `with` in any case."""

    def __init__(self, program, plan, folder, *more):
        self.log = folder / "log.jsonl"
        self.ranks = {}  # rank -> process
        self.process = subprocess.Popen(command(program, plan, self.log, 100000, *more),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()

    def go_on_for(self, steps):
        until = time.monotonic() + 60
        while len(losses_in(self.log)) < steps:
            failed = self.process.poll() is not None
            assert not failed and time.monotonic() < until, \
                f"no {steps} steps within 60 s: {self.process.stderr.read() if failed else ''}"
            time.sleep(0.01)
        self.ranks = ranks_below(self.process.pid)
        assert sorted(self.ranks) == RANKS, f"expected 4 ranks, found {self.ranks}"

    def errors_at_the_end(self):
        """All that was said; the run must fail, leave no rank behind, and do so soon."""
        try:
            errors = self.process.communicate(timeout=LIMIT + 20)[1]
        except subprocess.TimeoutExpired:
            raise AssertionError(f"has not ended after {LIMIT + 20} s") from None
        left = [process for process in self.ranks.values() if lives(process)]
        assert self.process.returncode == 1, f"exit code {self.process.returncode}: {errors}"
        assert not left, f"still running: {left}"
        return errors


def command(program, plan, log, steps, *more):
    return [program, "run", plan, "--model", "tiny-gpt", "--data", "the-valley",
            "--steps", str(steps), "--log", str(log), *more]


def children(process):
    path = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in path.read_text().split()]


def ranks_below(process):
    """Rank -> process, of the ranks that a launcher's descendants are."""
    found = {}
    for child in children(process):
        try:
            environment = pathlib.Path(f"/proc/{child}/environ").read_bytes()
            rank = re.search(rb"(?:^|\0)QUINTET_RANK=(\d+)", environment)
            if rank:  # others keep namespaces
                found[int(rank.group(1))] = child
            found.update(ranks_below(child))
        except OSError:
            pass  # it has ended
    return found


def lives(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def losses_in(log):
    """Step -> loss, of the steps that were done."""
    lines = log.read_text().splitlines() if log.exists() else []
    records = [json.loads(line) for line in lines if line.endswith("}")]
    return {record["step"]: record["loss"] for record in records if record["record"] == "step"}


def complete_checkpoints(folder):
    return sorted(int(path.parent.name.split("-")[1]) for path in folder.glob("step-*/manifest.json")
                  if path.parent.name.split("-")[1].isdigit())


def expect_all_name(errors, ranks, cause):
    """`cause`, a pattern, in what each of the ranks said."""
    for rank in ranks:
        assert re.search(rf"^(?=rank {rank}: )(?:rank {rank}: lost )?{cause}", errors, re.M), \
            f"rank {rank} did not say \"{cause}\": {errors}"


def expect_in_time(took):
    assert took <= LIMIT, f"all ended only after {took:.1f} s"
    return took


def resume(program, plan, folder, newest, before):
    """Goes on from checkpoint `newest` for two steps; the losses must be those of `before`, bit for
    bit, as far as it got. What the run printed."""
    log = folder / "log.jsonl"
    again = subprocess.run(command(program, plan, log, newest + 2, *KEEPING, "--checkpoint",
                                   str(folder / "kept"), "--resume"),
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert again.returncode == 0, again.stdout
    after = losses_in(log)
    assert list(after) == [newest + 1, newest + 2], f"resumed with steps {list(after)} after {newest}"
    for step in sorted(after.keys() & before.keys()):
        assert after[step] == before[step], f"step {step}: loss {after[step]}, was {before[step]}"
    return again.stdout


def run_trials(description, trials, trial):
    """`trial(program, chance, plan, folder)` tells what it did and the seconds until all had ended;
    an AssertionError ends the program."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="quintet")
    parser.add_argument("--trials", type=int, default=trials)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    longest = 0.0
    for number in range(1, arguments.trials + 1):
        plan = chance.choice(PLANS)
        with tempfile.TemporaryDirectory(prefix="quintet-faults-") as name:
            try:
                done, took = trial(os.path.abspath(arguments.program), chance, plan,
                                   pathlib.Path(name))
            except AssertionError as wrong:
                print(f"trial {number}, {plan}: {wrong}", file=sys.stderr)
                return 1
        longest = max(longest, took)
        print(f"trial {number}: {plan}, {done}, all ended after {took:.2f} s", flush=True)
    print(f"{arguments.trials} trials, the longest end took {longest:.2f} s")
    return 0
