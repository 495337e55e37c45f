#!/usr/bin/python3
"""Fits a curve to every published sweep of a collective, prints how well it predicts sizes that it
was not fitted to, and puts the curves inside a host (or NVLink domain) into the cost tables.

usage: calibrate/fit_collectives.py MEASUREMENTS VIDUR TABLES [--write]

MEASUREMENTS  folder with collectives.csv, collectives_vidur.csv, collectives_sailor.csv,
              collectives_vtrain_allreduce_lut.csv
VIDUR         folder with Vidur's whole tables, a100_dgx/all_reduce.csv and so on
TABLES        folder with the cost tables; run after fit_cards.py, which rewrites some of them

Between hosts the network decides, which is no property of a card: those curves are only printed.
`held out` is the error on every fourth size, predicted from the other three quarters, over all four
ways to do so (collective_sweeps.py has the method). Needs numpy.
"""

import collections
import json
import pathlib
import sys

import numpy as np

from collective_sweeps import Quality, Sweep, sweeps, vidur_samples
from fit_published import lines_joined

VTRAIN = "github VIA-Research/vTrain trace, nccl-tests"
SAILOR = "github eth-easl/sailor@cf2c8e3cc5, PyTorch on the host's clock"
AWS = "(github aws-samples/awsome-distributed-training)"
# table, what the sweep's system begins with, source; all-reduces only
CARDS = [
    ("a100-sxm-80gb", "DGX A100-like 8 GPU node", VTRAIN),
    ("v100-sxm-32gb", "V100 8-GPU NVLink node", VTRAIN + " on a host of 8 V100"),
    ("h100-sxm-80gb", "AWS p5.48xlarge", "nccl-tests on AWS p5.48xlarge " + AWS),
    ("b200-sxm-180gb", "1x p6-b200.48xlarge", "nccl-tests on AWS p6-b200.48xlarge " + AWS),
    ("gb200-sxm-186gb", "OCI 2x BM.GPU.GB200.4 same rack",
     "nccl-tests on OCI BM.GPU.GB200.4, 8 GPUs of one rack"),
    ("a100-sxm-40gb", ("2xA100-40GB-SXM", "4xA100-40GB-SXM"), SAILOR),
    ("gh200-96gb", ("2xGH200-96GB", "4xGH200-96GB"), SAILOR),
]
LEAST = 8192  # bytes; below, the launch decides


def table_curve(sweep, source):
    inside = sweep.sizes >= LEAST
    short = Sweep(sweep.source, sweep.system, sweep.network, sweep.gpu, sweep.hosts, sweep.ranks,
                  sweep.collective, sweep.algorithm,
                  list(zip(sweep.sizes[inside], sweep.times[inside])))
    quality = Quality(short)
    points = [dict(size=f"{2 ** knot / 1024:.0f} KiB", time=f"{np.exp(value) * 1e6:.5g} us")
              for knot, value in zip(*quality.curve)]
    return dict(collective="all_reduce", ranks=sweep.ranks, points=points, source=source,
                fit=quality.text())


def percent(error):
    return f"{100 * np.median(error):6.1f} {100 * np.percentile(error, 90):6.1f}"


def print_sweeps(every):
    print(f"{'source':13s}{'system':38s}{'network':26s}{'hosts':>5s}{'ranks':>6s} {'collective':15s}"
          f"{'sizes':>6s}{'points':>7s}  median    p90   held out: median    p90, %")
    held = collections.defaultdict(list)
    for sweep in every:
        quality = Quality(sweep)
        held[sweep.source].append(quality.held)
        print(f"{sweep.source:13s}{sweep.system[:36]:38s}{sweep.network[:24]:26s}{sweep.hosts:5d}"
              f"{sweep.ranks:6d} {sweep.collective:15s}{len(sweep.sizes):6d}"
              f"{len(quality.curve[0]):7d}  {percent(quality.inside)}            "
              f"{percent(quality.held)}")
    for source, errors in held.items():
        print(f"{source}: {len(errors)} sweeps, held out median and p90, %: "
              f"{percent(np.concatenate(errors))}")


def main(arguments):
    if len(arguments) not in (3, 4) or (len(arguments) == 4 and arguments[3] != "--write"):
        sys.exit(__doc__)
    folder, vidur, tables = (pathlib.Path(each) for each in arguments[:3])
    found = list(sweeps(folder))
    print_sweeps(found + list(vidur_samples(vidur)))
    if len(arguments) < 4:
        return
    for name, systems, source in CARDS:
        table = json.loads((tables / f"{name}.json").read_text())
        table["communication"]["curves"] = [
            table_curve(sweep, source) for sweep in found
            if sweep.collective == "all_reduce" and sweep.system.startswith(systems)]
        (tables / f"{name}.json").write_text(lines_joined(table))


if __name__ == "__main__":
    main(sys.argv[1:])
