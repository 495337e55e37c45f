#!/usr/bin/python3
"""Fits the TF32 matrix products of GH200 to profiles of whole layers.

usage: calibrate/fit_layers.py MEASUREMENTS TABLES [--write]

MEASUREMENTS  folder with kernels_layer_profiles_sailor.csv
TABLES        folder with the cost tables; run after fit_cards.py, which rewrites some of them

Nobody published single TF32 products of this card. Sailor's profiles are of a layer and of the
head, in fp32 (its runs have no --fp16, and NVIDIA's container lets cuBLAS take TF32), with scores
kept and PyTorch's own softmax. Time, forward and backward, is the weight products' work over a rate
each, plus what is not a product: bytes per logit over a bandwidth, a time per score forward and one
backward. Those last three only keep the products apart. Least squares on relative errors; `held
out` is every fourth layer, predicted without it. Needs numpy and scipy.
"""

import json
import pathlib
import sys

import numpy as np
from scipy.optimize import nnls

from fit_published import digits, lines_joined, rows

PEAK = 494.7e12  # dense TF32
PADDED_VOCABULARY = 50304
HEADS = {"OPT-350": 16, "OPT-30": 56}
LOGIT_BYTES = {"fwd_ms": 40, "bwd_ms": 16}  # the kernels of sim/model/memory_operators.cpp, in fp32
SOURCE = ("github eth-easl/sailor@cf2c8e3cc5, profiles of whole OPT-350M and OPT-30B layers and "
          "heads on this card, in fp32 with TF32 products, fitted by calibrate/fit_layers.py: two "
          "rates, forward and backward (Hopper's TF32 tensor cores want both operands along the "
          "depth, which backward's are not); the rest as fp16's")


def samples(folder):
    terms, names = [], []
    for row in rows(folder, "kernels_layer_profiles_sailor.csv", gpu="GH200-96GB", tp="1"):
        if row["model"] not in HEADS or row["layer_kind"] == "embedding":
            continue
        batch, hidden = int(row["mbs"]), int(row["hidden"])
        tokens = batch * int(row["seq"])
        for phase, passes in (("fwd_ms", 1), ("bwd_ms", 2)):
            work, logits, scores = 24 * tokens * hidden**2, 0, batch * HEADS[row["model"]] * 2048**2
            if row["layer_kind"] == "head":
                work, scores = 2 * tokens * hidden * PADDED_VOCABULARY, 0
                logits = LOGIT_BYTES[phase] * tokens * PADDED_VOCABULARY
            forward = phase == "fwd_ms"
            term = [work * forward, passes * work * (not forward), logits, scores * forward,
                    scores * (not forward)]
            terms.append(np.array(term) / (float(row[phase]) * 1e-3) / 1e12)
            names.append((row["model"], row["layer_kind"], batch, phase))
    return np.array(terms), names


def fit(terms):
    return nnls(terms, np.ones(len(terms)))[0]


def held_out(terms):
    errors = []
    for part in range(4):
        outside = np.arange(len(terms)) // 2 % 4 == part
        errors.append(np.abs(terms[outside] @ fit(terms[~outside]) - 1))
    return np.concatenate(errors)


def entry(table, efficiency, factor, text):
    half = next(e for e in table["gemm"] if "fp16" in e["types"])
    made = dict(types=["tf32"], peak="494.7 TFLOP/s",
                tiles=[dict(tile, efficiency=efficiency) for tile in half["tiles"]])
    for key in ("start", "k_half", "wave_smoothing", "sharpness", "memory_efficiency"):
        made[key] = half[key]
    return dict(made, fit=text, input_gradient=factor, weight_gradient=factor, source=SOURCE)


def main(arguments):
    if len(arguments) not in (2, 3) or (len(arguments) == 3 and arguments[2] != "--write"):
        sys.exit(__doc__)
    terms, names = samples(pathlib.Path(arguments[0]))
    found = fit(terms)
    errors, held = np.abs(terms @ found - 1), held_out(terms)
    text = (f"{len(names) // 2} layers and heads, forward and backward, 2 parameters beside 3 of "
            f"what is not a product: median {100 * np.median(errors):.1f} % p90 "
            f"{100 * np.percentile(errors, 90):.1f} %, held out median "
            f"{100 * np.median(held):.1f} % p90 {100 * np.percentile(held, 90):.1f} %")
    efficiency, factor = digits(1e12 / found[0] / PEAK, 4), digits(found[1] / found[0], 3)
    print(f"gh200-96gb TF32: {text}\n  efficiency {efficiency}, gradient factor {factor}, "
          f"{1 / found[2]:.2f} TB/s of the loss, {found[3]:.1f} and {found[4]:.1f} ps a score")
    if len(arguments) == 3:
        path = pathlib.Path(arguments[1]) / "gh200-96gb.json"
        table = json.loads(path.read_text())
        others = [e for e in table["gemm"] if e["types"] != ["tf32"]]
        table["gemm"] = others + [entry(table, efficiency, factor, text)]
        path.write_text(lines_joined(table))


if __name__ == "__main__":
    main(sys.argv[1:])
