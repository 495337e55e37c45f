#!/usr/bin/env python3
"""Records runs in a box of shaped links, replays them as they were and on other links, and runs them there.

  tests/benchmark/replayed_runs.py BUILD_DIRECTORY [--rounds 3] [--steps 12] [--only NAME] [--exports]

Each of eight plans (4 and 8 ranks, all schedules) is run on links of 1 Gbit/s and its trace written, then on
links of half that rate, and with one link that is 5 ms late; in every round once each, so that a machine that
drifts does so under all. `quintet replay` gives back the recorded step (its error, and that of the rank whose
end is furthest off), and predicts the two others from the recording alone; medians over rounds are compared.
--exports does the same from the Kineto and Chakra files that quintet replay writes of the recording. Prints a
table; exit 1 where a step is further off than the bars: 1 % as recorded, 2 % a rank, 8 % on other links.
Needs a quiet machine and nothing but Python 3. Files stay in --out.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

MODEL = {"model_type": "gpt2", "n_layer": 8, "n_head": 8, "n_embd": 256, "n_positions": 64,
         "vocab_size": 256, "activation_function": "gelu_new", "resid_pdrop": 0.0,
         "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": False}  # fmt: skip
PLANS = {
    "data-4": (4, {"data": 4}),
    "zero3-4": (4, {"data": 4, "sharding": "parameters"}),
    "tensor2-data2": (4, {"tensor": 2, "data": 2}),
    "gpipe-4": (4, {"pipeline": 4, "micro_batches": 4, "schedule": "gpipe"}),
    "1f1b-4": (4, {"pipeline": 4, "micro_batches": 8, "schedule": "1f1b"}),
    "interleaved-4": (4, {"pipeline": 4, "micro_batches": 8, "schedule": "interleaved", "virtual_stages": 2}),
    "zb-h1-4": (4, {"pipeline": 4, "micro_batches": 8, "schedule": "zb-h1"}),
    "tensor2-pipeline2-data2": (8, {"tensor": 2, "pipeline": 2, "data": 2, "micro_batches": 2}),
}
BARS = {"step": 0.01, "rank": 0.02, "links": 0.08}


def plan_file(out, name, decisions):
    batch = 16
    groups = decisions.get("data", 1) * decisions.get("micro_batches", 1)
    layers = {"micro_batch": batch // groups, "sequence_length": 64, "compute_type": "fp32",
              "gradient_type": "fp32", "attention": "flash", **decisions}  # fmt: skip
    file = out / f"{name}.json"
    file.write_text(json.dumps({"name": name, "parallelism": layers, "network": {"mtu": "1448 B"}}, indent=2) + "\n")
    return file


def machines(out, ranks):
    """Files of the three machines: recorded, half the rate, one late link."""
    shipped = pathlib.Path(__file__).resolve().parents[2] / "topologies" / f"box-{ranks}-1gbit.json"
    same = json.loads(shipped.read_text())
    host = json.loads((shipped.parent / same["host"]).read_text())
    made = {}
    for name in ("recorded", "half", "late"):
        machine = json.loads(json.dumps(same))
        own = json.loads(json.dumps(host))
        if name == "half":
            own["nic"]["bandwidth"] = "500 Mbps"
        (out / f"host-{name}.json").write_text(json.dumps(own, indent=2))
        machine["host"] = f"host-{name}.json"
        made[name] = out / f"box-{ranks}-{name}.json"
        made[name].write_text(json.dumps(machine, indent=2))
    return made


LATE = "host1/nic0=5ms"


def execute(options, plan, machine, extra, timeline, log):
    command = [options.quintet, "run", plan, "--model", options.model, "--data", "the-valley", "--shape", machine,
               "--steps", options.steps, "--log", log, "--quiet", *extra]  # fmt: skip
    if timeline:
        command += ["--timeline", timeline]
    subprocess.run([str(each) for each in command], check=True, stdout=subprocess.DEVNULL)
    records = [json.loads(line) for line in pathlib.Path(log).read_text().splitlines()]
    steps = [record["step_s"] for record in records if record["record"] == "step"]
    return statistics.median(steps[2:])


def replay(options, traces, *more):
    command = [options.quintet, "replay", *traces, "--json", "--quiet", *more]
    done = subprocess.run([str(each) for each in command], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def exported(options, out, name, trace):
    kineto, chakra = out / f"{name}-kineto", out / f"{name}-chakra"
    subprocess.run([str(options.quintet), "replay", str(trace), "--quiet", "--kineto", str(kineto), "--chakra",
                    str(chakra / "trace")], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return {"Kineto": sorted(kineto.glob("*.json*")), "Chakra": sorted(chakra.glob("*.et"))}


def measure(options, name):
    ranks, decisions = PLANS[name]
    out = options.out / name
    out.mkdir(parents=True, exist_ok=True)
    plan, made = plan_file(out, name, decisions), machines(out, ranks)
    late_faults = out / "late.json"
    late_faults.write_text(json.dumps({"name": "a late link", "source": "this benchmark", "events": [
        {"what": "delay", "part": "host1/nic0", "by": "5 ms", "step": 1}]}))  # fmt: skip
    measured = {"half": [], "late": []}
    replays = []
    for number in range(options.rounds):
        trace = out / f"recorded-{number}.json"
        execute(options, plan, made["recorded"], [], trace, out / "recorded.log")
        measured["half"].append(execute(options, plan, made["half"], [], None, out / "half.log"))
        measured["late"].append(
            execute(options, plan, made["recorded"], ["--faults", late_faults], None, out / "late.log"))
        sources = {"own": [trace]}
        if options.exports:
            sources |= exported(options, out, f"recorded-{number}", trace)
        for source, files in sources.items():
            known = ["--recorded-on", made["recorded"]]
            half = replay(options, files, *known, "--topology", made["half"])
            late = replay(options, files, *known, "--delay", LATE)
            replays.append((source, half, late))
    rows = []
    for source in dict.fromkeys(each[0] for each in replays):
        own = [each for each in replays if each[0] == source]
        step = max((each[1]["step_error"] for each in own), key=abs)
        rank = max(each[1]["worst_rank_error"] for each in own)
        off = {}
        for place, machine in ((1, "half"), (2, "late")):
            predicted = statistics.median(each[place]["changed_s"] for each in own)
            off[machine] = (predicted, statistics.median(measured[machine]))
        rows.append((name, source, step, rank, off))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--only", default="")
    parser.add_argument("--exports", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    options.quintet = options.build / "quintet"
    options.out = options.out or pathlib.Path(tempfile.mkdtemp(prefix="replayed-"))
    options.out.mkdir(parents=True, exist_ok=True)
    options.model = options.out / "config.json"
    options.model.write_text(json.dumps(MODEL))
    print(f"{'plan':24} {'from':7} {'step':>8} {'rank':>8} | {'half: said':>10} {'ran':>8} {'off':>7} | "
          f"{'late: said':>10} {'ran':>8} {'off':>7}")  # fmt: skip
    failed = 0
    for name in PLANS:
        if options.only not in name:
            continue
        for plan, source, step, rank, off in measure(options, name):
            line = f"{plan:24} {source:7} {100 * step:7.2f}% {100 * rank:7.2f}%"
            bad = abs(step) > BARS["step"] or rank > BARS["rank"]
            for machine in ("half", "late"):
                predicted, ran = off[machine]
                share = predicted / ran - 1
                bad = bad or abs(share) > BARS["links"]
                line += f" | {1e3 * predicted:8.1f}ms {1e3 * ran:6.1f}ms {100 * share:+6.1f}%"
            failed += bad
            print(line + ("  over" if bad else ""), flush=True)
    print(f"{failed} of the rows are over a bar. Files: {options.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
