#!/usr/bin/env python3
"""Exchanges gradients in full, by DeMo and by Random over slow links in a box on this machine: what a
step takes, and when a loss is reached.

  tests/benchmark/replicators.py BUILD_DIRECTORY [--only times|losses] [--rounds 2] [--costs TABLE] [--busy]

Times (arXiv 2502.06728, ViT on a link of 10 Mbit/s): tiny-gpt on 4 ranks with links of 10 Mbit/s, AdamW
with all gradients, SGD with DeMo 1/32 (128 of 4,096 coefficients, 8 B each) and with Random 1/32. Operators
and messages are measured once (quintet calibrate) unless --costs has a table; every plan is predicted
(quintet simulate) and run (quintet run --shape) in turns. Prints medians, and the ratios to Random.

Losses: tiny-gpt on the shipped text, 4 ranks with links of 100 Mbit/s. AdamW with all gradients trains for
--steps-of-loss steps with each learning rate; the best one's loss (mean of the last 20 steps) + 2 % is what
the replicators are to reach, with one learning rate each, in less time. Runs whose log lies in --out are
not made again. Writes the curves as CSV and SVG to --curve, and for quintet plan replicator as JSON. Needs
nothing but Python 3.
"""

import argparse
import csv
import json
import pathlib
import statistics
import sys

import closed_loop

