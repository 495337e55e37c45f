#!/usr/bin/env python3
"""What each of the five layers gains alone over a sensible default, and all together: the claim of
the survey of Wei et al. (arXiv 2403.07585) that the layers should decide together, in numbers.

    tests/benchmark/five_layers.py [--quintet build/release/quintet] [--write docs/five-layers.md]

The default is `quintet plan new --usual`. A layer alone: every combination of its options below is
predicted with the other layers at the default, and the fastest that surely fits counts. All
together: from the default and from the fastest layouts, the layers are chosen anew one after the
other until none gains any more; so it is the best that was found, not a proven one. Beside the
figures stands the arithmetic by hand (bytes over a link's rate, bubbles), which needs no simulator,
and the program fails where the two disagree.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

MODEL, SEQUENCE, BATCH = "llama-3-70b", 8192, 512
MACHINES = [
    ("dgx-h100-fat-tree", 64, "64 DGX H100 on a RoCE fat tree, 2:1 oversubscribed"),
    ("dgx-h100", 64, "64 DGX H100 on a rail-optimised InfiniBand network"),
    ("gb200-nvl72", 8, "8 GB200 NVL72 racks, 64 GPUs of each"),
]
LAYERS = ["parallelism", "ccl", "intra_inter", "host_net", "network"]
# Llama-3-70B, as traces/models/llama-3-70b has it.
PARAMETERS, HIDDEN, DEPTH = 70.554e9, 8192, 80
KEPT = 3  # layouts from which all layers are chosen together
INTRODUCTION = """# Five layers, alone and together

The survey of Wei et al. (arXiv 2403.07585) says that parallelism, collective library, what stays
inside a host, the way to the wire and the network should decide together. This page puts numbers on
it: a step of Llama-3-70B, 512 sequences of 8,192 tokens on 512 GPUs of three machines, predicted at
fidelity fluid. The default is what somebody has who has searched nothing (`quintet plan new --usual`);
each layer alone is the fastest of its options with the other layers at the default; all together is
the best found from there. Times are of the mean rank, in ms; tensor, data and pipeline are exposed
communication. Below each table stands the arithmetic by hand. It is made by

    tests/benchmark/five_layers.py --write docs/five-layers.md
"""


def rule(**fields):
    return json.dumps([fields], separators=(",", ":"))


def options_of(layer):
    """Grids: each a dictionary from a field to its values; all combinations of each are tried."""
    if layer == "parallelism":
        common = {"parallelism.tensor": ["1", "2", "4", "8"], "parallelism.micro_batch": ["1", "2"],
                  "parallelism.sequence_parallel": ["true"]}
        one = {**common, "parallelism.pipeline": ["1", "2", "4", "8"],
               "parallelism.sharding": ["optimizer", "parameters"],
               "parallelism.recompute": ["none", "selective", "full"]}
        several = {**common, "parallelism.pipeline": ["2", "4", "8"],
                   "parallelism.schedule": ["interleaved"],
                   "parallelism.virtual_stages": ["2", "5", "10"]}
        return [one, several]
    if layer == "ccl":
        forced = ["[]"]
        forced += [rule(axis="tensor", algorithm=a) for a in ("ring", "nvls")]
        forced += [rule(axis="tensor", protocol=p) for p in ("ll128", "simple")]
        forced += [rule(axis="data", algorithm=a) for a in ("ring", "pat")]
        forced += [rule(axis="data", protocol=p) for p in ("ll128", "simple")]
        return [{"ccl.rules": forced, "ccl.bucket": ["0B", "40MB", "160MB", "640MB", "2560MB"]}]
    if layer == "intra_inter":
        cut = [[{"axis": axis, "decomposition": "hierarchical"} for axis in axes]
               for axes in ([], ["data"], ["tensor"], ["data", "tensor"])]
        return [{"intra_inter.decompositions": [json.dumps(c, separators=(",", ":")) for c in cut],
                 "intra_inter.forwarding": ["none", "same-rail"]}]
    if layer == "host_net":
        return [{"host_net.delivery": ["direct", "staged"],
                 "host_net.queue_pairs": ["1", "2", "4", "8"],
                 "host_net.launch": ["eager", "graphs"]}]
    return [{"network.routing": ["rail-pinned", "ecmp", "spray"]}]


class Quintet:
    """The command on one machine; plans are dictionaries, as files have them."""

    def __init__(self, program, machine, hosts, folder):
        self.program, self.folder, self.predicted = program, folder, 0
        self.where = ["--model", MODEL, "--topology", machine, "--hosts", str(hosts)]

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode == 2:
            sys.exit(f"quintet {' '.join(arguments)}\n{done.stderr}")
        return done.stdout

    def file(self, plan):
        file = os.path.join(self.folder, "plan.json")
        with open(file, "w") as out:
            json.dump(plan, out)
        return file

    def usual(self):
        return json.loads(self.run("plan", "new", "--usual", *self.where, "--sequence",
                                   str(SEQUENCE), "--global-batch", str(BATCH)))

    def options(self, plan, layer):
        """The plan with each combination of the layer's options that surely fits: (step, plan)."""
        found = []
        for grid in options_of(layer):
            asked = [word for field, values in grid.items()
                     for word in ("--set", field + "=" + ",".join(values))]
            answer = json.loads(self.run("simulate", self.file(plan), *self.where, *asked,
                                         "--json", "-q"))
            self.predicted += len(answer["plans"])
            found += [(row["step_s"], row["plan"]) for row in answer["plans"]
                      if row["memory_verdict"] == "fits"]
        return sorted(found, key=lambda each: (each[0], json.dumps(each[1], sort_keys=True)))

    def explained(self, plan):
        answer = json.loads(self.run("simulate", self.file(plan), *self.where, "--json", "-q"))
        self.predicted += 1
        return answer["breakdown"][0]


