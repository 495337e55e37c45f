#!/usr/bin/env python3
"""Counts signs of structure in a checkout: structure.py [FOLDER]. Signs, not targets."""

import collections
import os
import re
import sys

TOPS = ("sim", "engine", "calibrate", "kernels", "gui")
SOURCES = (".h", ".cpp", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
# A free function of a header: a line at its edge that ends a declaration.
FUNCTION = re.compile(r"^[A-Za-z_][\w:<>,&*\s]*\b[a-z_]\w*\([^;{}]*\)(?: const)?;$", re.M)
DECODERS = ("operator_table", "flat_units", "hierarchy", "script_facts", "pairs", "support")


def sources(root, tops):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(SOURCES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def cycles(edges):
    """Folders that reach themselves, as sets that reach each other."""
    reach = {room: set(edges[room]) for room in list(edges)}
    grown = True
    while grown:
        grown = False
        for room in reach:
            more = set().union(*(reach.get(other, set()) for other in reach[room])) - reach[room]
            grown = grown or bool(more)
            reach[room] |= more
    round_ = [room for room in reach if room in reach[room]]
    return sorted({tuple(sorted(b for b in round_ if b in reach[a] and a in reach[b])) for a in round_})


def undocumented(text):
    """Free functions of a header with no comment above or behind the first of their block."""
    lines = text.split("\n")
    found = 0
    for match in FUNCTION.finditer(text):
        number = text.count("\n", 0, match.start())
        above = lines[number - 1].strip() if number else ""
        found += not (above.startswith("//") or above.endswith((";", ",")) or "//" in match.group())
    return found


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    texts = {path: read(root, path) for path in sources(root, TOPS)}
    tests = sum(read(root, path).count("\n") for path in sources(root, ("tests",)))
    room = os.path.dirname
    files = collections.Counter(map(room, texts))
    edges = collections.defaultdict(set)
    for path, text in texts.items():
        for include in INCLUDE.findall(text):
            if include in texts and room(include) != room(path):
                edges[room(path)].add(room(include))
    lengths = {path: text.count("\n") for path, text in texts.items()}
    decoders = sum(n for path, n in lengths.items()
                   if path.startswith("engine/") and os.path.splitext(os.path.basename(path))[0] in DECODERS)
    rows = [
        ("source files, without tests", len(texts)),
        ("translation units, without tests", sum(path.endswith((".cpp", ".cu")) for path in texts)),
        ("source lines, without tests", sum(lengths.values())),
        ("lines of tests", tests),
        ("rooms", len(files)),
        ("rooms with more than 30 files", sum(n > 30 for n in files.values())),
        ("folder cycles", len(cycles(edges))),
        ("lines of the engine's decoders", decoders),
        ("files under 50 lines", sum(n < 50 for n in lengths.values())),
        ("files over 300 lines", sum(n > 300 for n in lengths.values())),
        ("comments that begin with 'Of'", sum(len(re.findall(r"^\s*// Of ", t, re.M)) for t in texts.values())),
        ("lines that cite absent notes", sum(len(re.findall(
            r"(?:models|papers|engine|style|peers|peer_speed|gui_and_traces)\.md", t)) for t in texts.values())),
        ("std::to_string", sum(t.count("std::to_string") for t in texts.values())),
        ("free functions in headers without a comment", sum(
            undocumented(t) for path, t in texts.items() if path.endswith(".h"))),
    ]
    for name, value in rows:
        print(f"{value:8d}  {name}")
    for one in cycles(edges):
        print("          cycle: " + " ".join(one))
    print("\nfiles per room")
    for name, number in sorted(files.items()):
        print(f"{number:8d}  {name}")


if __name__ == "__main__":
    main()
