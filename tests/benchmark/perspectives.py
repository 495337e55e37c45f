#!/usr/bin/env python3
"""Four perspectives, one published system each: Quintet's ratio beside the published one, from shipped plans and machines.

    tests/benchmark/perspectives.py build/release/quintet [vertical] [host-net] [intra-inter] [--commands]

vertical      layout and optical circuits chosen together: TopoOpt (Wang et al., NSDI 2023, arXiv 2202.00433)
host-net      spare CPU hosts and switches that add: BytePS (OSDI 2020), SwitchML (NSDI 2021), SHARP
intra-inter   NVLink SHARP, two-node trees, hierarchies: rows of nccl-tests that others have published

A ratio is how many times faster the system is than what it is compared with. Every row says where its published number comes
from; "bound" stands where that is arithmetic and no measurement. Exit 1 where a row that is held to the bar, 20 % of the published
ratio, misses it; rows marked - are shown and not held, and the line below them says why.
"""

import argparse
import functools
import json
import os
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BAR = 0.20
ALONE = ["all-reduce-alone", "--costs", "all-reduce-alone"]


class Runner:
    def __init__(self, quintet, shown):
        self.quintet, self.shown = quintet, shown

    @functools.lru_cache(maxsize=None)
    def step(self, *words):
        """Seconds of a step, as `quintet simulate` predicts it; infinite where it does not fit in memory."""
        command = [self.quintet, "simulate", *words]
        if self.shown:
            print("  quintet simulate", " ".join(words))
        done = subprocess.run(command + ["--json", "-q"], capture_output=True, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        summary = json.loads(done.stdout).get("summary")
        if not summary:
            sys.exit(f"{' '.join(command)}\n{done.stdout}")
        return float("inf") if done.returncode == 1 else summary[0]["step_s"]

    def all_reduce(self, machine, ranks, algorithm=None, *more, model="all-reduce-1gb"):
        rule = [] if algorithm is None else ["--set", f"ccl.rules[0].algorithm={algorithm}"]
        return self.step(*ALONE, "--model", model, "--topology", machine, "--data", str(ranks), "--global-batch",
                         str(ranks), *rule, *more)


class Table:
    def __init__(self, title):
        self.title, self.rows, self.missed = title, [], 0

    def row(self, what, ours, published, source, held=True):
        off = ours / published - 1
        verdict = "-" if not held else "yes" if abs(off) <= BAR else "NO"
        self.missed += verdict == "NO"
        self.rows.append((what, f"{ours:.2f}", f"{published:.2f}", f"{100 * off:+.0f} %", verdict, source))

    def note(self, text):
        self.rows.append((text,))

    def print(self):
        print(f"\n{self.title}")
        head = ("faster by", "Quintet", "published", "off", "within 20 %", "published in")
        cells = [row for row in self.rows if len(row) > 1] + [head]
        widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
        for row in [head] + self.rows:
            if len(row) == 1:
                print("    " + row[0])
                continue
            print("  ".join(cell.ljust(width) if column in (0, 5) else cell.rjust(width)
                            for column, (cell, width) in enumerate(zip(row, widths))).rstrip())
        return self.missed


# vertical -----------------------------------------------------------------------------------------

def prices():
    with open(os.path.join(ROOT, "traces", "prices.json")) as file:
        return json.load(file)


def dollars(listed, gigabits, per_box=False):
    """The usual price at a rate, in proportion between the listed ones; of a switch that of a port."""
    points = []
    for entry in listed:
        rate = float(entry["up_to"].split()[0])
        points.append((rate, float(entry["bought"]["usual"].split()[0]) / (entry["ports"] if per_box else 1)))
    for (low, at_low), (high, at_high) in zip(points, points[1:]):
        if gigabits <= high:
            return at_low + (at_high - at_low) * max(0.0, gigabits - low) / (high - low)
    return points[-1][1]


PANEL_PORT = 100.0  # dollars, assumed: what TopoOpt's authors name for a patch panel; not readable here


def circuits_cost(degree, gigabits):
    """Of a host: an adapter, a transceiver, a fibre and a port of the panel for each circuit."""
    book = prices()
    each = dollars(book["nics"], gigabits) + dollars(book["optics"], gigabits) + dollars(book["cables"], gigabits)
    return degree * (each + PANEL_PORT)


def fat_tree_cost(gigabits):
    """Of a host of a three-tier fat tree of full bisection: one adapter, five switch ports, three cables with two ends each."""
    book = prices()
    return (dollars(book["nics"], gigabits) + 5 * dollars(book["switches"], gigabits, True) +
            3 * dollars(book["cables"], gigabits) + 6 * dollars(book["optics"], gigabits))


def equal_rate(cost):
    low, high = 1.0, 800.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fat_tree_cost(middle) < cost else (low, middle)
    return low


def bert(runner, machine, *more):
    return runner.step("topoopt-bert", "--model", "topoopt-bert", "--topology", machine, *more)


RINGS = ["--set", "ccl.rules[0].algorithm=multi-ring"]


def with_circuits(rings, block=None, chain=0):
    words = ["--set", f"network.rings={rings}"]
    if block:
        words += ["--set", f"network.block={block}", "--set", f"network.chain={chain}"]
    return words


def vertical(runner):
    table = Table("vertical: layout and circuits together (TopoOpt), 128 hosts of 4 A100, 4 x 100 Gb/s each")
    direct = bert(runner, "topoopt-128", *RINGS)
    ideal = bert(runner, "topoopt-128-switch")
    rate = equal_rate(circuits_cost(4, 100))
    tree = bert(runner, "topoopt-128-switch", "--set", f"host.nic.bandwidth={rate / 4:.2f}Gbps")
    one_ring = bert(runner, "topoopt-128", *with_circuits(1), *RINGS)
    source = "arXiv 2202.00433 v3, abstract: up to 3.4 times"
    rule, slow = ["--hosts", "128"], ["--set", f"host.nic.bandwidth={rate / 4:.2f}Gbps"]
    table.row("all-reduce alone, circuits over a fat tree of the same cost",
              runner.all_reduce("topoopt-128-switch", 512, None, *rule, *slow) / runner.all_reduce("topoopt-128", 512, "multi-ring"),
              3.4, source)
    table.row("BERT, circuits over a fat tree of the same cost", tree / direct, 3.4, source, held=False)
    table.note("3.4 is the largest of six models and several rates; its figures of each model are drawings that were not readable")
    table.note(f"a host's four circuits cost {circuits_cost(4, 100):,.0f} $, a fat tree of {rate:.0f} Gb/s a host as much, by "
               "traces/prices.json and 100 $ a port of the panel")
    table.row("BERT, circuits over an ideal switch", ideal / direct, 1.0, "TopoOpt, NSDI 2023: alike where all is all-reduce")
    table.row("four rings of coprime strides over one", one_ring / direct, 4.0, "bound: four circuits in place of one", held=False)
    table.note("the bound is of communication alone; computation takes its part of the step")
    joint(runner, table)
    return table


def joint(runner, table):
    """Alternates: the fastest layout for the circuits, then the circuits for that layout's demand, until neither changes."""
    layouts = {"TP 4, PP 8, DP 16": (4, 8, 16), "TP 4, PP 16, DP 8": (4, 16, 8)}
    choices = {"4 rings over all hosts": (4, None, 0), "2 rings a stage, 1 circuit a neighbour": (2, "stage", 1)}

    def time(layout, circuits):
        tensor, stages, replicas = layouts[layout]
        rings, block, chain = choices[circuits]
        if block and stages == 1:
            return float("inf")
        words = with_circuits(rings, replicas if block else None, chain)
        degrees = ["--tensor", str(tensor), "--pipeline", str(stages), "--data", str(replicas)]
        micro = ["--global-batch", "512"]
        return runner.step("topoopt-gpt-3-175b", "--model", "gpt-3-175b", "--topology", "topoopt-128", *degrees, *micro, *words, *RINGS)

    circuits = start = "4 rings over all hosts"
    first = None
    for _ in range(4):
        layout = min(layouts, key=lambda each: time(each, circuits))
        first = first or layout
        better = min(choices, key=lambda each: time(layout, each))
        if better == circuits:
            break
        circuits = better
    both = min(time(each, one) for each in layouts for one in choices)
    table.note(f"GPT-3 175B, 512 sequences of 2,048: alternating from {start} with {first} ends at {layout} on {circuits}: "
               f"{time(first, start):.2f} s, then {time(layout, circuits):.2f} s; the best of all {len(layouts) * len(choices)} "
               f"combinations takes {both:.2f} s")


# host-net -----------------------------------------------------------------------------------------

def host_net(runner):
    table = Table("host-net: servers and switches that add")
    ring = runner.all_reduce("byteps-8x1", 8, "ring")
    for servers in (1, 2, 4, 8):
        fewer = ["--set", f"topology.host_groups[1].hosts={servers}"]
        byteps = runner.all_reduce("byteps-8x1", 8, "byteps", *fewer)
        n, k = 8, servers
        bound = (2 * (n - 1) / n) / (2 * n * (n - 1) / (n * n + k * n - 2 * k))
        table.row(f"BytePS over NCCL's ring, all-reduce of 8 hosts, {servers} CPU hosts", ring / byteps, bound,
                  "bound: BytePS (OSDI 2020), section 4.1")
    two = ["--set", "topology.host_groups[1].hosts=2"]
    table.row("BytePS over a parameter server, 2 CPU hosts", runner.all_reduce("byteps-8x1", 8, "parameter-server", *two) /
              runner.all_reduce("byteps-8x1", 8, "byteps", *two), (8 / 2) / (112 / 76), "bound: the same, all sums on the CPU hosts")
    large = ["byteps-bert-large", "--model", "bert-large", "--topology", "byteps-32x8"]
    table.row("BytePS over Horovod, BERT-large on 256 V100, 100 Gb/s", step_ratio(runner, large, "ring", "byteps"), 1.16,
              "github bytedance/byteps docs/performance.md: 16 % (after tuning)")
    cnn = ["byteps-vgg-16-like", "--model", "vgg-16-like", "--topology", "byteps-4x8"]
    table.row("BytePS over Horovod, VGG-16's bytes and time, 20 Gb/s", step_ratio(runner, cnn, "ring", "byteps"), 2.0,
              "github bytedance/byteps docs/performance.md: 100 %")
    cnn = ["byteps-resnet-50-like", "--model", "resnet-50-like", "--topology", "byteps-4x8"]
    table.row("BytePS over Horovod, ResNet-50's bytes and time, 20 Gb/s", step_ratio(runner, cnn, "ring", "byteps"), 1.44,
              "github bytedance/byteps docs/performance.md: 44 %")
    table.note("both have the bytes and the time of the network in equal layers; VGG-16 itself has nine tenths of its bytes in the layers "
               "whose gradients come first")
    switch(runner, table)
    return table


def step_ratio(runner, words, slow, fast):
    """Horovod fuses 64 MB (its default), BytePS cuts gradients into 4 MB (BYTEPS_PARTITION_BYTES, its default)."""
    rule = "ccl.rules[0].algorithm="
    return (runner.step(*words, "--set", rule + slow, "--set", "ccl.bucket=64MB") /
            runner.step(*words, "--set", rule + fast, "--set", "ccl.bucket=4MB"))


def switch(runner, table):
    added = runner.all_reduce("switchml-8", 8, "in-network")
    table.row("SwitchML over NCCL's ring, all-reduce of 8 hosts, 100 Gb/s", runner.all_reduce("switchml-8", 8, "ring") / added, 2.27,
              "SwitchML (NSDI 2021): up to 2.27 times NCCL over RDMA", held=False)
    table.note("that is the largest of its trained models (DeepLight), with what NCCL loses of the line; bytes alone give 2 (n - 1) / n = 1.75")
    tenth = ["--set", "host.nic.bandwidth=10Gbps"]
    table.row("SwitchML over a ring, bytes alone, 10 Gb/s", runner.all_reduce("switchml-8", 8, "direct", *tenth) /
              runner.all_reduce("switchml-8", 8, "in-network", *tenth), 1.75, "bound: 2 (n - 1) / n of n = 8")
    sharp = ["--hosts", "8"]
    adding = ["--set", "network.in_network_reduction=true"]
    alone = runner.all_reduce("dgx-h100", 64, None, *sharp, model="all-reduce-8gb")
    with_switch = runner.all_reduce("dgx-h100", 64, None, *sharp, *adding, model="all-reduce-8gb")
    table.row("SHARP over NCCL's own choice, 8 DGX H100", alone / with_switch, 386.56 / 321,
              "nccl-tests: 386.6 GB/s with SHARP (github coreweave/nccl-tests), 321 without")


# intra-inter --------------------------------------------------------------------------------------

def intra_inter(runner):
    table = Table("intra-inter: what stays in a host")
    big = {"model": "all-reduce-8gb"}
    source = "nccl-tests, github stas00/ml-engineering network/README.md"
    for machine, nvls, ring, name in (("hgx-h200", 473.1, 365.6, "8 H200"), ("hgx-b200-1", 838.0, 682.2, "8 B200")):
        one = ["--hosts", "1"]
        ours = runner.all_reduce(machine, 8, "ring", *one, **big) / runner.all_reduce(machine, 8, "nvls", *one, **big)
        table.row(f"NVLS over ring, {name}", ours, nvls / ring, f"{nvls:g} and {ring:g} GB/s: {source}")
    two = ["--hosts", "2"]
    table.row("NCCL's choice over its ring, 2 x 8 H200", runner.all_reduce("hgx-h200", 16, "ring", *two, **big) /
              runner.all_reduce("hgx-h200", 16, None, *two, **big), 477 / 393, "467 to 487 and 393 GB/s: nccl-tests of two nodes, 8 x 400G")
    flat = runner.all_reduce("selene-a100", 256, "direct", "--hosts", "32", **big)
    two_level = runner.all_reduce("selene-a100", 256, "hierarchical", "--hosts", "32", **big)
    table.note(f"hierarchical against direct (flat), 8 GB on 32 DGX A100: {flat / two_level:.2f}; BlueConnect's own figures were not readable")
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet")
    kinds = {"vertical": vertical, "host-net": host_net, "intra-inter": intra_inter}
    parser.add_argument("perspectives", nargs="*", metavar="PERSPECTIVE", help=", ".join(kinds) + "; none: all")
    parser.add_argument("--commands", action="store_true", help="print every command that is run")
    asked = parser.parse_args()
    for name in asked.perspectives:
        if name not in kinds:
            parser.error(f"{name} is no perspective; accepted are {', '.join(kinds)}")
    runner = Runner(asked.quintet, asked.commands)
    missed = sum(kinds[name](runner).print() for name in asked.perspectives or kinds)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
