#!/usr/bin/env python3
"""How long programs take to start, and how much memory they have then: the median of 20 starts each,
on a quiet machine. Exit 1 where a bar is missed.

    tests/benchmark/start_up.py build/release
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

STARTS = 20


def start(words, folder):
    """Seconds, MB at most, exit code of one start."""
    with open(os.devnull, "w") as nothing:
        before = time.perf_counter()
        process = subprocess.Popen(words, cwd=folder, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - before
    process.returncode = os.waitstatus_to_exitcode(status)
    return seconds, usage.ru_maxrss / 1024, process.returncode


def measured(words, code, folder):
    starts = [start(words, folder) for _ in range(STARTS)]
    codes = {found for _, _, found in starts}
    if codes != {code}:
        sys.exit(f"{' '.join(words)}: ended with {codes}, not {code}")
    return statistics.median(s for s, _, _ in starts), max(m for _, m, _ in starts)


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    quintet = os.path.join(build, "quintet")
    run = ["run", "tiny-gpt-one", "--model", "tiny-gpt", "--data", "the-valley"]
    rows = [
        ([quintet], 2, 20e-3, 20),
        ([quintet, "--help"], 0, 20e-3, 20),
        ([quintet, *run, "--device", "gpu"], 2, 50e-3, None),
    ]
    missed = False
    print("command                                       ms      bar     MB    bar")
    with tempfile.TemporaryDirectory() as folder:
        for words, code, most_seconds, most_memory in rows:
            name = " ".join(["quintet", *words[1:]])
            name = name if len(name) < 44 else name[:18] + " ... " + name[-20:]
            try:
                seconds, memory = measured(words, code, folder)
            except SystemExit as other:
                if "--device" not in words:
                    raise
                print(f"{name:44} not measured: {other} (there is a GPU here?)")
                continue
            missed |= seconds > most_seconds or (most_memory is not None and memory > most_memory)
            bar = "-" if most_memory is None else f"{most_memory:.0f}"
            print(f"{name:44} {seconds * 1e3:6.1f} {most_seconds * 1e3:8.0f} {memory:6.1f} {bar:>6}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
