#!/usr/bin/env python3
"""What each of the five layers gains alone over a sensible default, and all together: the claim of
the survey of Wei et al. (arXiv 2403.07585) that the layers should decide together, in numbers.

    tests/benchmark/five_layers.py [--quintet build/release/quintet] [--write docs/five-layers.md]

The default is `quintet plan new --usual`. A layer alone is what `quintet search` finds where that
layer is free and the others are at the default. All together: the layout and the layers below it
are searched in turn, from the default and the best layouts, until neither gains any more; each
search is proven, their sequence is not. A ninth of the memory stays free in all of them. Beside the
figures stands the arithmetic by hand (bytes over a link's rate, bubbles), which needs no simulator,
and the program fails where the two disagree.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

MODEL, SEQUENCE = "llama-3-70b", 8192
MACHINES = [
    # On its static routes no two hosts are alike: a walk of 64 would take a minute.
    ("dgx-h100-fat-tree", 16, 128, "16 DGX H100 on a RoCE fat tree, 2:1 oversubscribed"),
    ("dgx-h100", 64, 512, "64 DGX H100 on a rail-optimised InfiniBand network"),
    ("gb200-nvl72", 8, 512, "8 GB200 NVL72 racks, 64 GPUs of each"),
]
LAYERS = ["parallelism", "ccl", "intra_inter", "host_net", "network"]
# Llama-3-70B, as traces/models/llama-3-70b has it.
PARAMETERS, HIDDEN, DEPTH = 70.554e9, 8192, 80
INTRODUCTION = """# Five layers, alone and together

The survey of Wei et al. (arXiv 2403.07585) says that parallelism, collective library, what stays
inside a host, the way to the wire and the network should decide together. This page puts numbers on
it: a step of Llama-3-70B, one sequence of 8,192 tokens for each GPU of the machines below, predicted at
fidelity fluid. The default is what somebody has who has searched nothing (`quintet plan new --usual`);
each layer alone is what `quintet search` finds with the other layers at the default; all together is
what it finds by searching the layout and the layers below it in turn, from the default and the best
layouts, until neither gains. A ninth of the memory stays free. Times are of the mean rank, in ms;
tensor, data and pipeline are exposed communication. Below each table stands the arithmetic by hand. It is made by

    tests/benchmark/five_layers.py --write docs/five-layers.md
