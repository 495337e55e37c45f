"""One table for people, one record for machines."""
import dataclasses
import datetime
import json
import os
import platform
import statistics

PASS, FAIL, MISS, NOT_MEASURED, SHOWN = "pass", "FAIL", "MISS", "not measured", ""


@dataclasses.dataclass
class Row:
    check: str
    name: str
    result: str  # what was found, for people
    bar: str = ""
    verdict: str = SHOWN
    details: dict = dataclasses.field(default_factory=dict)

    @property
    def failed(self):
        return self.verdict in (FAIL, MISS)


def against(value, least):
    return PASS if value >= least else MISS


def within(value, most):
    return PASS if value <= most else MISS


def as_text(title, gpu, rows):
    lines = [f"{gpu.facts['name']}, {gpu.facts['memory.total']} MiB, driver {gpu.facts['driver_version']}, {today()}"]
    lines += [text for text in (title, clock_text(rows)) if text] + [""]
    cells = [("check", "name", "result", "bar", "verdict")]
    cells += [(row.check, row.name, row.result, row.bar, row.verdict) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    for line in cells:
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in (PASS, FAIL, MISS, NOT_MEASURED)}
    lines += ["", ", ".join(f"{count} {verdict}" for verdict, count in counts.items())]
    return "\n".join(lines)


def clock_text(rows):
    clocks = [row.details["clocks"]["clocks.sm"] for row in rows if row.details.get("clocks", {}).get("clocks.sm")]
    if not clocks:
        return ""
    of_all = statistics.median(clock["median"] for clock in clocks)
    return f"SM clock while measured: {of_all:g} MHz in the median, {min(c['lowest'] for c in clocks):g} to {max(c['highest'] for c in clocks):g}"


def write_record(path, title, call, gpu, build, rows):
    record = {
        "title": title,
        "call": call,
        "stand_in": stand_in(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "host": platform.node(),
        "gpu": gpu.facts,
        "build": str(build),
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(record, indent=1) + "\n")
    unfinished.replace(path)


def stand_in():
    """What takes a GPU's place; empty: nothing does."""
    return os.environ.get("QUINTET_CUDA_MODULE", "")


def today():
    return datetime.datetime.now().strftime("%Y-%m-%d %H:%M")
