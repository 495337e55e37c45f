#!/usr/bin/env python3
"""Calibrates this machine once, then predicts and runs 8 plans x 3 model sizes it has not seen.

  tests/benchmark/loop_bars.py BUILD_DIRECTORY [--out loop-bars] [--within SECONDS] [--small]

Twice: 4 ranks on 1 Gbit/s links, and on links that are faster than the cores (box-4-1gbit and
box-4-unshaped, in network namespaces). quintet calibrate runs probe models of other widths than the
three; quintet loop predicts, runs and compares. Prints its tables, and the bars: median error <= 5 %,
90th percentile <= 10 %, Kendall's tau >= 0.9, 80 to 97 % of measured steps in their 90 % interval.

In pieces: with --within it begins nothing more after so many seconds, and the same command goes on
where it stopped, since the folder keeps tables, probes and runs. --report measures nothing: predicts
and compares anew what the folder holds, after a change of the simulator; --costs NAME does so with
other tables (NAME-box-4-1gbit.json, ...). Exit 0: all is measured and every bar met; 1: not all is
measured, a bar is missed or the machine was busy. About 15 minutes on two cores with AVX-512 or with
oneDNN's kernels; --small takes a tenth and proves nothing. Needs nothing but Python 3.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

TOPOLOGIES = ["box-4-1gbit", "box-4-unshaped"]
# (width, layers). Probes have widths of 128, 192, 256, 320, 512 and 704, four layers.
SIZES = [(384, 4), (448, 8), (640, 4)]
RANGE = (128, 704)
SMALL_SIZES = [(96, 4)]
SMALL_RANGE = (64, 128)
# A verdict as it is printed, and what meets it.
BARS = [("median_error", "median error", "<= 5 %", lambda value: value <= 0.05),
        ("p90_error", "90th percentile", "<= 10 %", lambda value: value <= 0.10),
        ("kendall_tau", "Kendall's tau", ">= 0.9", lambda value: value >= 0.9),
        ("coverage", "in the interval", "80-97 %", lambda value: 0.80 <= value <= 0.97)]


def model_file(folder, width, layers):
    """A GPT of heads of 32 over bytes."""
    config = {"model_type": "gpt2", "n_layer": layers, "n_embd": width, "n_head": width // 32,
              "n_positions": 128, "vocab_size": 256, "activation_function": "gelu_new",
              "resid_pdrop": 0.0, "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": True}
    path = folder / f"gpt-{width}-{layers}" / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(config, indent=2) + "\n")
    return path


def run(command, **more):
    print("+", *command, file=sys.stderr, flush=True)
    return subprocess.run([str(word) for word in command], **more)


def let_pressure_fall(limit=120):
    """Our own runs leave their mark on what calibrate calls a busy machine."""
    begin = time.monotonic()
    while time.monotonic() - begin < limit:
        some = pathlib.Path("/proc/pressure/cpu").read_text().split("avg10=")[1].split()[0]
        if float(some) < 5:
            return
        time.sleep(3)


def calibrate(options, topology, costs):
    least, most = SMALL_RANGE if options.small else RANGE
    if not options.busy:
        let_pressure_fall()
    done = run([options.quintet, "calibrate", "--topology", topology, "-o", costs, "--model",
                model_file(options.out, least, 4), "--smallest", least, "--largest", most,
                "--length", 128, "--tokens", 512, "--ranks", 4, "--kernels", options.kernels,
                "--time", 20 if options.small else options.time,
                *(["--busy"] if options.busy else [])])
    if done.returncode != 0:
        sys.exit(f"loop_bars.py: quintet calibrate ended with {done.returncode}")


def loop(options, topology, costs, left):
    """What quintet loop says, or None where no plan was run yet and none can be."""
    models = [model_file(options.out, *size) for size in (SMALL_SIZES if options.small else SIZES)]
    done = run([options.quintet, "loop", "--topology", topology, "--costs", costs, "--keep-costs",
                "--model", *models, "--steps", options.steps, "--warm-up", 2, "--out",
                options.out / topology, "--kernels", options.kernels, "--json", "--resume",
                *(["--within", f"{max(0, left):.0f}"] if left is not None else []),
                *(["--busy"] if options.busy else [])],
               stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def show(topology, result):
    print(f"\n{topology}, {time.strftime('%Y-%m-%d')}")
    print(f"{'model and plan':34} {'predicted':>10} {'90 % interval':>20} {'measured':>10} "
          f"{'error':>8}  cause")
    for row in result["plans"]:
        interval = row.get("interval_s")
        text = f"{interval[0] * 1e3:.0f} - {interval[1] * 1e3:.0f} ms" if interval else ""
        print(f"{row['model'] + ', ' + row['plan']:34} {row['predicted_s'] * 1e3:7.1f} ms "
              f"{text:>20} {row['measured_s'] * 1e3:7.1f} ms {100 * row['error']:+6.1f} %  "
              f"{row['cause']}")
    for remark in result["remarks"]:
        print(remark)


def judge(topology, result):
    """Prints each bar; returns whether all are met."""
    good = True
    for key, name, wanted, met in BARS:
        value = result.get(key)
        good = good and value is not None and met(value)
        told = ("not told" if value is None else f"{value:.2f}" if key == "kendall_tau"
                else f"{100 * value:.1f} %")
        verdict = "" if value is None else "met" if met(value) else "MISSED"
        print(f"{topology:16} {name:16} {told:>9}   wanted {wanted:8} {verdict}")
    return good


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--small", action="store_true", help="one tiny model: to see that it works")
    parser.add_argument("--steps", type=int, default=8, help="whose median counts")
    parser.add_argument("--time", type=float, default=180, help="seconds for calibrating operators")
    parser.add_argument("--within", type=float, help="seconds after which nothing more begins")
    parser.add_argument("--report", action="store_true", help="measure nothing more")
    parser.add_argument("--costs", default="costs", help="what names of cost tables begin with")
    parser.add_argument("--kernels", default="onednn",
                        help="fast is slow where the processor has no AVX-512")
    parser.add_argument("--topologies", default=",".join(TOPOLOGIES))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("loop-bars"))
    parser.add_argument("--busy", action="store_true", help="measure on a busy machine too")
    options = parser.parse_args()
    options.quintet = options.build / "quintet"
    options.out.mkdir(parents=True, exist_ok=True)
    if options.report:
        options.within = 0
    return options


def main():
    options = arguments()
    begin = time.monotonic()
    plans = 8 * len(SMALL_SIZES if options.small else SIZES)

    def left():
        return None if options.within is None else options.within - (time.monotonic() - begin)

    results = {}
    for topology in options.topologies.split(","):
        costs = options.out / f"{options.costs}-{topology}.json"
        if not costs.exists():
            if left() is not None and left() <= 0:
                continue
            calibrate(options, topology, costs)
        if result := loop(options, topology, costs, left()):
            results[topology] = result
    for topology, result in results.items():
        show(topology, result)
    print()
    good = all([judge(topology, result) for topology, result in results.items()])
    whole = (len(results) == len(options.topologies.split(",")) and
             all(len(result["plans"]) == plans for result in results.values()))
    busy = any("MACHINE WAS BUSY" in remark for result in results.values()
               for remark in result["remarks"])
    print(f"\n{(time.monotonic() - begin) / 60:.1f} minutes."
          + ("" if whole else " NOT ALL IS MEASURED: the same command goes on.")
          + (" THE MACHINE WAS BUSY: none of this counts." if busy else ""))
    sys.exit(0 if good and whole and not busy else 1)


if __name__ == "__main__":
    main()