def best_of(quintet, plan, layer, step):
    """The plan with that layer's best options; as it is where none is faster."""
    found = quintet.options(plan, layer)
    return found[0] if found and found[0][0] < step - 1e-9 else (step, plan)


def all_together(quintet, starts):
    best = None
    for step, plan in starts:
        before = None
        while before is None or step < before * (1 - 1e-4):
            before = step
            for layer in LAYERS[1:] + LAYERS[:1]:
                step, plan = best_of(quintet, plan, layer, step)
        if best is None or step < best[0]:
            best = (step, plan)
    return best


def changed(usual, plan, layer):
    """What of a layer differs, in words."""
    words = []
    for field, value in plan[layer].items():
        if value != usual[layer].get(field) and field not in ("data", "micro_batches"):
            words.append(f"{field} {json.dumps(value).replace(chr(34), '')}")
    return ", ".join(words) or "as the default"


def by_hand(plan, model, machine):
    """Seconds that a step's bytes take at the raw rate of the link that carries them, and the
    bubble as a share of the work, of a plan on the machine."""
    p = plan["parallelism"]
    tensor, data, pipeline = p["tensor"], p["data"], p["pipeline"]
    own = model["parameters"] / (tensor * pipeline)
    around = (data - 1) / data
    # Gradients in 4 bytes are reduced and scattered, weights in 2 bytes gathered; with sharded
    # parameters they are gathered in each micro-batch for forward and again for backward.
    gathers = 2 * p["micro_batches"] if p["sharding"] == "parameters" else 1
    data_bytes = own * around * (4 + 2 * gathers)
    # Of each layer and micro-batch, two blocks: forward gathers and scatters the activations,
    # backward too, and gathers the input once more; 2 bytes each; full recomputation: forward twice.
    passes = 10 + (4 if p["recompute"] == "full" else 0)
    tensor_bytes = (passes * p["micro_batch"] * SEQUENCE * model["hidden"] * 2 * (tensor - 1) / tensor
                    * model["layers"] / pipeline * p["micro_batches"])
    # Replicas that are neighbours inside a host exchange over NVLink; others over their NICs.
    return {"data": data_bytes / machine["nic"], "data_bytes": data_bytes,
            "tensor": tensor_bytes / machine["nvlink"], "tensor_bytes": tensor_bytes,
            "bubble": (pipeline - 1) / (p["micro_batches"] * max(1, p["virtual_stages"]))}


def parts(breakdown):
    ps = 1e-9
    return {"compute": breakdown["compute"] * ps,
            **{axis: breakdown["exposed"][axis] * ps for axis in ("tensor", "data", "pipeline")},
            "bubble": breakdown["bubble"] * ps,
            "rest": sum(breakdown[k] for k in ("waiting", "copy", "host", "idle")) * ps}


def table(rows):
    lines = ["| " + " | ".join(rows[0]) + " |", "| --- |" + " --: |" * (len(rows[0]) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows[1:]]) + "\n"


def row_of(name, step, default, breakdown, what):
    p = parts(breakdown)
    return [name, f"{1e3 * step:,.0f}", f"{100 * (default / step - 1):+.1f} %",
            *(f"{p[k]:,.0f}" for k in ("compute", "tensor", "data", "pipeline", "bubble")), what]


