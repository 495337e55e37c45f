"""What programs said, as rows. Bars are those of the project's goals."""
import dataclasses
import json
import re
import statistics

from models import MFU_BARS
from table import FAIL, NOT_MEASURED, PASS, SHOWN, Row, against, within

COPY_SHARE = 0.85  # of the device's own copy
CUDNN_SHARE = 0.80  # of cuDNN's published rate, causal, heads of 128, 4096 to 8192 long
# Steps that calibration has not seen, beside what was predicted of them.
LOOP_STEPS, LOOP_MEDIAN, LOOP_MOST = 12, 0.03, 0.06
RECORDING_MOST, MEMORY_MOST = 0.02, 0.02  # of a step; of its memory


@dataclasses.dataclass
class Said:
    text: str
    ended: int | None  # exit code
    how: str

    def figures(self):
        """Of whole lines: a program that was cut off, or runs, may have begun another."""
        return [json.loads(line) for line in self.text.splitlines() if line.startswith("{") and line.endswith("}")]

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


def found(check, said, place):
    """The machine, as our own module and nvidia-smi see it."""
    facts = place.gpu.facts
    module = said.last_line() if said.ended == 0 else ""
    known = place.gpu.topology or "no machine of topologies/"
    rows = [Row(check, "GPU", module or "...", verdict=PASS if module else SHOWN)]
    rows.append(Row(check, "taken for", f"{known}: {facts['name']}, {facts['memory.total']} MiB, at most {facts['clocks.max.sm']} MHz"))
    return rows + broken(check, said)


GTEST = re.compile(r"^\[ +(RUN|OK|FAILED|SKIPPED) +\] (?:On/)?(\w+)\.([\w/]+)", re.MULTILINE)


def operators(check, said, place):
    """By what GoogleTest prints as it goes: a crash, or an end before the end, loses nothing."""
    suites = {}
    for how, suite, test in GTEST.findall(said.text):
        suites.setdefault(suite, {})[test] = how
    rows = [operators_row(check, suite, tests, said) for suite, tests in suites.items()]
    if said.ended in (0, 1) and not any(row.verdict == PASS for row in rows) and said.how != "runs":
        rows.append(Row(check, "the program", "no test ran on the GPU", verdict=FAIL))
    return rows + (broken(check, said) if said.ended not in (0, 1) else [])


def operators_row(check, suite, tests, said):
    of = {how: [test for test, its in tests.items() if its == how] for how in ("RUN", "OK", "FAILED", "SKIPPED")}
    unfinished = of["RUN"] if said.how != "runs" else []
    ran = len(of["OK"]) + len(of["FAILED"]) + len(unfinished)
    result = f"{len(of['OK'])} of {ran} tests" + (f", {len(of['SKIPPED'])} skipped" if of["SKIPPED"] else "")
    result += f"; failed: {', '.join(of['FAILED'])}" if of["FAILED"] else ""
    result += f"; did not end: {', '.join(unfinished)}" if unfinished else ""
    wrong = of["FAILED"] + unfinished
    verdict = FAIL if wrong else PASS if ran else NOT_MEASURED
    return Row(check, suite, result, "all", verdict, {"failed": wrong})


def told(check, said, place):
    """Lines that say themselves whether they passed."""
    rows = [
        Row(check, f["name"], f["result"], f.get("bar", ""), PASS if f["passed"] else FAIL, f) for f in measured(said.figures())
    ]
    return rows + left_out(check, said.figures()) + broken(check, said)


def roof(check, name, unit, value, of_datasheet):
    share = f", {value / of_datasheet:.1%} of the datasheet's {of_datasheet:g}" if of_datasheet else ""
    return Row(check, name, f"{value:.4g} {unit}{share}")


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
    if copies:
        rows.append(roof(check, "roof: copy", "TB/s", copies[0], place.gpu.kind and place.gpu.kind.memory_tb_s))
    return rows + left_out(check, figures) + broken(check, said)


def replicators(check, said, place):
    """No bar: nobody has published what these take."""
    figures = said.figures()
    rows = [Row(check, f["name"], rate(f), details=f) for f in measured(figures)]
    return rows + left_out(check, figures) + broken(check, said)


def gemm(check, said, place):
    """Whose products there are is the program's to say; ours are shown beside cuBLASLt's."""
    figures = said.figures()
    library = {f["name"]: f["figure"] for f in measured(figures) if f["by"].startswith("cuBLASLt")}
    rows = []
    for f in measured(figures):
        beside = f", {f['figure'] / library[f['name']]:.1%} of cuBLASLt" if not f["by"].startswith("cuBLASLt") and f["name"] in library else ""
        rows.append(Row(check, f"{f['name']}, {f['by']}", rate(f) + beside, details=f))
    if library:
        rows.append(roof(check, "roof: products by cuBLASLt", "TFLOP/s", max(library.values()), place.gpu.peak_tflops))
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
    """ms per step, tokens per second and MFU of whole training steps: ours, PyTorch's, or predicted."""
    figures = said.figures()
    rows = [step_row(check, f, place) for f in measured(figures)]
    return rows + left_out(check, figures) + broken(check, said)


def step_row(check, f, place):
    result = f"{f['milliseconds']:.1f} ms, {f['tokens_per_s']:.0f} tokens/s"
    has_peak = f.get("mfu") is not None
    result += f", MFU {f['mfu']:.1%}" if has_peak else ""
    ours, predicted = f["by"].startswith("quintet"), f["by"].startswith("predicted")
    if not predicted:
        result += beside_others(f, ours, place.seconds_of_steps.setdefault(f["name"], {}))
    least = MFU_BARS.get(f["name"]) if has_peak and (ours or predicted) else None
    if least is None:
        return Row(check, f"{f['name']}, {f['by']}", result, details=f)
    verdict = SHOWN if predicted else against(f["mfu"], least)  # what was not measured passes nothing
    return Row(check, f"{f['name']}, {f['by']}", result, f"MFU {least:.0%}", verdict, f)


def beside_others(f, ours, seconds):
    """The same model's step by PyTorch where this is ours, and by us where it is PyTorch's, if it came before."""
    seconds[f["by"]] = f["milliseconds"]
    others = {by: each for by, each in seconds.items() if by.startswith("quintet") != ours}
    return "".join(f"; {each / f['milliseconds']:.2f} times {by.split(',')[0]}'s rate" for by, each in list(others.items())[:1])


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
    passed = len(re.findall(r"^\[ +OK +\]", said.text, re.MULTILINE))
    if summary is None:
        found = re.findall(r"^=+ (?:Invalid|Error|Race|Program hit|Misaligned|Uninitialized)[^\n]*", said.text, re.MULTILINE)
        result = f"{said.how}: {said.last_line()}" if passed == 0 else f"{said.how}; {passed} tests passed before"
        verdict = FAIL if found else SHOWN if said.how == "runs" else NOT_MEASURED
        return [Row(check, "operators", f"{found[0].strip('= ')}; {result}" if found else result, "0 errors", verdict)]
    result = summary.group(0) + (f", {passed} tests passed" if passed else ", no test passed")
    clean = int(summary.group(2)) == 0 and passed > 0 and said.ended == 0
    return [Row(check, "operators", result, "0 errors", PASS if clean else FAIL)]
