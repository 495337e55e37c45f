#!/usr/bin/env python3
"""Cuts a random rank's first interface off in the middle of a step, many times over.

The hosts are in a box and have two interfaces each. Every time: the run goes on over the other
interface, its losses are those of an undisturbed run bit for bit, it loses at most the time of one
step, and once the link is back it is used again. With --rubbish, strangers connect to every rank's
doors from the start to the end and say nonsense. Needs network namespaces (skips loudly without),
iproute2 and nsenter; run it as the user who runs the box.

  tests/faults/lost_links.py --program build/release/quintet --trials 20 --rubbish 1000
"""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from fault_trials import RANKS, children, command, ranks_below
from rubbish import doors_of, start_stranger

def enter(process):
    if os.geteuid() != 0:
        return ["nsenter", "--target", str(process), "--user", "--preserve-credentials", "--net"]
    return ["nsenter", f"--net=/proc/{process}/ns/net"]


def inside(process, *words):
    done = subprocess.run([*enter(process), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}"
    return done.stdout


def descendants(process):
    for child in children(process):
        yield child
        try:
            yield from descendants(child)
        except OSError:
            pass


def switches(launcher):
    """A process for each network of the box that has ports and no interface of a host."""
    seen = {}
    for process in descendants(launcher):
        try:
            seen.setdefault(os.readlink(f"/proc/{process}/ns/net"), process)
        except OSError:
            pass
    for process in seen.values():
        try:
            if re.search(r"^\d+: port", inside(process, "ip", "-o", "link"), re.M):
                yield process
        except AssertionError:
            pass


class Cable:
    """From a rank's interface to the switch's port that it is plugged into."""

    def __init__(self, launcher, rank_process, device):
        number = re.search(rf"^\d+: {device}@if(\d+)", inside(rank_process, "ip", "-o", "link"),
                           re.M).group(1)
        for switch in switches(launcher):
            port = re.search(rf"^{number}: (port\d+)@", inside(switch, "ip", "-o", "link"), re.M)
            if port:
                self.switch, self.port = switch, port.group(1)
                self.ways = inside(switch, "ip", "route", "show", "dev", self.port).splitlines()
                return
        raise AssertionError(f"{device} of process {rank_process} leads to no switch")

    def cut(self):
        inside(self.switch, "ip", "link", "set", self.port, "down")

    def join(self):
        inside(self.switch, "ip", "link", "set", self.port, "up")
        for way in self.ways:
            words = [word for word in way.split() if word != "linkdown"]
            if "proto" in words and words[words.index("proto") + 1] == "kernel":
                continue
            inside(self.switch, "ip", "route", "replace", *words, "dev", self.port)


class Strangers:
    """From the switch, whose addresses no rank has, and from a rank's own host."""

    def __init__(self, launcher, ranks, seconds):
        doors = [door for process in ranks.values() for door in doors_of(process)]
        assert len(doors) >= 2 * len(ranks), f"ranks listen on {doors}"
        self.processes = [start_stranger(number, seconds, "", doors, enter(place))
                          for number, place in enumerate([next(switches(launcher)), ranks[1]])]

    def connections(self):
        return [int(process.communicate()[0] or 0) for process in self.processes]


def steps_in(log):
    lines = log.read_text().splitlines() if log.exists() else []
    records = [json.loads(line) for line in lines if line.endswith("}")]
    return [record for record in records if record["record"] == "step"]


class Run:
    def __init__(self, arguments, folder):
        self.log = folder / "log.jsonl"
        self.said = open(folder / "said.txt", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            command(os.path.abspath(arguments.program), arguments.plan, self.log, arguments.steps,
                    "--shape", arguments.shape, *arguments.more.split()),
            stdout=self.said, stderr=subprocess.STDOUT, text=True)

    def wait_for(self, steps):
        until = time.monotonic() + 120
        while len(steps_in(self.log)) < steps:
            assert self.process.poll() is None and time.monotonic() < until, \
                f"no {steps} steps: {self.output()}"
            time.sleep(0.005)

    def output(self):
        self.said.flush()
        return pathlib.Path(self.said.name).read_text()

    def end(self):
        code = self.process.wait(timeout=180)
        assert code == 0, f"exit code {code}: {self.output()}"
        return steps_in(self.log)


def undisturbed(arguments):
    with tempfile.TemporaryDirectory(prefix="quintet-lost-links-") as name:
        run = Run(arguments, pathlib.Path(name))
        return run.end()


def trial(arguments, chance, usual):
    with tempfile.TemporaryDirectory(prefix="quintet-lost-links-") as name:
        run = Run(arguments, pathlib.Path(name))
        try:
            run.wait_for(3)
            ranks = ranks_below(run.process.pid)
            assert sorted(ranks) == RANKS, f"expected 4 ranks, found {ranks}"
            strangers = None
            if arguments.rubbish:
                seconds = (arguments.steps - 6) * usual
                strangers = Strangers(run.process.pid, ranks, seconds)
            victim = chance.choice(RANKS)
            cable = Cable(run.process.pid, ranks[victim], "nic0")
            run.wait_for(arguments.steps // 3)
            within = chance.random() * usual
            time.sleep(within)
            cable.cut()
            cut_in = len(steps_in(run.log)) + 1
            run.wait_for(cut_in + arguments.steps // 4)
            cable.join()
            steps = run.end()
            output = run.output()
        finally:
            run.process.kill()
    connections = sum(strangers.connections()) if strangers else 0
    return victim, within, cut_in, steps, output, connections


def expect_as_undisturbed(steps, usual_steps):
    losses, usual = ([record["loss"] for record in each] for each in (steps, usual_steps))
    assert losses == usual, f"losses {losses}, undisturbed {usual}"


def lost_seconds(steps, cut_in, usual):
    """What the step of the cut and the one behind it took beyond what such steps take."""
    near = [record["step_s"] for record in steps if cut_in <= record["step"] <= cut_in + 1]
    return sum(near) - len(near) * usual


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="quintet")
    parser.add_argument("--plan", default="tiny-gpt-dp4")
    parser.add_argument("--shape", default="box-4-2x1gbit", help="hosts with two interfaces")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rubbish", type=int, default=0, help="least connections of strangers")
    parser.add_argument("--most-steps-lost", type=float, default=1.0)
    parser.add_argument("--more", default="--set host.nic.bandwidth=100Mbps", help="words for quintet run")
    arguments = parser.parse_args()
    if subprocess.run(["unshare", "--user", "--map-root-user", "--net", "true"],
                      stderr=subprocess.DEVNULL).returncode != 0:
        print("SKIPPED: no network namespaces here", file=sys.stderr)
        return 77
    chance = random.Random(arguments.seed)
    usual_steps = undisturbed(arguments)
    usual = statistics.median(record["step_s"] for record in usual_steps[2:])
    print(f"undisturbed: {len(usual_steps)} steps, {usual:.3f} s each (median)")
    print("trial  rank  cut in step  after s  lost s  of a step  back  strangers  losses")
    worst, failed = 0.0, 0
    for number in range(1, arguments.trials + 1):
        try:
            victim, within, cut_in, steps, output, connections = trial(arguments, chance, usual)
            expect_as_undisturbed(steps, usual_steps)
            lost = lost_seconds(steps, cut_in, usual)
            worst = max(worst, lost / usual)
            left = re.findall(r"sends to rank \d+ over interface 1", output)
            back = re.findall(r"sends to rank \d+ over interface 0 instead of 1", output)
            print(f"{number:5}  {victim:4}  {cut_in:11}  {within:7.3f}  {lost:6.3f}  {lost / usual:9.2f}"
                  f"  {len(back):2}/{len(left):<2}  {connections:8}  the same", flush=True)
            assert left, f"nobody took the other interface: {output}"
            assert len(back) == len(left), f"not all came back: {output}"
            assert lost <= arguments.most_steps_lost * usual, f"lost {lost:.3f} s of {usual:.3f} s"
            assert connections >= arguments.rubbish, f"only {connections} strangers came"
        except AssertionError as wrong:
            failed += 1
            print(f"trial {number}: {wrong}", file=sys.stderr, flush=True)
    print(f"{arguments.trials - failed} of {arguments.trials} trials went on; "
          f"at most {worst:.2f} of a step was lost")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
