"""Runs `quintet` for the checks of whole steps, and says a line of JSON per figure. Nothing here waits for ever:
whatever is started ends within its limit, its ranks with it."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Failed(Exception):
    """What it said last, or how long it was waited for."""


def say(group, name, **more):
    print(json.dumps({"group": group, "name": name, **more}), flush=True)


def end_all_of(process):
    """It leads a group of its own, with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def end_by_exception():
    """Of a script that is asked to end, so that what it started ends too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def started(words, environment=None, **more):
    environment = {"QUINTET_DATA": str(SOURCE), **os.environ, **(environment or {})}
    return subprocess.Popen([str(word) for word in words], env=environment, text=True, start_new_session=True, **more)


def said_by(words, limit_s, environment=None):
    """All it printed. Failed: it ended badly, or not in time."""
    process = started(words, environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise Failed(f"was stopped after {limit_s} s") from None
    finally:
        end_all_of(process)
    if process.returncode != 0:
        lines = (errors.strip() or output.strip() or "nothing").splitlines()
        # The launcher's last word is which rank failed; that rank has said why before.
        raise Failed(f"ended with {process.returncode}: {' / '.join(lines[-2:])}")
    return output


def records(log):
    """Of a run's --log; nothing of a line that is being written."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def losses(log):
    return [record["loss"] for record in records(log) if record["record"] == "step"]


def farthest(found, expected):
    return max(abs(one / other - 1) for one, other in zip(found, expected, strict=True))


def trained(quintet, plan, model, data, steps, folder, name, limit_s, *more, environment=None):
    """Trains; the records of its log, which stays in folder/NAME.jsonl beside what it printed."""
    log = folder / f"{name}.jsonl"
    log.unlink(missing_ok=True)
    words = [quintet, "run", plan, "--model", model, "--data", data, "--steps", steps, "--log", log, *more]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        (folder / f"{name}.txt").write_text(said_by(words, limit_s, environment))
    except Failed as failure:
        done = len(losses(log))
        raise Failed(f"{failure} (after {done} of {steps} steps)" if done else str(failure)) from None
    return records(log)
