#!/usr/bin/env python3
"""How long predictions take: the README's two plans, Llama-3-405B on 16,384 H100, and four variants
of that one after the other, as a search makes them. One core, one thread; the least of several runs.
With a second program both run by turns, what they print is compared, and ratios are printed.

    tests/benchmark/predictions.py build/release/quintet [OTHER_QUINTET] [--runs 7]
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

from shipped_plans import LLAMA_405B, PLAN_405B, ROOT
import json


def cases(folder):
    def written(name, value):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            json.dump(value, file)
        return path

    large = [written("405b.json", PLAN_405B), "--model", written("config.json", LLAMA_405B),
             "--topology", "dgx-h100-1024", "--hosts", "2048"]
    yield "README's two plans", ["llama-3-70b-1024-h100-tp8-pp4", "llama-3-70b-1024-h100-zero3",
                                 "--model", "llama-3-70b", "--topology", "dgx-h100-1024"]
    yield "405B on 16,384", large
    yield "four of it", [*large, "--micro-batches", "16,32", "--zero", "1,2"]


def run(program, words):
    """What the predictions took, CPU seconds of the whole process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run([program, "simulate", *words, "--threads", "1"], cwd=ROOT, text=True,
                             capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = re.search(r"Predicted .* in ([0-9.]+) s", process.stderr + process.stdout)
    if process.returncode not in (0, 1) or took is None:
        sys.exit(f"{program}: {process.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(took.group(1)), cpu, process.stdout.replace(took.group(0), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        for name, words in cases(folder):
            runs = {program: [] for program in given.programs}
            for _ in range(given.runs):
                for program in given.programs:
                    runs[program].append(run(os.path.abspath(program), words))
            least = [[min(each[column] for each in runs[p]) for column in (0, 1)] for p in runs]
            same = len({runs[p][0][2] for p in runs}) == 1
            differ |= not same
            print(f"{name:20}" + "".join(f"{wall:8.2f} s {cpu:8.3f} s CPU" for wall, cpu in least)
                  + (f"   {least[1][1] / least[0][1]:.2f} x" if len(least) > 1 else "")
                  + ("" if same else "   DIFFER"), flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sys.exit(main())
