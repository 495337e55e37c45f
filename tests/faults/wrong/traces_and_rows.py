"""Traces to compare, packed or not, and rows of published steps."""

import gzip
import json
import subprocess

from wrong.case import CHAIN, ROW, ROW_HEADER, content, kind, put, replaced, wrong

COMPARE = "compare step.json step2.json"


def write_traces(program, folder):
    """Two of the same step, of the command itself."""
    subprocess.run([program, *CHAIN.split(), "-q", "--trace", "step.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "step2.json").write_bytes((folder / "step.json").read_bytes())


@kind("traces")
def traces():
    for path, value, remedy in [
            ("quintet", 5, "object"), ("quintet.schema_version", 2, "1"), ("quintet.end", "fast", "microseconds"),
            ("quintet.end", -5, "0"), ("quintetLanes", {}, "list"), ("quintetTracks", [], "quintetTracks"),
            ("quintetTracks.0.ranks", 0, "1"), ("quintetTracks.0.pid", "a", "integer"), ("quintetInfos", 5, "list"),
            ("quintetInfos.0.kind", "thought", "compute"), ("quintetInfos.0.phase", "sideways", "forward"),
            ("quintetInfos.0.lane", 99, "quintetLanes"), ("traceEvents", {}, "list"), ("traceEvents", "none", "list")]:
        yield wrong(COMPARE, path.split(".")[-1], remedy, put("step.json", path, value))
    for text, remedy in [("{}", "quintet simulate --trace"), ("[]", "quintet simulate --trace"), ("", "empty"),
                         (json.dumps({"traceEvents": [{"ph": "X", "ts": 1, "dur": 2}]}), "quintet simulate --trace"),
                         ("{\"traceEvents\": [", "line 1"), ("step", "JSON"), ("\0" * 100, "JSON")]:
        yield wrong(COMPARE, "step2.json", remedy, content("step2.json", text))
    for words, place, remedy in [
            ("compare step.json", "measured", "required"), ("compare", "predicted", "required"),
            ("compare step.json step.json step.json", "not expected", "--help"), ("compare step.json plan.json", "plan.json", "quintet simulate --trace"),
            ("compare step.json nowhere.json", "nowhere.json", "no such file"), ("compare step.json step2.json --within -1", "--within", "0 or more"),
            ("compare step.json step2.json --within nan", "--within", "0 or more"), ("compare step.json step2.json --within ''", "--within", "0 or more"),
            ("compare step.json step2.json --svg step.json", "--svg step.json", "folder"),
            ("compare step.json step2.json --html step.json", "--html step.json", "another")]:
        yield wrong(words, place, remedy)


@kind("packed traces")
def packed():
    whole = gzip.compress(b"{\"traceEvents\": []}" * 1000)
    for name, data, remedy in [
            ("t.json.gz", b"", "empty"), ("t.json.gz", b"no gzip at all", "quintet simulate --trace"), ("t.json.gz", whole[:len(whole) // 2], "cut off"),
            ("t.json.gz", whole[:-4] + b"\0\0\0\0", "damaged"), ("t.json.gz", gzip.compress(b""), "empty"),
            ("t.json.gz", gzip.compress(gzip.compress(b"{}")), "JSON"), ("t.json.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 60, "damaged"),
            ("t.json.zst", b"", "empty"), ("t.json.zst", whole, "JSON"), ("t.json", whole, "JSON"),
            ("t.json.gz", gzip.compress(b"\0" * 300_000_000, 1), "quintet simulate --trace")]:
        yield wrong(f"compare step.json {name}", name, remedy, content(name, data))


def changed(column, value):
    """The row with another cell."""
    def change(folder):
        head, cells = ROW_HEADER.split(","), ROW.replace("\"a, book\"", "a book").split(",")
        cells[head.index(column)] = value
        (folder / "rows.csv").write_text(ROW_HEADER + "\n" + ",".join(cells) + "\n")
    return change


@kind("rows of published steps")
def rows():
    for column, value, remedy in [
            ("status", "fine", "ok, oom"), ("layers", "8.5", "whole number"), ("layers", "-8", "1"), ("gpus", "many", "whole number"),
            ("gpus", "1e99", "whole number"), ("step_time_s", "-0.5", "0"), ("step_time_s", "nan", "number"),
            ("step_time_s", "0,5", "line 2"), ("seq", "99999999999999999999", "whole number"),
            ("peak_mem_gib", "inf", "number"),
            ("mfu_pct", "142 %", "number")]:
        yield wrong("validate rows.csv", column if remedy != "line 2" else "rows.csv", remedy, changed(column, value))
    for text, remedy in [("", "empty"), (ROW_HEADER + "\n", "row"), (ROW + "\n", "line 1"), (ROW_HEADER.replace("gpus,", "") + "\n" + ROW + "\n", "gpus"),
                         (ROW_HEADER + "\n" + ROW + ",x,y\n", "line 2"), (ROW_HEADER + ",id\n" + ROW + ",1\n", "twice"),
                         (ROW_HEADER + "\n\"r-1" + ROW, "line 2"), ("<html><body>404</body></html>", "line 1"), ("PK\x03\x04" + "x" * 50, "line 1")]:
        yield wrong("validate rows.csv", "rows.csv", remedy, content("rows.csv", text))
    for words, place, remedy in [
            ("validate", "rows", "required"), ("validate nowhere.csv", "nowhere.csv", "no such file"), ("validate hosts", "hosts", "directory"),
            ("validate rows.csv --only nothing-like-it", "--only", "nothing-like-it"), ("validate rows.csv --worst -1", "--worst", "0 to 100000"),
            ("validate rows.csv --worst ten", "--worst", "0 to 100000"), ("validate rows.csv --fit Megatron --cross-validate", "--fit", "--cross-validate"),
            ("validate rows.csv --fit NoSuchStack", "NoSuchStack", "Megatron"), ("validate rows.csv --markdown nowhere.md", "nowhere.md", "no such file"),
            ("validate rows.csv --residuals nowhere/r.json", "nowhere/r.json", "mkdir"),
            ("validate plan.json", "plan.json", "line 2"), ("validate bert_mlperf_summary.csv", "line 1", "columns")]:
        yield wrong(words, place, remedy, content("bert_mlperf_summary.csv", (
            "id,round,submitter,system,chips,gpus,gpu,minutes\n")) if "mlperf" in words else replaced("rows.csv", b"r-1", b"r-2"))
