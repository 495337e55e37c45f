"""Looks at traces with something that this project did not write: Python's json module, the key
names of a recorded Kineto trace, and the rules by which Perfetto's JSON importer nests slices.

    check_trace.py WRITER [KINETO.json.gz]
"""

import collections
import decimal
import gzip
import json
import os
import subprocess
import sys

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def load(writer, *arguments):
    text = subprocess.run([writer, *arguments], check=True, capture_output=True).stdout
    return json.loads(text, parse_float=decimal.Decimal)


def slices(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def check_rows(trace, what):
    """Slices of one thread never overlap, in exact decimals and in the doubles that viewers use
    (speedscope stacks slices that overlap by a rounding error). Thread ids belong to one process."""
    rows = collections.defaultdict(list)
    processes = collections.defaultdict(set)
    for event in slices(trace):
        check(event["dur"] >= 0, f"{what}: negative duration {event}")
        rows[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        processes[event["tid"]].add(event["pid"])
    for row, times in rows.items():
        times.sort()
        for (before, end), (start, _) in zip(times, times[1:]):
            check(end <= start, f"{what}: slices of {row} overlap at {start}")
            in_doubles = float(before) + float(end - before)
            check(in_doubles <= float(start), f"{what}: slices of {row} overlap in doubles at {start}")
    check(all(len(pids) == 1 for pids in processes.values()), f"{what}: a tid in two processes")
    pids = {pid for pid, _ in rows}
    check(not pids & set(processes), f"{what}: a tid equals a pid")
    named = {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["name"] == "thread_name"}
    check(set(rows) <= named, f"{what}: threads without a name")


def check_arrows(trace, what):
    """Every arrow starts and ends once, inside a slice of its thread."""
    ends = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] in "sf":
            ends[event["id"]].append(event["ph"])
            check(
                any(
                    (s["pid"], s["tid"]) == (event["pid"], event["tid"])
                    and s["ts"] <= event["ts"] < s["ts"] + s["dur"]
                    for s in slices(trace)
                ),
                f"{what}: arrow {event} in no slice",
            )
    check(all(sorted(both) == ["f", "s"] for both in ends.values()), f"{what}: arrows {dict(ends)}")
    return len(ends)


def keys_by_phase(trace):
    keys = collections.defaultdict(set)
    for event in trace["traceEvents"]:
        keys[event["ph"]] |= event.keys()
    return keys


def check_dialect(ours, kineto):
    """Keys and categories that both use are spelled as Kineto spells them."""
    top = {key for key in ours if not key.startswith("quintet")}
    check(top <= kineto.keys(), f"top-level keys Kineto has not: {top - kineto.keys()}")
    theirs = keys_by_phase(kineto)
    for phase, keys in keys_by_phase(ours).items():
        check(keys <= theirs[phase], f"keys of {phase} Kineto has not: {keys - theirs[phase]}")
    categories = {event["cat"] for event in slices(kineto)} | {"overhead"}
    used = {event["cat"] for event in slices(ours)}
    check(used <= categories, f"categories Kineto has not: {used - categories}")
    arguments = {key for event in slices(kineto) for key in event.get("args", {})}
    collectives = [e for e in slices(ours) if e["name"].startswith(("all-", "send", "receive"))]
    for key in ("Collective name", "Process Group Name"):
        check(key in arguments, f"Kineto has no argument {key}")
        check(collectives and all(key in e["args"] for e in collectives), f"no {key}")
    names = {e["name"] for e in kineto["traceEvents"] if e["ph"] == "M"}
    ours_names = {e["name"] for e in ours["traceEvents"] if e["ph"] == "M"}
    check(ours_names <= names, f"metadata Kineto has not: {ours_names - names}")
    words = {e["args"].get("Collective name") for e in slices(kineto) if "args" in e}
    check("allreduce" in words, f"Kineto's collective names: {words}")


def main():
    writer = sys.argv[1]
    sample = load(writer)
    check_rows(sample, "sample")
    check(check_arrows(sample, "sample") == 1, "sample: one arrow expected")
    check(sample["traceName"] == 'sample "step"\n\té', "sample: name")
    names = {e["args"]["name"] for e in sample["traceEvents"] if e["name"] == "process_name"}
    check(names == {"rank 0 (stage 0, stands for 256 ranks)", "rank 8 (stage 1)"}, str(names))
    reduce = [e for e in slices(sample) if e["name"] == "all-reduce attention"]
    check(reduce[0]["args"]["waited us"] == decimal.Decimal("1.234566"), str(reduce[0]))
    check(reduce[0]["args"]["Collective name"] == "allreduce", str(reduce[0]))
    check(reduce[0]["tid"] != reduce[1]["tid"], "overlapping collectives on one thread")
    for seed in range(5):
        check_rows(load(writer, str(seed)), f"random {seed}")
    if len(sys.argv) > 2 and os.path.exists(sys.argv[2]):
        with gzip.open(sys.argv[2]) as file:
            check_dialect(sample, json.load(file))
    else:
        print("NOT COMPARED with a recorded Kineto trace: there is none at", sys.argv[2:])
    print("\n".join(failures) or "all checks passed")
    return 1 if failures else 0


sys.exit(main())
