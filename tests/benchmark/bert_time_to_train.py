#!/usr/bin/env python3
"""Predicts MLPerf's BERT on A100 from hardware, plan and the logged number of samples, beside what was
published.

  tests/benchmark/bert_time_to_train.py QUINTET [--json]

Every row is `quintet simulate PLAN --samples N`: the plan says the layout, the evaluations by MLPerf's
rule and the start-up of the submitter's software; the stack says what its kernels and its host cost.
Neither differs between rows of one submitter but in degrees, batch and the length that stands for the
samples of the slowest GPU, which stands in the plan. Published: mean of ten runs without the fastest
and the slowest, and the median of the samples they took (github mlcommons/training_results_v1.1,
_v2.0, folders NVIDIA and Samsung). Exit 1 where a row is off by more than 10 %, or the ratio of the
two submitters on 1,024 GPUs by more than 5 %. Needs nothing but Python 3.
"""

import argparse
import json
import subprocess
import sys

# round, submitter, GPUs, plan, hosts, samples to target, seconds
ROWS = [
    ("v1.1", "NVIDIA", 8, "bert-nvidia-8", 1, 2_700_096, 1200.19),
    ("v2.0", "NVIDIA", 8, "bert-nvidia-8", 1, 2_703_232, 1106.55),
    ("v1.1", "NVIDIA", 64, "bert-nvidia-64", 8, 3_151_872, 182.28),
    ("v2.0", "NVIDIA", 64, "bert-nvidia-64", 8, 3_174_912, 176.54),
    ("v1.1", "NVIDIA", 1024, "bert-nvidia-1024", 128, 2_801_664, 33.453),
    ("v2.0", "NVIDIA", 1024, "bert-nvidia-1024-batch-4096", 128, 2_803_970, 25.252),
    ("v1.1", "NVIDIA", 4320, "bert-nvidia-4320", 540, 4_678_560, 13.573),
    ("v2.0", "NVIDIA", 4096, "bert-nvidia-4096", 512, 5_533_304, 12.341),
    ("v1.1", "Samsung", 1024, "bert-samsung-1024", 128, 3_096_576, 25.058),
    ("v2.0", "Samsung", 1024, "bert-samsung-1024", 128, 2_932_736, 22.320),
    ("v2.0", "Samsung", 1368, "bert-samsung-1368", 171, 2_938_464, 21.413),
]
MACHINES = {"NVIDIA": ("selene-a100", "mlperf-bert"),
            "Samsung": ("samsung-a100-1024", "mlperf-bert-samsung")}
ROW_BAR, RATIO_BAR = 0.10, 0.05


def predicted(quintet, row):
    _, submitter, _, plan, hosts, samples, _ = row
    topology, stack = MACHINES[submitter]
    command = [quintet, "simulate", plan, "--model", "bert-large-mlperf", "--topology", topology,
               "--hosts", str(hosts), "--stack", stack, "--samples", str(samples), "--json", "--quiet"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"bert_time_to_train.py: ended with {done.returncode}: {' '.join(command)}")
    answer = json.loads(done.stdout)
    return {**answer["summary"][0]["run"], "step_s": answer["summary"][0]["step_s"]}


def off(predicted_value, published):
    return predicted_value / published - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    times, rows, wrong = {}, [], []
    for row in ROWS:
        run = predicted(options.quintet, row)
        times[row[:3]] = run["time_s"], row[6]
        error = off(run["time_s"], row[6])
        rows.append({"round": row[0], "submitter": row[1], "gpus": row[2], "published_s": row[6],
                     "predicted_s": run["time_s"], "error": error, "steps": run["steps"],
                     "step_s": run["step_s"], "evaluations": run["evaluations"],
                     "evaluations_s": run["evaluations_s"], "start_up_s": run["start_up_s"]})
        if abs(error) > ROW_BAR:
            wrong.append(f"{row[0]} {row[1]} on {row[2]} GPUs: {100 * error:+.1f} %")
    ratios = []
    for which in ("v1.1", "v2.0"):
        ours, theirs = times[which, "Samsung", 1024], times[which, "NVIDIA", 1024]
        ratio, published = ours[0] / theirs[0], ours[1] / theirs[1]
        ratios.append({"round": which, "published": published, "predicted": ratio,
                       "error": off(ratio, published)})
        if abs(off(ratio, published)) > RATIO_BAR:
            wrong.append(f"{which} Samsung : NVIDIA: {100 * off(ratio, published):+.1f} %")
    if options.json:
        print(json.dumps({"rows": rows, "ratios": ratios}, indent=1))
    else:
        print(f"{'':5} {'':8} {'GPUs':>5} {'published':>10} {'predicted':>10} {'off':>7}   of which")
        for row in rows:
            print(f"{row['round']:5} {row['submitter']:8} {row['gpus']:5} {row['published_s']:8.2f} s "
                  f"{row['predicted_s']:8.2f} s {100 * row['error']:+6.1f} %   start-up "
                  f"{row['start_up_s']:.1f} s, {row['steps']:.0f} steps of {1e3 * row['step_s']:.1f} ms, "
                  f"{row['evaluations']:.0f} evaluations {row['evaluations_s']:.2f} s")
        for ratio in ratios:
            print(f"{ratio['round']:5} Samsung : NVIDIA on 1,024 GPUs: published {ratio['published']:.3f}, "
                  f"predicted {ratio['predicted']:.3f}, {100 * ratio['error']:+.1f} %")
    for each in wrong:
        print(f"missed: {each}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
