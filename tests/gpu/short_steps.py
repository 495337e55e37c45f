#!/usr/bin/env python3
"""Whether training steps are right at all: five steps of small models, eager and by graphs, on the GPU beside the
CPU's, and five of GPT-2 124M. One line of JSON per figure.

  short_steps.py QUINTET [--out FOLDER] [--toy] [--device DEVICE]

--toy       without GPT-2 124M, for stand-ins
--device    what is held against the CPU (default gpu); cpu tries the script where there is none

fp32 losses may differ from the CPU's by 0.1 %, bf16's by 2 % (its numbers have 8 bits); a step launched as a graph
is the same kernels in the same order, so that its losses are the eager ones to the bit. GPT-2 124M, whose steps take
too long on the CPU, begins within 5 % of the logarithm of its vocabulary.
"""
import argparse
import math
import pathlib

import models
from engine_runs import Failed, end_by_exception, farthest, say, trained

STEPS = 5
MOST = {"fp32": 1e-3, "bf16": 2e-2}
UNTRAINED = 0.05  # of the logarithm of the vocabulary: weights drawn with 0.02 know almost nothing
SMALL = {
    "gpt": models.Shape("small-gpt", "gpt2", 2, 128, 4, 4, 512, 256, 64, 4, 2),
    "llama": models.Shape("small-llama", "llama", 2, 128, 4, 2, 320, 256, 64, 4, 2),
}


class Steps:
    def __init__(self, options):
        self.quintet, self.folder, self.device = options.quintet, options.out, options.device

    def losses(self, shape, device, launch, kind, limit_s):
        folder = self.folder / shape.name
        model = models.written(folder / "config.json", models.config(shape))
        plan = models.written(folder / f"{launch}-{kind}.json", models.plan(shape, launch, kind))
        data = models.random_tokens(folder / "tokens.bin", shape, STEPS)
        name = f"{device}-{launch}-{kind}"
        log = trained(self.quintet, plan, model, data, STEPS, folder, name, limit_s, "--device", device)
        return [record["loss"] for record in log if record["record"] == "step"]


def compared(steps, shape, kind, reference, most, limit_s):
    """Eager against `reference`, by `most`; a graph against eager."""
    name = f"{shape.name} {kind}"
    try:
        eager = steps.losses(shape, steps.device, "eager", kind, limit_s)
    except Failed as failure:
        say("short", f"{name}, eager", result=str(failure), passed=False)
        return
    off = reference(eager)
    say("short", f"{name}, eager", result=f"losses {eager[0]:.4f} to {eager[-1]:.4f}, {off:.2%} off", bar=f"{most:.1%}", passed=off <= most)
    try:
        graphs = steps.losses(shape, steps.device, "graphs", kind, limit_s)
    except Failed as failure:
        say("short", f"{name}, graphs", result=str(failure), passed=False)
        return
    same = graphs == eager
    say("short", f"{name}, graphs", result="the eager losses" if same else f"{farthest(graphs, eager):.1e} off", bar="to the bit", passed=same)


def against_the_cpu(steps, shape):
    for kind in ("fp32", "bf16"):
        try:
            expected = steps.losses(shape, "cpu", "eager", "fp32", 60)
        except Failed as failure:
            say("short", f"{shape.name} on the CPU", result=str(failure), passed=False)
            return
        compared(steps, shape, kind, lambda found: farthest(found, expected), MOST[kind], 60)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/gpu_short_steps"))
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--device", default="gpu")
    options = parser.parse_args()
    end_by_exception()
    steps = Steps(options)
    for shape in SMALL.values():
        against_the_cpu(steps, shape)
    if not options.toy:
        whole = models.SHAPES["gpt2-124m"]
        unknowing = math.log(whole.vocabulary)  # each word is as likely
        compared(steps, whole, "bf16", lambda found: abs(found[0] / unknowing - 1), UNTRAINED, 90)


if __name__ == "__main__":
    main()
