#!/usr/bin/env python3
"""Steps on real text of uneven lengths: drawn at random, and stratified with presorting.

  tests/benchmark/load_balance.py BUILD_DIRECTORY [--costs TABLE] [--ranks 4] [--steps 40] [--rounds 3]

The samples are the paragraphs of this repository's pages, in bytes, cut to 512 (a mean of about 255,
a fifth of 512: much like the sequences of BERT on Wikipedia). The ranks train a small GPT on them by
two plans that differ in parallelism.samples and load_balance alone; quintet simulate predicts each
plan's step, in the mean of 64 draws, with --costs (default: the shipped cpu-core; better a table of
this machine, quintet calibrate). Printed is the ratio of step times random : stratified + presorted,
predicted and measured. Plans are run in turns, --rounds times, so that a machine that others use
treats both alike; the spread of the rounds' ratios says how noisy it was. Exit 0: within 5 %; 1: not.
Needs nothing but Python 3.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST = 512
SAMPLES = 4  # of a rank and step


def run(command):
    print("+", *command, file=sys.stderr, flush=True)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def write_text(folder):
    """All pages, and the lengths of their paragraphs as the engine parts them."""
    pages = sorted(ROOT.glob("docs/*.md")) + sorted(ROOT.glob("*/README.md")) + [ROOT / "README.md"]
    text = "\n\n".join(page.read_text(encoding="utf-8") for page in pages)
    (folder / "pages.txt").write_text(text, encoding="utf-8")
    counts = {}
    for paragraph in re.split(r"\n(?:[ \t\r]*\n)+", text.strip("\n")):
        length = len(paragraph.encode())
        if length > 1:
            counts[length] = counts.get(length, 0) + 1
    lines = [f"{length},{count}" for length, count in sorted(counts.items())]
    (folder / "lengths.csv").write_text("length,count\n" + "\n".join(lines) + "\n")


def write_plan(folder, name, ranks, samples, load_balance):
    plan = {"name": name,
            "parallelism": {"data": ranks, "sequence_length": LONGEST, "micro_batch": SAMPLES,
                            "micro_batches": 1, "compute_type": "fp32", "load_balance": load_balance,
                            "samples": dict(samples, lengths=str(folder / "lengths.csv"))}}
    path = folder / f"{name}.json"
    path.write_text(json.dumps(plan, indent=2) + "\n")
    return path


def write_model(folder):
    config = {"model_type": "gpt2", "n_layer": 4, "n_embd": 128, "n_head": 4, "n_positions": LONGEST,
              "vocab_size": 256, "activation_function": "gelu_new", "resid_pdrop": 0.0,
              "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": True}
    (folder / "model").mkdir()
    path = folder / "model" / "config.json"
    path.write_text(json.dumps(config, indent=2) + "\n")
    return path


def machine(ranks):
    """All ranks are on one host, whose GPUs' place cores take."""
    return ["--topology", ROOT / "topologies/box-4-unshaped.json", "--set", "topology.hosts=1",
            "--set", f"host.slots={ranks}"]


def predicted(quintet, plan, model, costs, ranks, draws=64):
    """Mean step over draws, in seconds."""
    seeds = ",".join(str(seed) for seed in range(1, draws + 1))
    out = run([quintet, "simulate", plan, "--model", model, *machine(ranks), "--costs", costs,
               "--set", f"parallelism.samples.seed={seeds}", "--json"])
    return statistics.mean(entry["step_s"] for entry in json.loads(out)["plans"])


def measured(quintet, plan, model, folder, ranks, steps, seed):
    """Seconds of each step but the first three."""
    log = folder / "log.jsonl"
    log.unlink(missing_ok=True)
    run([quintet, "run", plan, "--model", model, *machine(ranks), "--data", folder / "pages.txt",
         "--steps", steps, "--seed", seed, "--log", log, "--quiet"])
    records = [json.loads(line) for line in log.read_text().splitlines()]
    return [each["step_s"] for each in records if each["record"] == "step"][3:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--costs", default="cpu-core")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    quintet = asked.build / "quintet"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_text(folder)
        model = write_model(folder)
        plans = [write_plan(folder, "random", asked.ranks, {"draw": "random"}, "none"),
                 write_plan(folder, "balanced", asked.ranks, {"draw": "stratified"},
                            "presort-in-host")]
        said = [predicted(quintet, plan, model, asked.costs, asked.ranks) for plan in plans]
        rounds = []
        for number in range(asked.rounds):
            rounds.append([statistics.mean(measured(quintet, plan, model, folder, asked.ranks,
                                                    asked.steps, number + 1)) for plan in plans])
    seen = [statistics.median(each[plan] for each in rounds) for plan in (0, 1)]
    ratios = sorted(each[0] / each[1] for each in rounds)
    print(f"{asked.ranks} ranks, {SAMPLES} samples each, steps in ms  predicted  measured")
    for plan, title in enumerate(("random", "stratified and presorted")):
        print(f"{title:40} {1e3 * said[plan]:10.1f} {1e3 * seen[plan]:9.1f}")
    want, have = said[0] / said[1], statistics.median(ratios)
    print(f"{'ratio':40} {want:10.3f} {have:9.3f}   rounds {ratios[0]:.3f} to {ratios[-1]:.3f}")
    off = want / have - 1
    print(f"predicted is off by {100 * off:+.1f} %")
    return 0 if abs(off) <= 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
