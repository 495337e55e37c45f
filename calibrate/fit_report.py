#!/usr/bin/python3
"""Prints how well every kernel fit of every card predicts shapes that it was not fitted to.

usage: calibrate/fit_report.py MEASUREMENTS TABLES

MEASUREMENTS and TABLES as for fit_published.py and fit_cards.py, whose fits it repeats without
writing anything. fit_collectives.py prints the same of collectives.
"""

import contextlib
import io
import json
import pathlib
import re
import sys

import fit_cards
import fit_published

LINE = re.compile(r"(\S+) (.+): (\d+) shapes: median ([\d.]+) % p90 ([\d.]+) %, "
                  r"held out median ([\d.]+) % p90 ([\d.]+) %")
ASKED = {"GEMM": 6, "attention": 8}  # held-out median, %; 8 for what memory bounds


def asked_of(operation):
    return next((limit for word, limit in ASKED.items() if word in operation), 8)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    folder, tables = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for name in fit_published.GPUS:
            fit_published.fit_table(folder, name)
        done = {name: json.loads((tables / f"{name}.json").read_text())
                for name in fit_published.GPUS}
        for name, card in fit_cards.CARDS.items():
            done[name] = fit_cards.make_table(folder, name, card, done)
    print(f"{'card':18s}{'operation':22s}{'shapes':>7s}{'median':>8s}{'p90':>7s}"
          f"{'held out':>10s}{'p90':>7s}{'asked':>7s}   %")
    for line in printed.getvalue().splitlines():
        found = LINE.match(line)
        if not found:
            continue
        card, operation, shapes, *errors = found.groups()
        asked = asked_of(operation)
        missed = "" if float(errors[2]) <= asked else "  missed"
        print(f"{card:18s}{operation:22s}{shapes:>7s}{errors[0]:>8s}{errors[1]:>7s}"
              f"{errors[2]:>10s}{errors[3]:>7s}{asked:7d}{missed}")


if __name__ == "__main__":
    main(sys.argv[1:])
