"""Runs checks one after the other until the call's time is over or somebody ends it; rows as they come."""
import contextlib
import os
import signal
import subprocess
import time

import checks
import machine
import readers
import table

LOOK_AGAIN_S = 5  # at what a program has said so far
TIME_TO_END_S = 10  # for the table and the archive


class CutOff(Exception):
    """By SIGTERM, SIGINT or SIGHUP."""


def raise_when_ended():
    def raise_it(number, _):
        for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)  # the table comes first
        raise CutOff(f"was cut off by {signal.Signals(number).name}")

    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, raise_it)


class Running:
    """`show(rows)` is called whenever there is a new row, and while a program runs with what it has said so far.
    `began`: since when its minutes count, by time.monotonic()."""

    def __init__(self, place, minutes, show, began):
        self.place, self.show = place, show
        self.until = began + 60 * minutes - TIME_TO_END_S if minutes else None
        self.rows = []
        self.cut_off = ""

    def add(self, check):
        self.rows += self.run(check)
        self.show(self.rows)

    def seconds_left(self):
        return float("inf") if self.until is None else self.until - time.monotonic()

    def run(self, check):
        why_not = self.cut_off and f"the call {self.cut_off}"
        if not why_not and self.seconds_left() < 1:
            why_not = f"the call's time was over; --only {check.name} measures it"
        why_not = why_not or check.needs(self.place)
        if why_not:
            return [table.Row(check.name, "", why_not, verdict=table.NOT_MEASURED)]
        said, clocks = self.said_by(check)
        rows = check.read(check.name, said, self.place)
        for row in rows:
            row.details["clocks"] = clocks
        return rows

    def said_by(self, check):
        """What the command said in all its environments; the first bad end is how it ended."""
        output = self.place.records / f"{check.name}.txt"
        ended, how = 0, "ended with 0"
        with machine.ClockLog(self.place.gpu) as clocks, open(output, "w") as file:
            for given in check.environments:
                if self.cut_off:
                    break
                one, how_one = self.end_of(check, given, file, output)
                if ended == 0:
                    ended, how = one, how_one
        return readers.Said(output.read_text(errors="replace"), ended, how), clocks.summary()

    def end_of(self, check, given, file, output):
        environment = checks.environment_for(given, self.place)
        try:
            words = check.command(self.place)
            process = subprocess.Popen(words, stdout=file, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        except OSError as failure:
            return None, str(failure)
        try:
            return self.waited_for(process, check, output)
        except CutOff as signal_came:
            self.cut_off = str(signal_came)
            return None, self.cut_off
        finally:
            end_group(process)

    def waited_for(self, process, check, output):
        limit_s = int(min(check.limit_s, max(1, self.seconds_left())))
        until = time.monotonic() + limit_s
        while (left := until - time.monotonic()) > 0:
            try:
                code = process.wait(timeout=min(LOOK_AGAIN_S, left))
                return code, f"ended with {code}"
            except subprocess.TimeoutExpired:
                so_far = readers.Said(output.read_text(errors="replace"), 0, "runs")
                self.show(self.rows + check.read(check.name, so_far, self.place))
        return None, f"was stopped after {limit_s} s"


def end_group(process):
    """Also ranks that it started: they would hold the GPU."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=3)
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
