"""What programs said, as rows. Bars are those of the project's goals."""
import dataclasses
import json
import re
import statistics

from table import FAIL, NOT_MEASURED, PASS, SHOWN, Row, against, within

COPY_SHARE = 0.85  # of the device's own copy
CUDNN_SHARE = 0.80  # of cuDNN's published rate, causal, heads of 128, 4096 to 8192 long
OPERATOR_RESULTS = "operator_results.json"
# Of steps that calibration has not seen, beside what was predicted of them.
LOOP_STEPS, LOOP_MEDIAN, LOOP_MOST = 12, 0.03, 0.06
RECORDING_MOST, MEMORY_MOST = 0.02, 0.02  # of a step; of its memory
MFU = {"gpt2-124m": 0.40, "gpt2-1.5b": 0.50, "llama-1b": 0.48}


@dataclasses.dataclass
class Said:
    text: str
    ended: int | None  # exit code
    how: str

    def figures(self):
        lines = [line for line in self.text.splitlines() if line.startswith("{")]
        return [json.loads(line) for line in lines]

    def last_line(self):
        lines = self.text.strip().splitlines()
        return lines[-1].strip() if lines else "it said nothing"


def broken(check, said):
    """A program that did not end well is a failure, whatever it had measured before."""
    return [] if said.ended == 0 else [Row(check, "the program", f"{said.how}: {said.last_line()}", verdict=FAIL)]


def left_out(check, figures):
    return [Row(check, f["name"], f["left_out"], verdict=NOT_MEASURED, details=f) for f in figures if "left_out" in f]


def measured(figures):
    return [f for f in figures if "left_out" not in f]


def rate(figure):
    return f"{figure['figure']:.4g} {figure['unit']}"


def operators(check, said, place):
    path = place.records / OPERATOR_RESULTS
    if not path.exists():
        return [Row(check, "the program", f"{said.how}: {said.last_line()}", verdict=FAIL)]
    rows = []
    suites = json.loads(path.read_text())["testsuites"]
    path.rename(place.records / f"{check}.json")  # the next run must not pass for this one
    for suite in suites:
        ran = [test for test in suite["testsuite"] if test["result"] == "COMPLETED"]
        wrong = [test["name"] for test in ran if test.get("failures")]
        skipped = len(suite["testsuite"]) - len(ran)
        result = f"{len(ran) - len(wrong)} of {len(ran)} tests" + (f", {skipped} skipped" if skipped else "")
        result += f"; failed: {', '.join(wrong)}" if wrong else ""
        verdict = FAIL if wrong else PASS if ran else NOT_MEASURED
        rows.append(Row(check, suite["name"].removeprefix("On/"), result, "all", verdict, {"failed": wrong}))
    if not any(row.verdict == PASS for row in rows):
        rows.append(Row(check, "the program", "no test ran on the GPU", verdict=FAIL))
    return rows + (broken(check, said) if said.ended not in (0, 1) else [])


def bandwidth(check, said, place):
    figures = said.figures()
    copies = [f["figure"] for f in measured(figures) if f["group"] == "copy"]
    rows = []
    for f in measured(figures):
        if f["group"] == "bandwidth" and copies:
            share = f["figure"] / copies[0]
            rows.append(Row(check, f["name"], f"{rate(f)}, {share:.1%} of copy", f"{COPY_SHARE:.0%}", against(share, COPY_SHARE), f))
        else:
            rows.append(Row(check, f["name"], rate(f), details=f))
    return rows + left_out(check, figures) + broken(check, said)


def gemm(check, said, place):
    """Whose products there are is the program's to say; ours are shown beside cuBLASLt's."""
    figures = said.figures()
    library = {f["name"]: f["figure"] for f in measured(figures) if f["by"].startswith("cuBLASLt")}
    rows = []
    for f in measured(figures):
        beside = f", {f['figure'] / library[f['name']]:.1%} of cuBLASLt" if not f["by"].startswith("cuBLASLt") and f["name"] in library else ""
        rows.append(Row(check, f"{f['name']}, {f['by']}", rate(f) + beside, details=f))
    return rows + left_out(check, figures) + broken(check, said)


def torch_attention(check, said, place):
    figures = said.figures()
    (place.records / "torch_attention.json").write_text(json.dumps(measured(figures)))
    rows = [Row(check, f"{f['name']}, {f['by']}", rate(f), details=f) for f in measured(figures)]
    return rows + left_out(check, figures) + broken(check, said)


def best_of_torch(place):
    path = place.records / "torch_attention.json"
    best = {}
    for f in json.loads(path.read_text()) if path.exists() else []:
        best[f["name"]] = max(best.get(f["name"], 0.0), f["figure"])
    return best


