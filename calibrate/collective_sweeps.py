"""Published sweeps of one collective over sizes, and a curve through each. Needs numpy.

A curve has knots a factor of two or four apart in size; between knots log time is linear in log
size. The knots are least absolute deviations of log time (a time ten times too long pulls no more
than one that is 10 % off), with a penalty on bends; spacing and penalty are those that predict
every fourth of the given sizes best from the others.
"""

import collections
import csv

import numpy as np

SPACINGS = (1, 2)  # octaves between knots
PENALTIES = (0.003, 0.03, 0.3, 3.0)
NOISE = 0.02  # deviations below this are all alike

FILES = {
    "collectives.csv": "various",
    "collectives_vidur.csv": "Vidur",
    "collectives_vtrain_allreduce_lut.csv": "vTrain",
    "collectives_sailor.csv": "Sailor",
}


class Sweep:
    """Sizes (bytes, rising) and times (s, medians of a size) of one collective on one system."""

    def __init__(self, source, system, network, gpu, hosts, ranks, collective, algorithm, samples):
        self.source, self.system, self.network, self.gpu = source, system, network, gpu
        self.hosts, self.ranks = hosts, ranks
        self.collective, self.algorithm = collective, algorithm
        by_size = collections.defaultdict(list)
        for size, time in samples:
            if size > 0 and time > 0:
                by_size[size].append(time)
        self.sizes = np.array(sorted(by_size), float)
        self.times = np.array([np.median(by_size[s]) for s in self.sizes])


def sweeps(folder, least=8):
    """Of at least so many sizes, in the order of the files."""
    for file, source in FILES.items():
        found = collections.defaultdict(list)
        with open(folder / file, newline="") as stream:
            for r in csv.DictReader(stream):
                if r["bytes"] and r["time_us"]:
                    key = (r["system"], r["interconnect"], r["gpu"], int(r["nodes"] or 1), int(r["ranks"]),
                           r["collective"], r["algo"])
                    found[key].append((float(r["bytes"]), float(r["time_us"]) * 1e-6))
        for key, samples in found.items():
            sweep = Sweep(source, *key, samples)
            if len(sweep.sizes) >= least:
                yield sweep


def vidur_samples(folder):
    """Vidur's whole tables (samples/vidur-network): time of the slowest rank's median, ms."""
    for system, gpu in (("a100_dgx", "A100-80GB-SXM"), ("h100_dgx", "H100-SXM")):
        for file, column, collective in (("all_reduce.csv", "all_reduce", "all_reduce"),
                                         ("send_recv.csv", "send_recv", "sendrecv")):
            slowest = collections.defaultdict(float)
            with open(folder / system / file, newline="") as stream:
                for r in csv.DictReader(stream):
                    ranks, here = int(r["num_workers"]), int(r["devices_per_node"])
                    key = (max(1, ranks // here), ranks, float(r["size"]))
                    time = float(r[f"time_stats.{column}.median"]) * 1e-3
                    slowest[key] = max(slowest[key], time)
            groups = collections.defaultdict(list)
            for (hosts, ranks, size), time in slowest.items():
                groups[hosts, ranks].append((size, time))
            for (hosts, ranks), samples in sorted(groups.items()):
                yield Sweep("Vidur, whole", system, "", gpu, hosts, ranks, collective, "", samples)


# --------------------------------------------------------------------------------------- curves

def knots_for(sizes, octaves):
    low, high = np.log2(sizes.min()), np.log2(sizes.max())
    return np.linspace(low, high, max(2, int(round((high - low) / octaves)) + 1))


def hats(knots, sizes):
    """Rows: sizes; columns: the share of each knot's value in a straight line between knots."""
    at = np.interp(np.log2(sizes), knots, np.arange(len(knots)))
    return np.maximum(0, 1 - np.abs(at[:, None] - np.arange(len(knots))))


def solve(knots, sizes, times, penalty):
    """Log times at the knots."""
    basis, wanted = hats(knots, sizes), np.log(times)
    bends = np.diff(np.eye(len(knots)), 2, axis=0)
    # a whisper of it keeps knots that no size is near on their neighbours' line
    stiffness = (penalty + 1e-4) * bends.T @ bends
    weights = np.ones(len(sizes))
    for _ in range(30):
        weighted = basis * weights[:, None]
        values = np.linalg.solve(basis.T @ weighted + stiffness + 1e-9 * np.eye(len(knots)),
                                 weighted.T @ wanted)
        weights = NOISE / np.maximum(NOISE, np.abs(wanted - basis @ values))
    return values


def times_at(curve, sizes):
    knots, values = curve
    return np.exp(np.interp(np.log2(sizes), knots, values))


def folds(count):
    return np.arange(count) % 4


def held_out(sizes, times, fit):
    """|predicted / measured - 1| of every size, predicted from the three quarters without it."""
    fold, error = folds(len(sizes)), np.zeros(len(sizes))
    for out in range(4):
        there = fold != out
        curve = fit(sizes[there], times[there])
        error[~there] = np.abs(times_at(curve, sizes[~there]) / times[~there] - 1)
    return error


def rising(values):
    """The nearest values in squares that rise: neighbours that fall are pooled."""
    pools = []
    for value in values:
        pools.append([value, 1])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            last, before = pools.pop(), pools.pop()
            count = last[1] + before[1]
            pools.append([(last[0] * last[1] + before[0] * before[1]) / count, count])
    flat = np.concatenate([[value] * count for value, count in pools])
    return flat + 1e-4 * np.arange(len(flat))


def fit_curve(sizes, times):
    """(log2 sizes of the knots, log times), rising in time."""
    best = None
    for octaves in SPACINGS:
        for penalty in PENALTIES:
            def one(s, t):
                knots = knots_for(sizes, octaves)
                return knots, solve(knots, s, t, penalty)
            score = np.mean(np.minimum(held_out(sizes, times, one), 0.5)) if len(sizes) >= 8 else 0
            if best is None or score < best[0] - 1e-9:
                best = score, one(sizes, times)
    knots, values = best[1]
    return knots, rising(values)


class Quality:
    def __init__(self, sweep):
        self.curve = fit_curve(sweep.sizes, sweep.times)
        self.inside = np.abs(times_at(self.curve, sweep.sizes) / sweep.times - 1)
        self.held = held_out(sweep.sizes, sweep.times, fit_curve)

    def text(self):
        parts = []
        for name, error in (("", self.inside), ("held out ", self.held)):
            parts.append(f"{name}median {100 * np.median(error):.1f} % p90 "
                         f"{100 * np.percentile(error, 90):.1f} %")
        return f"{len(self.inside)} sizes, {len(self.curve[0])} points: {', '.join(parts)}"