"""


# Freed of the layout, and of the layers below it where all are chosen together: of all fields of all
# layers there are more than 10^12 combinations.
LAYOUT = ["parallelism." + field for field in (
    "tensor", "pipeline", "micro_batch", "schedule", "virtual_stages", "sharding", "recompute")]
BELOW = ["ccl.bucket", "ccl.data.protocol", "ccl.tensor.protocol", "ccl.tensor.algorithm",
         "intra_inter.data", "intra_inter.tensor", "host_net.delivery", "host_net.queue_pairs",
         "host_net.launch", "network.routing"]
LEAST = 5e-4  # of a step: less is no gain


def free(fields):
    return [word for field in fields for word in ("--free", field)]


def first(pair):
    return pair[0]


class Quintet:
    """The command on one machine; plans are dictionaries, as files have them."""

    def __init__(self, given, machine, hosts, batch, folder):
        self.batch = str(batch)
        self.given, self.folder, self.candidates, self.runs = given, folder, 0, 0
        own = os.path.join(os.path.dirname(__file__), "../../topologies", machine + ".json")
        self.machine = [own if os.path.exists(own) else machine, "--hosts", str(hosts)]
        self.where = ["--model", MODEL, "--topology", *self.machine]

    def run(self, program, *arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        if done.returncode == 2:
            sys.exit(f"quintet {' '.join(arguments)}\n{done.stderr}")
        return done.stdout

    def file(self, plan):
        file = os.path.join(self.folder, "plan.json")
        with open(file, "w") as out:
            json.dump(plan, out)
        return file

    def usual(self):
        return json.loads(self.run(self.given.quintet, "plan", "new", "--usual", *self.where,
                                   "--sequence", str(SEQUENCE), "--global-batch", self.batch))

    def memory(self):
        """A ninth of it stays free: published verdicts on fuller plans are wrong too often."""
        text = self.run(self.given.quintet, "topology", *self.machine)
        gib = next(line for line in text.splitlines() if " SMs, " in line)
        gib = float(gib.split(" SMs, ")[1].split(" GiB")[0])
        return ["--set", f"host.gpu.memory={0.89 * gib:.1f}GiB"]

    def search(self, plan, freed, top=1):
        """The best plans found, (step, plan), the best first, the plan itself among them."""
        self.runs += 1
        out = os.path.join(self.folder, f"best-{self.runs}")
        answer = json.loads(self.run(
            self.given.search, "search", self.file(plan), "--global-batch", self.batch, *freed,
            *self.where, *self.memory(), "--fluid", str(self.given.fluid), "--top", str(top), "-q",
            "--brief", "--json", "-o", out))
        self.candidates += answer["candidates"]
        found = []
        for row, name in zip(answer["plans"], sorted(os.listdir(out))):
            with open(os.path.join(out, name)) as file:
                found.append((row["step_s"], json.load(file)))
        return found

    def alone(self, plan, layer, top=1):
        freed = LAYOUT if layer == "parallelism" else [layer]
        return self.search(plan, free(freed), top)

    def together(self, usual, step):
        """Layout and the layers below in turn, until neither gains, from the best few layouts."""
        best = (step, usual)
        for start in [(step, usual), *self.alone(usual, "parallelism", self.given.starts)]:
            now, before = start, None
            while before is None or now[0] < before * (1 - LEAST):
                before = now[0]
                now = min(now, self.search(now[1], free(BELOW))[0], key=first)
                now = min(now, self.alone(now[1], "parallelism")[0], key=first)
            best = min(best, now, key=first)
        return best

    def explained(self, plan):
        answer = json.loads(self.run(self.given.quintet, "simulate", self.file(plan), *self.where,
                                     "--json", "-q"))
        return answer["breakdown"][0]


def changed(usual, plan, layer):
    """What of a layer differs, in words; axes that are not listed are flat."""
    words = []
    for field, value in plan[layer].items():
        if field == "decompositions":
            value = [row for row in value if row["decomposition"] != "flat"]
        if value != usual[layer].get(field) and field not in ("data", "micro_batches"):
            words.append(f"{field} {json.dumps(value).replace(chr(34), '')}")
    return ", ".join(words)


def by_hand(plan, model, machine):
    """Bytes of a step, seconds that they take at the raw rate of the link that carries them, and
    the bubble as a share of the work, of a plan on the machine."""
    p = plan["parallelism"]
    tensor, data, pipeline = p["tensor"], p["data"], p["pipeline"]
    own = model["parameters"] / (tensor * pipeline)
    # Gradients in 4 bytes are reduced and scattered, once, or where they are sharded after each
    # micro-batch; weights in 2 bytes are gathered, once, or where they are sharded in each
    # micro-batch for forward and again for backward.
    sharded = {"gradients": p["micro_batches"], "parameters": p["micro_batches"]}
    each = own * (4 * sharded.get(p["sharding"], 1) +
                  2 * (2 * p["micro_batches"] if p["sharding"] == "parameters" else 1))
    # Replicas in one host pass the bytes on over NVLink and share their NICs.
    local = min(data, max(1, machine["gpus"] // tensor))
    hosts = data // local
    data_bytes = each * (hosts - 1) / hosts / local if hosts > 1 else each * (data - 1) / data
    # Of each layer and micro-batch, two blocks: forward gathers and scatters the activations,
    # backward too, and gathers the input once more; 2 bytes each; full recomputation: forward twice.
    passes = 10 + (4 if p["recompute"] == "full" else 0)
    tensor_bytes = (passes * p["micro_batch"] * SEQUENCE * model["hidden"] * 2 * (tensor - 1) / tensor
                    * model["layers"] / pipeline * p["micro_batches"])
    return {"link": "NIC" if hosts > 1 else "NVLink",
            "data": data_bytes / machine["nic" if hosts > 1 else "nvlink"],
            "data_bytes": data_bytes,
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
        text += (f"Gradients and weights are {hand['data_bytes'] / 1e9:.1f} GB over each GPU's "
                 f"{hand['link']}, {1e3 * hand['data']:,.0f} ms at its full rate; the "
                 f"simulator has them move for {total['data'] * 1e-9:,.0f} ms and leaves "
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
    """A link never carries its bytes faster than its rate. By hand is therefore a lower bound; what
    moves under compute may take several times as long, so that the other side is held loosely."""
    total = breakdown["total_communication"]
    for axis in ("tensor", "data"):
        ratio = total[axis] * 1e-12 / hand[axis] if hand[axis] > 0 else 1
        if not 0.98 <= ratio <= 10:
            yield f"{axis}: {ratio:.2f} times the time by hand"


def machine_of(quintet):
    found = {}
    for line in quintet.run(quintet.given.quintet, "topology", *quintet.machine).splitlines():
        words = line.split()
        if words[:1] == ["gpu"]:
            found["gpus"] = int(words[1]) // int(quintet.machine[2])
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
    machine = machine_of(quintet)
    rows = [["layer", "step, ms", "speed", "compute", "tensor", "data", "pipeline", "bubble",
             "what it chooses otherwise"], row_of("default", step, step, default, "")]
    notes = [arithmetic("Default", usual, default, by_hand(usual, model, machine))]
    sum_alone, wrong = 0.0, []

    def add(name, found):
        own = found if found[0] < step * (1 - LEAST) else (step, usual)
        breakdown = quintet.explained(own[1])
        what = "; ".join(words for layer in LAYERS if (words := changed(usual, own[1], layer)))
        rows.append(row_of(name, own[0], step, breakdown, what or "nothing gains"))
        hand = by_hand(own[1], model, machine)
        wrong.extend(f"{name}, {each}" for each in disagreements(own[1], breakdown, hand))
        if own[0] < step * 0.995:
            notes.append(arithmetic(name, own[1], breakdown, hand))
        return own[0]

    for layer in LAYERS:
        sum_alone += step - add(f"{layer} alone", quintet.alone(usual, layer)[0])
    together = add("all together", quintet.together(usual, step))
    if wrong:
        sys.exit(f"{title}: simulated and by hand disagree: {'; '.join(wrong)}")
    gains = (f"The layers alone take off {1e3 * sum_alone:,.0f} ms in sum, all together "
             f"{1e3 * (step - together):,.0f} ms. {quintet.runs} searches had "
             f"{quintet.candidates:,} candidates.\n")
    return "\n".join([f"## {title}\n", table(rows), gains, *notes])


def main():
    ask = argparse.ArgumentParser(description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--quintet", default="build/release/quintet")
    ask.add_argument("--search", help="the program that searches; default: --quintet")
    ask.add_argument("--write", help="this page, in place of the standard output")
    ask.add_argument("--fluid", type=int, default=20,
                     help="so many of the best by the analytic fidelity are simulated")
    ask.add_argument("--starts", type=int, default=2,
                     help="layouts from which all layers are chosen together")
    ask.add_argument("--machine", action="append", help="only this; may be repeated")
    given = ask.parse_args()
    given.search = given.search or given.quintet
    text = INTRODUCTION
    for machine, hosts, batch, title in MACHINES:
        if given.machine and machine not in given.machine:
            continue
        with tempfile.TemporaryDirectory() as folder:
            text += "\n" + survey(Quintet(given, machine, hosts, batch, folder), title)
    if given.write:
        with open(given.write, "w") as page:
            page.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