def arithmetic(name, plan, breakdown, hand):
    p, total = plan["parallelism"], breakdown["total_communication"]
    text = (f"{name}: TP {p['tensor']} x PP {p['pipeline']} x DP {p['data']}, "
            f"{p['micro_batches']} micro-batches of {p['micro_batch']}. ")
    if p["data"] > 1:
        text += (f"A GPU's gradients and weights are {hand['data_bytes'] / 1e9:.1f} GB to and from "
                 f"the other replicas, {1e3 * hand['data']:,.0f} ms at the NIC's full rate; the "
                 f"simulator has data move for {total['data'] * 1e-9:,.0f} ms and leaves "
                 f"{breakdown['exposed']['data'] * 1e-9:,.0f} ms of them exposed. ")
    if p["tensor"] > 1:
        text += (f"Activations are {hand['tensor_bytes'] / 1e9:.0f} GB over NVLink, "
                 f"{1e3 * hand['tensor']:,.0f} ms at its full rate; simulated "
                 f"{total['tensor'] * 1e-9:,.0f} ms, {breakdown['exposed']['tensor'] * 1e-9:,.0f} ms "
                 f"exposed. ")
    if p["pipeline"] > 1:
        busy = breakdown["compute"] + breakdown["exposed"]["tensor"]
        text += (f"The bubble is {100 * hand['bubble']:.1f} % of the work, (stages - 1) / "
                 f"(micro-batches x pieces of a stage): {hand['bubble'] * busy * 1e-9:,.0f} ms; "
                 f"simulated {breakdown['bubble'] * 1e-9:,.0f} ms.")
    return text + "\n"


def disagreements(plan, breakdown, hand):
    """A link never carries its bytes faster than its rate, and rarely at less than a fifth of it."""
    total = breakdown["total_communication"]
    for axis in ("tensor", "data"):
        inside = axis == "data" and plan["parallelism"]["tensor"] == 1
        ratio = total[axis] * 1e-12 / hand[axis] if hand[axis] > 0 else 1
        if not inside and not 0.98 <= ratio <= 6:
            yield f"{axis}: {ratio:.2f} times the time by hand"


def machine_of(quintet, usual):
    text = quintet.run("topology", *quintet.where[2:])
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["nvlink"]:
            found["nvlink"] = float(words[2]) * 1e9
        if words[:1] == ["network"] and "NIC to leaf" in line:
            found["nic"] = float(words[2]) * 1e9
    return found


def survey(quintet, title):
    usual = quintet.usual()
    default = quintet.explained(usual)
    step = default["step"] * 1e-12
    model = {"parameters": PARAMETERS, "hidden": HIDDEN, "layers": DEPTH}
    machine = machine_of(quintet, usual)
    rows = [["layer", "step, ms", "speed", "compute", "tensor", "data", "pipeline", "bubble",
             "what it chooses"], row_of("default", step, step, default, "")]
    starts = [(step, usual)]
    sum_alone, notes = 0.0, [arithmetic("Default", usual, default,
                                        by_hand(usual, model, machine))]
    for layer in LAYERS:
        found = quintet.options(usual, layer)
        own = found[0] if found and found[0][0] < step - 1e-9 else (step, usual)
        if layer == "parallelism":
            starts += found[:KEPT]
        breakdown = quintet.explained(own[1])
        rows.append(row_of(f"{layer} alone", own[0], step, breakdown,
                           changed(usual, own[1], layer)))
        sum_alone += step - own[0]
        if own[0] < step * 0.995:
            notes.append(arithmetic(f"{layer} alone", own[1], breakdown,
                                    by_hand(own[1], model, machine)))
    together, plan = all_together(quintet, starts)
    breakdown = quintet.explained(plan)
    what = "; ".join(f"{layer}: {changed(usual, plan, layer)}" for layer in LAYERS
                     if changed(usual, plan, layer) != "as the default")
    rows.append(row_of("all together", together, step, breakdown, what))
    hand = by_hand(plan, model, machine)
    notes.append(arithmetic("All together", plan, breakdown, hand))
    wrong = [*disagreements(usual, default, by_hand(usual, model, machine)),
             *disagreements(plan, breakdown, hand)]
    if wrong:
        sys.exit(f"{title}: simulated and by hand disagree: {'; '.join(wrong)}")
    gains = (f"The layers alone take off {1e3 * sum_alone:,.0f} ms in sum, all together "
             f"{1e3 * (step - together):,.0f} ms. {quintet.predicted} plans were predicted.\n")
    return "\n".join([f"## {title}\n", table(rows), gains, *notes])


def main():
    ask = argparse.ArgumentParser(description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--quintet", default="build/release/quintet")
    ask.add_argument("--write", help="this page, in place of the standard output")
    ask.add_argument("--machine", action="append", help="only this; may be repeated")
    given = ask.parse_args()
    text = INTRODUCTION
    for machine, hosts, title in MACHINES:
        if given.machine and machine not in given.machine:
            continue
        with tempfile.TemporaryDirectory() as folder:
            text += "\n" + survey(Quintet(given.quintet, machine, hosts, folder), title)
    if given.write:
        with open(given.write, "w") as page:
            page.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
