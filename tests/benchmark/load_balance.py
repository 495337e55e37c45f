#!/usr/bin/env python3
"""Steps on real text of uneven lengths: drawn at random, and stratified with presorting.

  tests/benchmark/load_balance.py BUILD_DIRECTORY [--costs TABLE] [--samples 4] [--steps 40] [--rounds 3]

The samples are the paragraphs of this repository's pages, in bytes, cut to 512 (the command prints
their mean and how many are full). 4 ranks, a host each on shaped links of 1 Gbit/s in a box on this
machine, train a small GPT on them by two plans that differ in parallelism.samples and load_balance
alone. quintet simulate predicts each plan's step, in the mean of --draws draws, by a table of this
machine: --costs, or else one that quintet calibrate makes first (--time seconds for operators, of
models as wide as this one). Plans are run in turns, --rounds times, so that a machine that others use
treats both alike; the first steps of a run do not count. Printed are the steps, in the mean, and
their ratio random : stratified and presorted, predicted and measured; the rounds' ratios say how
noisy the machine was. Exit 0: the ratio is predicted within 5 %; 1: not. Files stay in --out. Needs
nothing but Python 3.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

import closed_loop

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST = 512
RANKS = 4
PLANS = {"random": ({"draw": "random"}, "none"),
         "stratified, presorted": ({"draw": "stratified"}, "presort-globally")}  # fmt: skip
MODEL = {"model_type": "gpt2", "n_layer": 4, "n_embd": 128, "n_head": 4, "n_positions": LONGEST,
         "vocab_size": 256, "activation_function": "gelu_new", "resid_pdrop": 0.0,
         "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": True}  # fmt: skip


def pieces(length):
    """As the engine cuts a paragraph that is longer than a sample may be; a byte alone says nothing."""
    full, rest = divmod(length, LONGEST)
    return [LONGEST] * full + ([rest] if rest > 1 else [])


def write_text(folder):
    """All pages, and how long their paragraphs are as the engine parts them."""
    pages = sorted(ROOT.glob("docs/*.md")) + sorted(ROOT.glob("*/README.md")) + [ROOT / "README.md"]
    text = "\n\n".join(page.read_text(encoding="utf-8") for page in pages)
    (folder / "pages.txt").write_text(text, encoding="utf-8")
    counts = {}
    for paragraph in re.split(r"\n(?:[ \t\r]*\n)+", text.strip("\n")):
        for length in pieces(len(paragraph.encode())):
            counts[length] = counts.get(length, 0) + 1
    lines = [f"{length},{count}" for length, count in sorted(counts.items())]
    (folder / "lengths.csv").write_text("length,count\n" + "\n".join(lines) + "\n")
    samples = sum(counts.values())
    mean = sum(length * count for length, count in counts.items()) / samples
    print(f"{samples} samples of {mean:.0f} bytes in the mean, {100 * counts[LONGEST] / samples:.0f} % "
          f"of {LONGEST}", flush=True)


def write_plan(options, name):
    samples, load_balance = PLANS[name]
    lengths = str((options.out / "lengths.csv").resolve())
    plan = {"name": name,
            "parallelism": {"data": RANKS, "sequence_length": LONGEST, "micro_batch": options.samples,
                            "micro_batches": 1, "compute_type": "fp32", "gradient_type": "fp32",
                            "load_balance": load_balance,
                            "samples": {**samples, "lengths": lengths}},
            "network": {"mtu": "1448 B"}}
    path = options.out / f"{name.replace(', ', '-')}.json"
    path.write_text(json.dumps(plan, indent=2) + "\n")
    return path


def calibrate(options):
    options.costs = options.out / "costs.json"
    if not options.busy:
        closed_loop.let_pressure_fall()
    closed_loop.run([options.quintet, "calibrate", "--model", options.model, "--topology",
                     options.topology, "--length", LONGEST, "--tokens", options.samples * LONGEST,
                     "--time", options.time, "--message-time", options.message_time, "-o",
                     options.costs, *(["--busy"] if options.busy else [])])


def predicted(options, plan):
    """Mean step of the draws, in seconds."""
    seeds = ",".join(str(seed) for seed in range(1, options.draws + 1))
    done = closed_loop.run([options.quintet, "simulate", plan, "--model", options.model, "--topology",
                            options.topology, "--costs", options.costs, "--set",
                            f"parallelism.samples.seed={seeds}", "--json", "--quiet"],
                           stdout=subprocess.PIPE, text=True)
    steps = [entry["step_s"] for entry in json.loads(done.stdout)["plans"]]
    assert len(steps) == options.draws
    return statistics.mean(steps)


def measured(options, plan, seed):
    """Mean of the steps that count."""
    log = plan.with_suffix(f".{seed}.log")
    log.unlink(missing_ok=True)
    closed_loop.run([options.quintet, "run", plan, "--model", options.model, "--data",
                     options.out / "pages.txt", "--ranks", RANKS, "--shape", options.topology,
                     "--steps", options.steps + options.warm_up, "--seed", seed, "--log", log,
                     "--quiet"], stdout=sys.stderr)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    steps = [each["step_s"] for each in records if each["record"] == "step"][options.warm_up:]
    assert len(steps) == options.steps
    return statistics.mean(steps)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--costs", type=pathlib.Path, help="use this table, do not calibrate")
    parser.add_argument("--time", type=int, default=150, help="seconds to calibrate operators")
    parser.add_argument("--message-time", type=int, default=40)
    parser.add_argument("--busy", action="store_true", help="calibrate on a busy machine too")
    parser.add_argument("--samples", type=int, default=4, help="of a rank and step")
    parser.add_argument("--steps", type=int, default=40, help="of a round that count")
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=64)
    parser.add_argument("--only-calibrate", action="store_true")
    parser.add_argument("--topology", default="box-4-1gbit")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("load_balance"))
    return parser.parse_args()


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build / "quintet"
    options.model = options.out / "config.json"
    options.model.write_text(json.dumps(MODEL, indent=2) + "\n")
    options.topology = closed_loop.topology_file(options.out, options.topology, RANKS)
    write_text(options.out)
    if options.costs is None:
        calibrate(options)
    if options.only_calibrate:
        return 0
    plans = {name: write_plan(options, name) for name in PLANS}
    said = {name: predicted(options, plan) for name, plan in plans.items()}
    rounds = [{name: measured(options, plan, options.first_seed + number)
               for name, plan in plans.items()} for number in range(options.rounds)]
    print(f"{RANKS} ranks, {options.samples} samples each; {options.rounds} rounds of {options.steps} steps\n"
          f"{'':24} {'predicted':>10} {'measured':>10} {'error':>8}   means of the rounds")
    seen = {name: statistics.mean(each[name] for each in rounds) for name in PLANS}
    for name in PLANS:
        print(f"{name:24} {said[name] * 1e3:7.1f} ms {seen[name] * 1e3:7.1f} ms "
              f"{100 * (said[name] / seen[name] - 1):+6.1f} %   "
              + ", ".join(f"{each[name] * 1e3:.1f}" for each in rounds))
    random, balanced = PLANS
    want, have = said[random] / said[balanced], seen[random] / seen[balanced]
    print(f"{'ratio':24} {want:10.3f} {have:10.3f} {100 * (want / have - 1):+6.1f} %   "
          + ", ".join(f"{each[random] / each[balanced]:.3f}" for each in rounds))
    return 0 if abs(want / have - 1) <= 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
