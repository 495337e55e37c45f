#!/usr/bin/python3
"""Puts measured all-reduce curves inside a host (or NVLink domain) into the cost tables.

usage: calibrate/fit_collectives.py MEASUREMENTS TABLES [--write]

MEASUREMENTS  folder with collectives.csv, collectives_vtrain_allreduce_lut.csv,
              collectives_sailor.csv
TABLES        folder with the cost tables; run after fit_cards.py, which rewrites some of them

A curve has a knot every factor of four in size; between knots log time is linear in log size.
The knots are least squares on log time (outliers damped). `held out` is the error on every fourth
size when the other three quarters were fitted, over all four ways to do so. Needs numpy and scipy.
"""

import json
import pathlib
import sys

import numpy as np
from scipy.optimize import least_squares

from fit_published import digits, lines_joined, medians, rows

VTRAIN = "github VIA-Research/vTrain trace, nccl-tests"
SAILOR = "github eth-easl/sailor@cf2c8e3cc5, PyTorch on the host's clock"
SWEEPS = [
    ("a100-sxm-80gb", "collectives_vtrain_allreduce_lut.csv", dict(gpu="A100"), range(2, 9), VTRAIN),
    ("v100-sxm-32gb", "collectives_vtrain_allreduce_lut.csv", dict(gpu="V100"), range(2, 9),
     VTRAIN + " on a host of 8 V100"),
    ("h100-sxm-80gb", "collectives.csv", dict(system="AWS p5.48xlarge", nodes="1"), [8],
     "nccl-tests on AWS p5.48xlarge (github aws-samples/awsome-distributed-training)"),
    ("b200-sxm-180gb", "collectives.csv", dict(system="1x p6-b200.48xlarge"), [8],
     "nccl-tests on AWS p6-b200.48xlarge (github aws-samples/awsome-distributed-training)"),
    ("gb200-sxm-186gb", "collectives.csv", dict(system="OCI 2x BM.GPU.GB200.4 same rack"), [8],
     "nccl-tests on OCI BM.GPU.GB200.4, 8 GPUs of one rack"),
    ("a100-sxm-40gb", "collectives_sailor.csv", dict(gpu="A100-40GB-SXM"), [2, 4], SAILOR),
    ("gh200-96gb", "collectives_sailor.csv", dict(gpu="GH200-96GB"), [2, 4], SAILOR),
]


def knots_for(sizes):
    low, high = np.log2(max(sizes.min(), 8192)), np.log2(sizes.max())
    return np.linspace(low, high, max(2, int(round((high - low) / 2)) + 1))


def times_at(values, knots, sizes):
    return np.exp(np.interp(np.log2(sizes), knots, values))


def fit(knots, sizes, times):
    start = np.interp(knots, np.log2(sizes), np.log(times))
    return least_squares(lambda v: np.log(times_at(v, knots, sizes) / times), start, loss="soft_l1",
                         f_scale=0.05).x


def evaluate(sizes, times):
    knots = knots_for(sizes)
    inside = sizes >= 2 ** knots[0] * 0.999
    sizes, times = sizes[inside], times[inside]
    final = fit(knots, sizes, times)
    fold, held = np.arange(len(sizes)) % 4, np.zeros(len(sizes))
    for out in range(4):
        v = fit(knots, sizes[fold != out], times[fold != out])
        held[fold == out] = np.abs(times_at(v, knots, sizes[fold == out]) / times[fold == out] - 1)
    error = np.abs(times_at(final, knots, sizes) / times - 1)
    return knots, np.maximum.accumulate(final) + 1e-3 * np.arange(len(final)), error, held


def curve_of(folder, file, wanted, ranks, source):
    found = rows(folder, file, ranks=str(ranks), collective="all_reduce", **wanted)
    if len(found) < 8:
        return None, None
    shapes, times = medians(((float(r["bytes"]),), float(r["time_us"])) for r in found
                            if float(r["bytes"]) > 0 and r["time_us"])
    knots, values, error, held = evaluate(shapes[:, 0], times)
    text = (f"{len(held)} sizes, {len(knots)} points: median {100 * np.median(error):.1f} % p90 "
            f"{100 * np.percentile(error, 90):.1f} %, held out median {100 * np.median(held):.1f} % "
            f"p90 {100 * np.percentile(held, 90):.1f} %")
    points = [dict(size=f"{2 ** knot / 1024:.0f} KiB", time=f"{np.exp(value):.5g} us")
              for knot, value in zip(knots, values)]
    return dict(collective="all_reduce", ranks=ranks, points=points, source=source, fit=text), held


def main(arguments):
    if len(arguments) not in (2, 3) or (len(arguments) == 3 and arguments[2] != "--write"):
        sys.exit(__doc__)
    folder, tables = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    for name, file, wanted, all_ranks, source in SWEEPS:
        table = json.loads((tables / f"{name}.json").read_text())
        curves, every = [], []
        for ranks in all_ranks:
            curve, held = curve_of(folder, file, wanted, ranks, source)
            if curve:
                curves.append(curve)
                every.append(held)
                print(f"{name} all-reduce of {ranks}: {curve['fit']}")
        together = np.concatenate(every)
        print(f"{name}: held out median {100 * np.median(together):.1f} %, p90 "
              f"{100 * np.percentile(together, 90):.1f} %")
        table["communication"]["curves"] = curves
        if len(arguments) == 3:
            (tables / f"{name}.json").write_text(lines_joined(table))


if __name__ == "__main__":
    main(sys.argv[1:])
