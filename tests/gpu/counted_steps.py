#!/usr/bin/env python3
"""What whole steps on one GPU should take, kernel by kernel as the engine launches them: how many, how many bytes they
move, and what the shipped cost table of that GPU says. Predicted; nothing here was measured on our kernels, and no GPU
is needed.

  counted_steps.py BUILD [--topology MACHINE] [--only MODEL] [--out FOLDER] [--json]

BUILD       a build folder with the target counted_step_program (tests/engine/kernel_counts)
--topology  a machine of one GPU that has a shipped cost table (default h100-1)
--only      one of gpt2-124m, gpt2-1.5b, llama-1b (all of them take a minute)
--json      a line per part and model instead of tables

Two times of each part. "shipped": every kernel by the table, whose norms and activations are other projects' kernels of
more passes or of small tensors. "sourced": the same, but a memory-bound kernel that moves what ours moves, once, at the
share of the vendor's bandwidth that somebody published for such a kernel (SOURCED below); all else stays shipped.
Products, attention and gaps between kernels are the table's in both.
"""
import argparse
import json
import pathlib

import models
from engine_runs import SOURCE, said_by
from predicted_steps import machine

# The share of the vendor's bandwidth, and where it was measured. What is not here has no published kernel of its shape.
APEX = (
    "github NVIDIA/apex pull request 1037, FastLayerNorm, fp16, 16,384 rows of 1,024, on A100-40GB of 1,555 GB/s: {}; "
    "rows in registers, read once, sums of the weights' gradient by blocks and a second kernel, as ours"
)
LIGER = (
    "github linkedin/Liger-Kernel@677b6d4 benchmark/data/all_benchmark_data_swiglu_tokens.csv, Triton, bf16, 8,192 rows "
    "of 14,336, on B200 of 8,000 GB/s: {}"
)
QUACK = (
    "github Dao-AILab/quack@ca5369b media/2025-07-10-membound-sol.md: 3.01 TB/s of 3.35 on H100 for a softmax that reads "
    "and writes a long row once; losses beyond 4,000 logits 'about 3 TB/s' in fp32 and bf16"
)
VECTORS = "github XAheli/Kernel-Profiling, H200: additions of vectors at 86 to 92 % of its bandwidth; the least of them"
NORM = (0.81, APEX.format("1,258 GB/s forward"))
NORM_GRADIENT = (0.748, APEX.format("1,163 GB/s backward"))
SOURCED = {
    "layer_norm_forward": NORM,
    "rms_norm_forward": NORM,
    "layer_norm_gradient": NORM_GRADIENT,
    "rms_norm_gradient": NORM_GRADIENT,
    # 3 and 5 matrices of 235 MB in 110.6 and 180.3 us.
    "swiglu_forward": (0.796, LIGER.format("6.37 TB/s forward")),
    "swiglu_backward": (0.814, LIGER.format("6.51 TB/s backward")),
    "cross_entropy": (0.897, QUACK),
    "rotary": (0.86, VECTORS),
    "residual_add": (0.86, VECTORS),
    "bias_gradient": (0.86, VECTORS),
    "squared_norm": (0.86, VECTORS),
    "zero": (0.86, VECTORS),
}
MEMORY_START_S = 1.05e-6  # of a kernel: the shipped table's norms on H100
# The engine pads GPT-2's vocabulary by itself: the kernels of the padded model are the same.
MODELS = ("gpt2-124m", "gpt2-1.5b", "llama-1b")
SHIPPED, BY_SOURCES = "shipped", "sourced"


def counted(options, shape, costs):
    model = models.written(options.out / shape.name / "config.json", models.config(shape))
    program = options.build / "tests/engine/counted_step_program"
    words = [program, model, shape.length, shape.batch, shape.micro_batches, costs]
    *kernels, whole = map(json.loads, said_by(words, 3600).splitlines())
    return kernels, whole


def sourced_seconds(kernel, bandwidth):
    share, _ = SOURCED.get(kernel["kernel"], (None, None))
    if share is None or kernel["part"] in ("product", "attention"):
        return kernel["seconds"]
    return kernel["bytes"] / (share * bandwidth) + kernel["launches"] * MEMORY_START_S


def part_of(kernel):
    if kernel["part"] in ("product", "attention"):
        return f"{kernel['part']}s, {kernel['pass']}".replace("attentions", "attention")
    return kernel["kernel"].replace("_", " ")


def parts(kernels, whole):
    """By part: launches, bytes, seconds by shipped and by sourced rates."""
    found = {}
    for kernel in kernels:
        row = found.setdefault(part_of(kernel), {"launches": 0, "bytes": 0, SHIPPED: 0, BY_SOURCES: 0})
        row["launches"] += kernel["launches"]
        row["bytes"] += kernel["bytes"]
        row[SHIPPED] += kernel["seconds"]
        row[BY_SOURCES] += sourced_seconds(kernel, whole["memory_bandwidth"])
    found["gaps between kernels"] = {"launches": 0, "bytes": 0, SHIPPED: whole["gap_s"], BY_SOURCES: whole["gap_s"]}
    return dict(sorted(found.items(), key=lambda each: -each[1][SHIPPED]))


def total(rows, of):
    return sum(row[of] for row in rows.values())


def table(shape, rows, peak):
    sums = {of: total(rows, of) for of in (SHIPPED, BY_SOURCES)}
    print(f"\n{shape.name}: {shape.tokens} tokens, {shape.micro_batches} micro-batches")
    print(f"  {'part':26} {'kernels':>8} {'GB':>8} {'shipped':>10} {'share':>7} {'sourced':>10} {'share':>7}")
    for name, row in rows.items():
        times = "".join(f" {1e3 * row[of]:7.2f} ms {row[of] / sums[of]:7.1%}" for of in sums)
        print(f"  {name:26} {row['launches']:8.0f} {row['bytes'] / 1e9:8.2f}{times}")
    print(f"  {'step':26} {total(rows, 'launches'):8.0f} {total(rows, 'bytes') / 1e9:8.2f}", end="")
    print("".join(f" {1e3 * sums[of]:7.2f} ms {1:7.1%}" for of in sums))
    mfus = [f"{shape.mfu(sums[of], peak):.1%} {of}" for of in sums]
    print(f"  MFU, predicted: {', '.join(mfus)}; wanted {models.MFU_BARS[shape.name]:.0%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--topology", default="h100-1")
    parser.add_argument("--only", choices=MODELS)
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "build/gpu_counted")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    gpu, costs = machine(options)
    if costs is None:
        parser.error(f"--topology {options.topology}: no shipped cost table was measured on {gpu['name']}")
    peak = float(gpu["peaks"]["bf16"].split()[0])
    shipped = models.written(options.out / "costs.json", costs)
    if not options.json:
        print(f"One GPU of {options.topology}, bf16, a graph per step. {models.FORMULA}")
    for shape in (models.SHAPES[name] for name in MODELS if options.only in (None, name)):
        rows = parts(*counted(options, shape, shipped))
        if options.json:
            for name, row in rows.items():
                print(json.dumps({"model": shape.name, "part": name, **row}))
        else:
            table(shape, rows, peak)
    if not options.json:
        print("\nSourced shares of the vendor's bandwidth:")
        for source in dict.fromkeys(SOURCED.values()):
            names = ", ".join(name for name in SOURCED if SOURCED[name] == source)
            print(f"  {source[0]:.1%} {names}: {source[1]}")


if __name__ == "__main__":
    main()
