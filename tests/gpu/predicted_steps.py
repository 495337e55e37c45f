#!/usr/bin/env python3
"""What the simulator expects of whole steps on one GPU, by the shipped costs of its kind: a line of JSON per model,
by "predicted". Needs no GPU.

  predicted_steps.py QUINTET [--topology MACHINE] [--out FOLDER] [--table]

--topology  a machine of one GPU that has a shipped cost table (default h100-1)
--table     a table for people instead of JSON

Two rows each. "our kernels at published rates": what our engine fuses (traces/stacks/quintet.json) by the shipped
table, whose rates of norms, activations and updates are other projects' kernels. "memory-bound kernels at their bar":
the same, but those run at 85 % of the device's copy, as tests/gpu/run --call 4 demands of them, and copies at 0.896
of the vendor's bandwidth (4.3 of 4.8 TB/s, measured on an H200). Nothing here was measured on our kernels.
"""
import argparse
import json
import pathlib

import models
from engine_runs import SOURCE, said_by, say

OF_COPY, COPY_OF_VENDOR = 0.85, 4.3 / 4.8
PUBLISHED, AT_THE_BAR = "our kernels at published rates", "memory-bound kernels at their bar"


def machine(options):
    """The GPU of the topology, and the cost table of that GPU."""
    topology = json.loads((SOURCE / "topologies" / f"{options.topology}.json").read_text())
    host = topology["host"]
    gpu = (json.loads((SOURCE / "topologies" / host).read_text()) if isinstance(host, str) else host)["gpu"]
    for path in sorted((SOURCE / "traces/costs").glob("*.json")):
        costs = json.loads(path.read_text())
        if costs["gpu"] == gpu["name"]:
            return gpu, costs
    return gpu, None


def with_kernels_at_their_bar(costs):
    vendor = float(costs["memory_bandwidth"].split()[0])
    rate = f"{OF_COPY * COPY_OF_VENDOR * vendor:.1f} GB/s"
    for kernel in costs["memory"]:
        kernel.update(bandwidth=rate, backward_factor=1.0, source="the bar of tests/gpu/run: 85 % of the device's copy")
        for finer in ("cached", "rows_per_multiprocessor", "wave_start", "columns_exponent", "backward_columns_exponent"):
            kernel.pop(finer, None)
    costs["name"] += ", memory-bound kernels at their bar"
    return costs


def predicted_seconds(options, shape, costs):
    model = models.written(options.out / shape.name / "config.json", models.config(shape))
    plan = models.written(options.out / f"{shape.name}.plan.json", models.plan(shape, "graphs"))
    words = [options.quintet, "simulate", plan, "--model", model, "--topology", options.topology, "--costs", costs]
    answer = json.loads(said_by([*words, "--stack", "quintet", "--json", "--quiet"], 60))
    return answer["summary"][0]["step_s"]


def figures(options, gpu, costs):
    peak = float(gpu["peaks"]["bf16"].split()[0])
    tables = {PUBLISHED: models.written(options.out / "published.json", costs)}
    tables[AT_THE_BAR] = models.written(options.out / "bar.json", with_kernels_at_their_bar(costs))
    for shape in models.SHAPES.values():
        for name, table in tables.items():
            seconds = predicted_seconds(options, shape, table)
            yield {
                "name": shape.name,
                "by": f"predicted, {name}",
                "milliseconds": 1e3 * seconds,
                "tokens_per_s": shape.tokens / seconds,
                "mfu": shape.mfu(seconds, peak),
                "bar": models.MFU_BARS[shape.name],
                "formula": models.FORMULA,
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet", type=pathlib.Path)
    parser.add_argument("--topology", default="h100-1")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "build/gpu_predicted")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    gpu, costs = machine(options)
    if costs is None:
        say("steps", "predicted", left_out=f"no shipped cost table was measured on {gpu['name']}")
        return
    if options.table:
        print(f"One GPU of {options.topology}, bf16, a graph per step. {models.FORMULA}")
        print(f"{'model':18} {'predicted':34} {'step':>9} {'tokens/s':>9} {'MFU':>7} {'bar':>5}")
    for f in figures(options, gpu, costs):
        if options.table:
            by = f["by"].removeprefix("predicted, ")
            print(f"{f['name']:18} {by:34} {f['milliseconds']:6.1f} ms {f['tokens_per_s']:9.0f} {f['mfu']:7.1%} {f['bar']:5.0%}")
        else:
            say("steps", **f)


if __name__ == "__main__":
    main()
