#!/usr/bin/env python3
"""Whole training steps of our engine on one GPU, in bf16 and launched as a graph: torch_step.py's line of JSON, by
"quintet". In FOLDER stay the log, the measured timeline and, by the shipped costs of the GPU, the predicted one.

  own_step.py QUINTET MODEL [--out FOLDER] [--attention own|cudnn] [--topology MACHINE] [--steps N] [--peak TFLOPS]
              [--device DEVICE]

MODEL       %s; or %s, for stand-ins
--steps     (default 24); those that were not recorded, from the fifth on, count
--peak      of dense bf16 products by the datasheet, in TFLOP/s; without it there is no MFU
--device    default gpu; cpu tries the script where there is none
"""
import argparse
import pathlib
import statistics

import models
from engine_runs import SOURCE, Failed, end_by_exception, said_by, say, trained

WARM_UP = 4


def figures(shape, log, peak):
    steps = [record for record in log if record["record"] == "step"][WARM_UP:]
    summary = next(record for record in log if record["record"] == "summary")
    recording = summary.get("recording") or {}
    seconds = sorted(record["step_s"] for record in steps)
    # Every other step was recorded, which costs something: the median is of the others.
    median = recording.get("without", 0) / 1e12 or statistics.median(seconds)
    memory = [rank["peak_bytes"] for rank in summary.get("memory", [])]
    return {
        "milliseconds": 1e3 * median,
        "lowest_ms": 1e3 * seconds[0],
        "highest_ms": 1e3 * seconds[-1],
        "runs": len(seconds),
        "tokens": shape.tokens,
        "tokens_per_s": shape.tokens / median,
        "flop_per_token": shape.flop_per_token,
        "mfu": shape.mfu(median, peak) if peak else None,
        "peak_tflops": peak,
        "formula": models.FORMULA,
        "peak_memory_bytes": max(memory, default=None),
        "recording_cost": recording.get("cost", 0) / 1e12 / median,
    }


def predicted_timeline(options, plan, model, name):
    """Beside the measured one, for quintet compare: of the very program that was run, not of what the kernels fuse
    (--stack). Where this GPU has no cost table there is none."""
    words = [options.quintet, "simulate", plan, "--model", model, "--topology", options.topology]
    said_by([*words, "--trace", options.out / f"{name}.predicted.json", "--quiet"], 60)


def measure(options, shape):
    folder = options.out
    model = models.written(folder / shape.name / "config.json", models.config(shape))
    plan = models.written(folder / f"{shape.name}.plan.json", models.plan(shape, "graphs"))
    data = models.random_tokens(folder / shape.name / "tokens.bin", shape, options.steps)
    name = f"{shape.name}-{options.attention}"
    if options.topology:
        try:
            predicted_timeline(options, plan, model, name)
        except Failed as failure:
            say("steps", f"{shape.name}, predicted timeline", left_out=str(failure))
    more = ["--device", options.device, "--timeline", folder / f"{name}.measured.json"]
    try:
        log = trained(options.quintet, plan, model, data, options.steps, folder, name, options.limit, *more,
                      environment={"QUINTET_ATTENTION": options.attention})
    finally:
        (folder / shape.name / "tokens.bin").unlink()  # the archive needs no random numbers
    say("steps", shape.name, by=f"quintet, {options.attention} attention", **figures(shape, log, options.peak))


def main():
    every = {**models.SHAPES, **models.TOYS}
    parser = argparse.ArgumentParser(
        description=__doc__ % (", ".join(models.SHAPES), ", ".join(models.TOYS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("quintet", type=pathlib.Path)
    parser.add_argument("model", choices=every)
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "build/gpu_steps")
    parser.add_argument("--attention", choices=("own", "cudnn"), default="own")
    parser.add_argument("--topology")
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--peak", type=float)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--limit", type=int, default=120, help="seconds")
    options = parser.parse_args()
    end_by_exception()
    try:
        measure(options, every[options.model])
    except Failed as failure:
        raise SystemExit(f"own_step.py: quintet run {failure}") from None


if __name__ == "__main__":
    main()
