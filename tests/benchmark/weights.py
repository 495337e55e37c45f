#!/usr/bin/env python3
"""How long the weights of one layer of Llama-3-70B take to come into a rank, drawn and read, and how much memory
beside them: all of a section at once, as Quintet did before, against slices of what the rank keeps, in turn, so that
whatever else the machine does meets both. Medians, their ratio, and what it makes of 70B.

    tests/benchmark/weights.py BUILD [--runs 3] [--threads N] [--model llama-3-70b] [--folder /tmp]
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LAYERS_OF_70B = 70.55e9 / 0.856e9  # parameters over those of a layer: embedding and head count as 2.4 layers
# What, tensor ranks, ranks that share, how often the layer was brought at the start of a run before: where weights are
# gathered (ZeRO 3) it was drawn once for the rehearsal and once after it.
ROWS = (("draw", 8, 1, 1), ("draw", 1, 64, 2), ("read", 8, 1, 1), ("read", 1, 64, 1))


def one(program, config, what, how, settings):
    words = [program, config, what, how, *(f"{key}={value}" for key, value in settings.items())]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return [float(word) for word in done.stdout.split()]


def measured(arguments, program, config, row, file):
    what, tensor, share, _ = row
    settings = {"tensor": tensor, "share": share}
    if what == "read":
        settings["file"] = file
        if not os.path.exists(file):
            one(program, config, what, "whole", settings)
    found = {"whole": [], "slices": []}
    for _ in range(arguments.runs):
        found["whole"].append(one(program, config, what, "whole", settings))
        found["slices"].append(one(program, config, what, "slices", settings | {"threads": arguments.threads}))
    return {how: [statistics.median(column) for column in zip(*runs)] for how, runs in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--model", default="llama-3-70b")
    parser.add_argument("--folder", default=None)
    arguments = parser.parse_args()
    program = arguments.build / "tests/benchmark/weights_benchmark"
    config = SOURCE / "traces/models" / arguments.model / "config.json"
    print(f"one layer of {arguments.model}, {arguments.threads} threads for slices; memory beside what the rank keeps")
    print("                                    whole            slices             ratio          70B on this rank, hours")
    print("what  tensor share      kept M      s      MiB      s      MiB      time   memory     whole      slices")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for row in ROWS:
            found = measured(arguments, program, config, row, os.path.join(folder, "layer.safetensors"))
            (kept, before, memory), (_, after, less) = found["whole"], found["slices"]
            before_70b, after_70b = (LAYERS_OF_70B * each / 3600 for each in (row[3] * before, after))
            print(f"{row[0]:5} {row[1]:6} {row[2]:5} {kept / 1e6:11.1f} {before:7.2f} {memory / 2**20:8.0f} {after:6.2f} "
                  f"{less / 2**20:8.0f} {before / after:9.1f} {memory / less:8.1f} {before_70b:9.3f} {after_70b:11.3f}")
    print("70B on a rank of one pipeline stage: seconds of a layer times 82.4 layers' worth of parameters, twice where "
          "weights were drawn twice; a stage of 1/p of the layers takes 1/p.")


if __name__ == "__main__":
    main()
