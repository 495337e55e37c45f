#!/usr/bin/env python3
"""Gives quintet wrong inputs of every kind in wrong/, quintet run wrong runs, and quintet gui what it cannot open.

Every time: exit code 2 within 5 s and 1 GB, no signal, nothing on standard output and nothing left in the folder;
on standard error the place and what would do, in a user's words. A line per kind, then every violation.

  tests/faults/wrong_inputs.py --program build/release/quintet [--only TEXT] [--show]
"""

import argparse
import collections
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from wrong import bytes_and_files, commands, machines, options, plans_and_models  # noqa: E402,F401
from wrong import outputs, runs, runs_of_files, settings, tables, traces_and_rows, windows  # noqa: E402,F401
from wrong.case import KINDS, RUNS, WINDOWS, lay_out  # noqa: E402

SECONDS = 5
KILOBYTES = 1000 * 1000
LONGEST = 2000  # bytes of a message: it is for a terminal
NOBODY = 65534
WORDS_OF_THE_INSIDE = ["bad_alloc", "std::", "assert", "terminate", "what()", "json.exception", "nlohmann", "CLI::",
                       "basic_string", "_M_", "stoi", "stod", "Segmentation", "dumped", "quintet::", "%s", "{}",
                       "internal error", "nullptr", "optional"]


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def said_by(program, case, folder):
    """Exit code, both outputs, seconds, and the most memory of any of its processes in kilobytes."""
    with open(folder / ".out", "w+b") as out, open(folder / ".err", "w+b") as errors:
        start = time.monotonic()
        process = subprocess.Popen([program, *shlex.split(case.command)], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=errors, preexec_fn=bounded, start_new_session=True,
                                   env={**os.environ, **case.environment},
                                   user=NOBODY if case.as_nobody and os.getuid() == 0 else None)
        code, usage = ended(process, start)
        took = time.monotonic() - start
        texts = []
        for file in (out, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return code, *texts, took, usage.ru_maxrss


def ended(process, start):
    """None for the exit code of what had to be killed."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.monotonic() - start > 3 * SECONDS:
            os.killpg(process.pid, 9)
            process.returncode, usage = -9, os.wait4(process.pid, 0)[2]
            return None, usage
        time.sleep(0.001)


def listing(folder):
    """Everything in it, with size and time of the last change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.name not in (".out", ".err"):
            state = path.lstat()
            found[str(path.relative_to(folder))] = (state.st_mode, state.st_size if path.is_file() else 0)
    return found


def violations(case, before, after, code, out, errors, took, memory):
    if code != 2:
        yield "does not end" if code is None else f"exit code {code}"
    if took > SECONDS:
        yield f"took {took:.1f} s"
    if memory > KILOBYTES:
        yield f"took {memory / KILOBYTES:.2f} GB"
    if out and "--json" not in case.command:  # which prints errors, too
        yield f"standard output: {out[:200]!r}"
    if not errors.startswith("quintet: "):
        yield "does not begin with \"quintet: \""
    if case.place not in errors:
        yield f"does not name the place: {case.place}"
    yield from (f"no remedy: {text}" for text in case.remedy if text not in errors)
    yield from (f"internal word: {word}" for word in WORDS_OF_THE_INSIDE
                if word in errors and word not in case.command)
    if len(errors.encode()) > LONGEST:
        yield f"message of {len(errors)} characters"
    if any(each < " " and each != "\n" or each == "\x7f" for each in errors):
        yield "control characters in the message"
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if changed:
        yield f"left behind or changed: {', '.join(changed[:5])}"


def tried(program, case, good, number):
    """What is wrong with the answer, and the answer."""
    folder = good.parent / f"case-{number}"
    shutil.copytree(good, folder, symlinks=True)
    folder.chmod(0o777)  # what nobody may not do is the case's choice
    try:
        for make in case.make:
            make(folder)
        before = listing(folder)
        answer = said_by(program, case, folder)
        return list(violations(case, before, listing(folder), *answer)), answer
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def try_all(program, good, arguments):
    """(kind, case, violations, answer) of every case."""
    number = 0
    has_window = os.path.exists(os.path.join(os.path.dirname(program), "quintet-gui"))
    for among in (KINDS, RUNS, *([WINDOWS] if has_window else [])):
        for name, cases in among.items():
            for case in cases():
                if arguments.only in f"{name}: {case.command}":
                    number += 1
                    yield among is RUNS, name, case, *tried(program, case, good, number)


def report(results, show):
    counts = collections.OrderedDict()
    for is_run, name, case, found, (code, _, errors, took, memory) in results:
        row = counts.setdefault((is_run, name), [0, 0, 0.0, 0])
        row[0] += 1
        row[1] += bool(found)
        row[2], row[3] = max(row[2], took), max(row[3], memory)
        if show or found:
            print(f"--- {name}: quintet {case.command}\n{errors[:LONGEST].rstrip()}")
            for each in found:
                print(f"  VIOLATION: {each}")
    print(f"{'kind':60} {'cases':>5} {'wrong':>5} {'longest s':>9} {'most MB':>8}")
    for (is_run, name), (cases, bad, took, memory) in counts.items():
        print(f"{('run: ' if is_run else '') + name:60} {cases:5} {bad:5} {took:9.2f} {memory / 1000:8.0f}")
    total = [sum(row[i] for row in counts.values()) for i in (0, 1)]
    runs = sum(row[0] for (is_run, _), row in counts.items() if is_run)
    print(f"{total[0]} wrong inputs of {len(counts)} kinds, {runs} of them runs; {total[1]} violations")
    return total[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="quintet")
    parser.add_argument("--only", default="", help="cases whose kind and command contain this")
    parser.add_argument("--show", action="store_true", help="every message, also of what is well refused")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory(prefix="quintet-wrong-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        lay_out(folder / "good")
        traces_and_rows.write_traces(program, folder / "good")
        return 1 if report(try_all(program, folder / "good", arguments), arguments.show) else 0


if __name__ == "__main__":
    sys.exit(main())
