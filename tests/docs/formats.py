"""Pages about file formats against what the program itself knows.

  formats.py QUINTET SOURCE [--write]    --write: makes the generated parts of docs/formats anew
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

QUINTET, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
WRITE = "--write" in sys.argv


def said(*words):
    return subprocess.run([QUINTET, *words], check=True, capture_output=True, text=True).stdout


def check_generated(page):
    """What stands between `<!-- quintet WORDS -->` and `<!-- end -->` is what that command prints."""
    text = page.read_text()
    found = re.search(r"<!-- quintet (.+) -->\n(.*?)<!-- end -->", text, re.S)
    if not found:
        return
    made = said(*found[1].split())
    if WRITE:
        page.write_text(text[: found.start(2)] + made + text[found.end(2) :])
    elif found[2] != made:
        sys.exit(f"{page}: is not what quintet {found[1]} prints; tests/docs/formats.py QUINTET SOURCE --write makes it so")
    print(f"{page}: {made.count(chr(10) + '| `')} fields")


def keys_in(value):
    if isinstance(value, dict):
        return set(value).union(*(keys_in(each) for each in value.values()))
    if isinstance(value, list):
        return set().union(*(keys_in(each) for each in value)) if value else set()
    return set()


def listed_keys(page, which):
    listed = re.search(rf"<!-- {which} -->(.*?)<!-- end -->", page.read_text(), re.S)[1]
    return set(re.findall(r"^\| `([^`]+)`", listed, re.M))


# What a GPU's recording has, and a run with faults, which wants namespaces of the kernel.
NOT_EVERYWHERE = {"quintetRecording", "by", "instead", "steps_with", "steps_without", "with", "without", "cost", "pieces",
                  "in_spans", "lost", "quintetEvents", "into us", "what", "note"}  # fmt: skip


def check_measured_trace(page):
    """What `quintet run --timeline` writes has the keys of both lists, and of the second all that it can have here."""
    predicted, measured = listed_keys(page, "keys"), listed_keys(page, "measured keys")
    if not (pathlib.Path(QUINTET).parent / "quintet-run").exists():
        print(f"{page}: SKIPPED the keys of measured traces: quintet-run is not built")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/measured.json"
        # What the plan asks of its network nobody obeys in one process: there is a deviation to write.
        done = subprocess.run([QUINTET, "run", "tiny-gpt-one", "--model", "tiny-gpt", "--data", "the-valley", "--ranks", "1", "--steps", "3",
                               "--set", "network.routing=spray", "--timeline", file],
                              capture_output=True, text=True)  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"quintet run: {done.stderr}")
        written = keys_in(json.load(open(file)))
    if written - predicted - measured:
        sys.exit(f"{page}: does not have the keys {sorted(written - predicted - measured)} of measured traces")
    if measured - written - NOT_EVERYWHERE:
        sys.exit(f"{page}: has the keys {sorted(measured - written - NOT_EVERYWHERE)}, which no measured trace has")
    print(f"{page}: {len(measured)} keys of measured traces")


def check_trace(page):
    """The page has every key that traces have, and none that they have not."""
    documented = listed_keys(page, "keys")
    written = set()
    with tempfile.TemporaryDirectory() as folder:
        for plan, model, machine, more in (
            ("llama-3-70b-1024-h100-tp8-pp4", "llama-3-70b", "dgx-h100-1024", ()),
            ("toy-pipeline-1f1b", "toy-pipeline", "pipeline-4-20ms", ("--costs", "toy-pipeline")),
            ("llama-3-70b-1024-h100-tp8-pp4", "llama-3-70b", "dgx-h100-1024",
             ("--set", "parallelism.schedule=interleaved", "--set", "parallelism.virtual_stages=2",
              "--set", "ccl.bucket=100MB"))):  # fmt: skip
            file = f"{folder}/trace.json"
            done = subprocess.run([QUINTET, "simulate", plan, "--model", model, "--topology", machine, *more, "--trace", file, "-q"],
                                  capture_output=True, text=True)  # fmt: skip
            if done.returncode != 0:
                sys.exit(f"{plan} on {machine}: {done.stderr}")
            written |= keys_in(json.load(open(file)))
    if written - documented:
        sys.exit(f"{page}: does not have the keys {sorted(written - documented)}")
    if documented - written:
        sys.exit(f"{page}: has the keys {sorted(documented - written)}, which no trace has")
    print(f"{page}: {len(documented)} keys")


def check_rows(page):
    """Its columns are those without which a file is refused."""
    named = {name for cell in re.findall(r"^\| (`.+?) \|", page.read_text(), re.M) for name in re.findall(r"`(\w+)`", cell)}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.csv"
        for missing in sorted(named):
            file.write_text(",".join(sorted(named - {missing})) + "\n")
            done = subprocess.run([QUINTET, "validate", file], capture_output=True, text=True)
            if done.returncode != 2 or missing not in done.stderr:
                sys.exit(f"{page}: a file without {missing} is taken: {done.stderr}")
        file.write_text(",".join(sorted(named)) + "\n")
        done = subprocess.run([QUINTET, "validate", file], capture_output=True, text=True)
        if "column" in done.stderr:
            sys.exit(f"{page}: lacks a column: {done.stderr}")
    print(f"{page}: {len(named)} columns")


formats = SOURCE / "docs/formats"
pages = sorted(formats.glob("*.md"))
for each in pages:
    check_generated(each)
if not WRITE:
    check_trace(formats / "trace.md")
    check_measured_trace(formats / "trace.md")
    check_rows(formats / "rows.md")
sys.exit(0 if len(pages) >= 5 else 1)
