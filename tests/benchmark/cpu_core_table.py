#!/usr/bin/env python3
"""Makes traces/costs/cpu-core.json cover more: curves and operators that other calibrations of the same machine measured.

  cpu_core_table.py traces/costs/cpu-core.json --curves CURVES.json --operators OPERATORS.json > new.json

CURVES.json is what `quintet calibrate` wrote of models, OPERATORS.json what it wrote of plans (--plan). What the table
has keeps its curve: of CURVES those of families are added that it lacks (sim/cost/operator_family.h); messages, cores
and whole steps are those of CURVES, operators those of OPERATORS. traces/costs/README.md has the commands that were run.
"""
import argparse
import json


def bytes_of(text):
    return float(text.split()[0])


def family(point):
    """All that is discrete of an operator, as operator_family.h."""
    common = (point["operator"], point["phase"], point["type"])
    if "gemm" in point:
        return common + ("gemm",)
    if "attention" in point:
        return common + ("attention", point["attention"]["mask"], point["attention"]["kernel"])
    memory = point["memory"]
    read, written = bytes_of(memory["read"]), bytes_of(memory["written"])
    return common + ("memory", int(1000 * read / (read + written) + 0.5), memory["rows"] > 0)


def blocks(text, key, begins):
    """The entries of a list of the table, each as its lines: the first begins so."""
    lines = text.splitlines()
    start = lines.index(f'  "{key}": [') + 1
    end = next(at for at in range(start, len(lines)) if lines[at].startswith("  ]"))
    found = []
    for line in lines[start:end]:
        if line.lstrip().startswith(begins) and line.startswith("    {"):
            found.append([])
        found[-1].append(line)
    return ["\n".join(each).rstrip(",") for each in found]


def section(text, key):
    """A key of the table with all that it has, as text without the comma behind it."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f'  "{key}": '))
    end = next((at for at in range(start + 1, len(lines)) if lines[at].startswith('  "')), len(lines) - 1)
    return "\n".join(lines[start:end]).rstrip(",")


def listed(key, entries):
    return f'  "{key}": [\n' + ",\n".join(entries) + "\n  ]"


def main():
    parser = argparse.ArgumentParser()
    for option in ("table", "--curves", "--operators"):
        parser.add_argument(option, type=argparse.FileType())
    parser.add_argument("--source", required=True, help="of the whole table")
    given = parser.parse_args()
    text, more, others = given.table.read(), given.curves.read(), given.operators.read()
    known = {family(curve["points"][0]) for curve in json.loads(text)["curves"]}
    fresh = [each for each in blocks(more, "curves", '{"amplitude"') if family(json.loads(each)["points"][0]) not in known]
    lacks = json.loads(more)["not_measured"]
    made = [section(text, "name"), section(text, "gpu"), f'  "source": {json.dumps(given.source)}']
    made.append(listed("not_measured", [f"    {json.dumps(each)}" for each in lacks]))
    made += [section(more, key) for key in ("processors", "whole_steps", "communication", "overlap")]
    made += [section(others, "operators"), listed("curves", blocks(text, "curves", '{"amplitude"') + fresh)]
    print("{\n" + ",\n".join(made) + "\n}")


main()