def published_attention(place):
    """By shape, for this GPU."""
    published = json.loads((place.source / "tests/gpu/published.json").read_text())
    return {row["name"]: row for row in published["attention"] if row["gpu"] in place.gpu.facts["name"]}


def has_bar(name):
    return " causal " in name and name.endswith(" of 128") and re.search(r" x (4096|8192) ", name) is not None


def attention(check, said, place):
    figures = said.figures()
    published, torch = published_attention(place), best_of_torch(place)
    rows = []
    for f in measured(figures):
        result, bar, verdict = rate(f), "", SHOWN
        if f["name"] in torch:
            result += f", {f['figure'] / torch[f['name']]:.2f} times PyTorch's best"
        if f["name"] in published:
            share = f["figure"] / published[f["name"]]["tflops"]
            result += f", {share:.1%} of cuDNN's published rate"
            if has_bar(f["name"]):
                bar, verdict = f"{CUDNN_SHARE:.0%}", against(share, CUDNN_SHARE)
        rows.append(Row(check, f"{f['name']}, {f['by']}", result, bar, verdict, f))
    return rows + left_out(check, figures) + broken(check, said)


def steps(check, said, place):
    """ms per step, tokens per second and MFU of whole training steps, PyTorch's or ours."""
    figures = said.figures()
    rows = []
    for f in measured(figures):
        result = f"{f['milliseconds']:.1f} ms, {f['tokens_per_s']:.0f} tokens/s"
        has_peak = f.get("mfu") is not None
        result += f", MFU {f['mfu']:.1%}" if has_peak else ""
        ours = f["by"] == "quintet" and has_peak and f["name"] in MFU
        bar, verdict = (f"MFU {MFU[f['name']]:.0%}", against(f["mfu"], MFU[f["name"]])) if ours else ("", SHOWN)
        rows.append(Row(check, f"{f['name']}, {f['by']}", result, bar, verdict, f))
    return rows + left_out(check, figures) + broken(check, said)


def loop_row(check, f):
    result = f"predicted {1e3 * f['predicted_s']:.2f} ms, measured {1e3 * f['measured_s']:.2f} ms, {f['error']:+.1%}"
    if f.get("memory_bytes"):
        result += f"; memory {memory_error(f):+.1%} of {f['memory_bytes'] / 2**30:.2f} GiB"
    if "recording_cost" in f:
        result += f"; recording {f['recording_cost']:+.1%} by {f['recorded_by']}"
    return Row(check, f["name"], result, details=f)


def memory_error(figure):
    return figure["predicted_memory_bytes"] / figure["memory_bytes"] - 1


def bar(check, name, values, most):
    """The largest of the values, against what it may be."""
    if not values:
        return Row(check, name, "the loop did not tell", f"<= {most:.0%}", FAIL)
    return Row(check, name, f"{max(values):.1%}", f"<= {most:.0%}", within(max(values), most))


def loop(check, said, place):
    """Steps predicted and run: each, then all against the bars."""
    figures = measured(said.figures())
    steps = [f for f in figures if f["group"] == "loop"]
    if not steps:
        return [Row(check, "the program", f"{said.how}: {said.last_line()}", verdict=FAIL)]
    errors = [abs(f["error"]) for f in steps]
    rows = [loop_row(check, f) for f in steps]
    rows += [
        Row(check, "steps", f"{len(steps)} of {LOOP_STEPS}", "all", PASS if len(steps) == LOOP_STEPS else FAIL),
        bar(check, "step time, median error", [statistics.median(errors)], LOOP_MEDIAN),
        bar(check, "step time, largest error", errors, LOOP_MOST),
        bar(check, "recording, largest cost", [f["recording_cost"] for f in steps if "recording_cost" in f], RECORDING_MOST),
        bar(check, "memory, largest error", [abs(memory_error(f)) for f in steps if f.get("memory_bytes")], MEMORY_MOST),
    ]
    for f in figures:
        if f["group"] == "whole" and "coverage" in f:
            rows.append(Row(check, "steps in their 90 % interval", f"{f['coverage']:.0%}", details=f))
    return rows + broken(check, said)


def sanitizer(check, said, place):
    summary = re.search(r"(ERROR|RACECHECK) SUMMARY: (\d+)[^\n]*", said.text)
    if summary is None:
        return [Row(check, "operators", f"{said.how}: {said.last_line()}", verdict=NOT_MEASURED)]
    ran = re.search(r"\[  PASSED  \] (\d+) tests?", said.text)
    result = summary.group(0) + (f", {ran.group(1)} tests passed" if ran else ", no test passed")
    clean = int(summary.group(2)) == 0 and ran is not None and int(ran.group(1)) > 0 and said.ended == 0
    return [Row(check, "operators", result, "0 errors", PASS if clean else FAIL)]