ROOT = pathlib.Path(__file__).resolve().parents[2]
RATE = 1 / 32
TIMED = {
    "full": {"optimizer": "adamw"},
    "demo": {"optimizer": "sgd", "replicator": {"kind": "demo", "top_k": 4096 // 32}},
    "random": {"optimizer": "sgd", "replicator": {"kind": "random", "rate": RATE}},
}
# Learning rate, and steps as a multiple of the baseline's.
TRAINED = {
    "AdamW, full, 0.001": ({"optimizer": "adamw", "clipping": "after-reduction"}, 1e-3, 1),
    "AdamW, full, 0.003": ({"optimizer": "adamw", "clipping": "after-reduction"}, 3e-3, 1),
    "Random 1/4": ({"optimizer": "sgd", "replicator": {"kind": "random", "rate": 0.25}}, 6e-3, 1.4),
    "Random 1/16": ({"optimizer": "sgd", "replicator": {"kind": "random", "rate": 1 / 16}}, 6e-3, 1.4),
    "DeMo 1/32": (TIMED["demo"], 3e-3, 1.4),
    "DiLoCo, 10": ({"optimizer": "adamw", "clipping": "before-reduction",
                    "replicator": {"kind": "diloco", "every": 10}}, 1e-3, 1.4),
}
MEAN_OF = 20  # steps, whose mean loss is a point of the curve
COLOURS = ["#9a9a9a", "#4d4d4d", "#0b6bcb", "#7c3aed", "#c2410c", "#15803d"]


def plan_file(folder, name, what, length, micro_batch):
    plan = {"name": name,
            "parallelism": {"data": 4, "sequence_length": length, "micro_batch": micro_batch,
                            "micro_batches": 1, "compute_type": "fp32", "gradient_type": "fp32",
                            "clipping": "none", **what},
            "network": {"mtu": "1448 B"}}
    path = folder / f"{name}.json"
    path.write_text(json.dumps(plan, indent=2) + "\n")
    return path


def calibrate(options, plans):
    """Operators from runs on the slow links; messages, which would take minutes there, on faster ones."""
    timelines = [closed_loop.run_plan(options, plan, options.warm_up + 3, "calibration")[1] for plan in plans]
    options.costs = options.out / "costs.json"
    closed_loop.run([options.quintet, "calibrate", "--model", options.model, "--topology", "box-4-1gbit", "--kernels",
                     options.kernels, "-o", options.costs, "--message-time", 40, "--plan", *plans,
                     "--measured", *timelines, *(["--busy"] if options.busy else [])])


def times(options):
    plans = {name: plan_file(options.out, f"slow-{name}", what, 64, 1)
             for name, what in TIMED.items()}
    if options.costs is None:
        calibrate(options, list(plans.values()))
    medians = {name: [] for name in plans}
    for _ in range(options.rounds):
        for name, plan in plans.items():
            medians[name].append(statistics.median(closed_loop.measured_steps(options, plan)))
    predicted = {name: closed_loop.predicted_step(options, plan) for name, plan in plans.items()}
    measured = {name: statistics.median(each) for name, each in medians.items()}
    print(f"\ntiny-gpt, 4 ranks, {options.topology.name}, {options.rounds} rounds of {options.steps} steps")
    print(f"{'':8} {'predicted':>11} {'measured':>11} {'error':>8} {'to Random':>20}   medians of the rounds")
    for name in plans:
        ratios = f"{predicted[name] / predicted['random']:.2f}, {measured[name] / measured['random']:.2f}"
        print(f"{name:8} {predicted[name] * 1e3:8.1f} ms {measured[name] * 1e3:8.1f} ms "
              f"{100 * (predicted[name] / measured[name] - 1):+6.1f} % {ratios:>20}   "
              + ", ".join(f"{each * 1e3:.1f}" for each in medians[name]), flush=True)


def curve(options, name, what, rate, steps):
    """Points (seconds, mean loss of the last steps) of a run on the slow links."""
    slug = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    plan = plan_file(options.out, f"loss-{slug}", what, 64, 4)
    log = plan.with_suffix(".log")
    if not (log.exists() and '"record":"summary"' in log.read_text()):
        log.unlink(missing_ok=True)
        closed_loop.run([options.quintet, "run", plan, "--model", options.model, "--data", options.data,
                         "--shape", options.topology, "--steps", steps, "--learning-rate", rate,
                         "--quiet", "--log", log], stdout=sys.stderr)
    records = [each for each in map(json.loads, log.read_text().splitlines())
               if each["record"] == "step"]
    seconds, points = 0, []
    for at, each in enumerate(records):
        seconds += each["step_s"]
        if at + 1 >= MEAN_OF:
            last = records[at + 1 - MEAN_OF:at + 1]
            points.append((each["step"], seconds, statistics.mean(one["loss"] for one in last)))
    return points


def losses(options):
    curves = {name: curve(options, name, what, rate, round(options.steps_of_loss * times_more))
              for name, (what, rate, times_more) in TRAINED.items()}
    best = min((points[-1][2], name) for name, points in curves.items() if name.startswith("AdamW"))
    target = 1.02 * best[0]
    print(f"\ntiny-gpt, 4 ranks, {options.topology.name}; {best[1]}: loss {best[0]:.4f} after "
          f"{curves[best[1]][-1][1]:.1f} s; + 2 %: {target:.4f}")
    for name, points in curves.items():
        reached = next((point for point in points if point[2] <= target), None)
        each = points[-1][1] / points[-1][0]
        print(f"{name:20} {each * 1e3:7.1f} ms a step, "
              + (f"there after {reached[1]:.1f} s, {reached[0]} steps" if reached
                 else f"not there: {points[-1][2]:.4f} after {points[-1][1]:.1f} s"), flush=True)
    write_csv(options.curve.with_suffix(".csv"), curves)
    options.curve.with_suffix(".json").write_text(loss_file(curves))
    options.curve.with_suffix(".svg").write_text(drawing(curves, target))


def write_csv(path, curves):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["replicator", "step", "seconds", f"mean_loss_of_{MEAN_OF}_steps"])
        for name, points in curves.items():
            for step, seconds, loss in points[::5]:
                rows.writerow([name, step, f"{seconds:.3f}", f"{loss:.4f}"])


def loss_file(curves):
    """As quintet plan replicator reads it."""
    entries = []
    for name, points in curves.items():
        what, rate, _ = TRAINED[name]
        entries.append({"name": name, "optimizer": what["optimizer"],
                        "clipping": what.get("clipping", "none"),
                        "replicator": what.get("replicator", {"kind": "full"}),
                        "steps": [step for step, _, _ in points[::10]],
                        "losses": [round(loss, 4) for _, _, loss in points[::10]]})
    return json.dumps({"name": "tiny-gpt on the valley, 16 sequences of 64 bytes a step",
                       "source": f"tests/benchmark/replicators.py: mean loss of {MEAN_OF} steps, learning rates "
                                 + ", ".join(f"{rate:g}" for _, rate, _ in TRAINED.values()),
                       "model": "tiny-gpt", "global_batch": 16, "sequence_length": 64,
                       "curves": entries}, indent=1) + "\n"


def drawing(curves, target, width=720, height=420):
    left, right, top, bottom = 60, 20, 20, 50
    longest = max(points[-1][1] for points in curves.values())
    least = min(loss for points in curves.values() for _, _, loss in points)
    most = max(points[0][2] for points in curves.values())

    def x(seconds):
        return left + (width - left - right) * seconds / longest

    def y(loss):
        return top + (height - top - bottom) * (most - loss) / (most - least)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for tick in range(0, int(longest) + 1, max(1, int(longest / 6 / 10) * 10 or 5)):
        lines.append(f'<text x="{x(tick):.1f}" y="{height - bottom + 18}" text-anchor="middle">{tick}</text>')
    for tenth in range(int(least * 2) + 1, int(most * 2) + 1):
        lines.append(f'<text x="{left - 8}" y="{y(tenth / 2) + 4:.1f}" text-anchor="end">{tenth / 2:.1f}</text>')
        lines.append(f'<line x1="{left}" x2="{width - right}" y1="{y(tenth / 2):.1f}" y2="{y(tenth / 2):.1f}" '
                     'stroke="#e5e5e5"/>')
    lines.append(f'<line x1="{left}" x2="{width - right}" y1="{y(target):.1f}" y2="{y(target):.1f}" '
                 'stroke="black" stroke-dasharray="5 4"/>')
    lines.append(f'<text x="{left + 4}" y="{y(target) - 5:.1f}">best AdamW + 2 %</text>')
    for colour, (at, (name, points)) in zip(COLOURS, enumerate(curves.items())):
        path = " ".join(f"{x(seconds):.1f},{y(loss):.1f}" for _, seconds, loss in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{width - right - 8}" y="{top + 18 + 18 * at}" text-anchor="end" fill="{colour}">{name}</text>')
    lines.append(f'<text x="{(left + width) / 2:.0f}" y="{height - 12}" text-anchor="middle">seconds of steps</text>')
    lines.append(f'<text x="16" y="{height / 2:.0f}" text-anchor="middle" '
                 f'transform="rotate(-90 16 {height / 2:.0f})">loss, mean of {MEAN_OF} steps</text>')
    return "\n".join([*lines, "</svg>", ""])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", choices=["times", "losses"])
    parser.add_argument("--steps", type=int, default=6, help="of a round, whose median counts")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--steps-of-loss", type=int, default=150)
    parser.add_argument("--kernels", default="fast")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("replicators"))
    parser.add_argument("--curve", type=pathlib.Path, default=pathlib.Path("replicators/replicators-100mbit"))
    parser.add_argument("--busy", action="store_true", help="calibrate on a busy machine too")
    parser.add_argument("--costs", type=pathlib.Path, help="use this table, do not calibrate")
    return parser.parse_args()


def main():
    options = arguments()
    options.ranks = 4
    options.out.mkdir(parents=True, exist_ok=True)
    options.quintet = options.build / "quintet"
    options.model = ROOT / "traces" / "models" / "tiny-gpt"
    options.data = ROOT / "traces" / "text" / "the-valley.txt"
    if options.only != "losses":
        options.topology = closed_loop.topology_file(options.out, "box-4-10mbit", options.ranks)
        times(options)
    if options.only != "times":
        options.topology = closed_loop.topology_file(options.out, "box-4-100mbit", options.ranks)
        losses(options)


if __name__ == "__main__":
    main()
