#!/usr/bin/env python3
"""Calibrates this machine's GPU once, then predicts and runs 6 models x 2 sequence lengths that calibration has
not seen: one line of JSON per step that was predicted and run.

  loop_check.py QUINTET [--out FOLDER] [--topology MACHINE] [--time SECONDS] [--steps N] [--models N] [--toy]

QUINTET     the program, with quintet-run and quintet-calibrate beside it
--out       where tables, probes, runs and comparisons go; what is there of an earlier call is used again
--topology  the machine, of one GPU (default h200-1)
--time      for probes of operators (default 170); copies and launches take some seconds more
--steps     of each run that count (default 8); as many again are recorded
--models    only the first N
--toy       tiny sizes, to check the script on a stand-in for a GPU

Probes are GPTs and Llamas of 512 to 1536 and sequences of 512 and 1024; the models have other widths between, and
sequences of 640 and 896. Everything is computed in bf16 and launched as graphs.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEAD = 64  # width of a head


@dataclasses.dataclass(frozen=True)
class Sizes:
    least: int  # width of probes
    most: int
    longest: int  # that curves hold for: of a sequence
    tokens: int  # and of a micro-batch
    lengths: tuple
    sequences: int  # of a micro-batch
    vocabulary: int
    models: tuple  # family, width, layers: none is a probe's


REAL = Sizes(
    least=512,
    most=1536,
    longest=1024,
    tokens=16384,
    lengths=(640, 896),
    sequences=16,  # 10,240 and 14,336 tokens
    vocabulary=8192,  # small: each run begins by drawing its weights, on one core
    models=(
        ("gpt", 640, 8),
        ("llama", 768, 8),
        ("gpt", 960, 6),
        ("llama", 1152, 6),
        ("gpt", 1216, 4),
        ("llama", 1344, 4),
    ),
)
TOY = Sizes(64, 128, 64, 256, (40, 56), 4, 256, (("gpt", 128, 2), ("llama", 64, 3)))


def gpt(sizes, width, layers):
    return {
        "model_type": "gpt2",
        "n_layer": layers,
        "n_embd": width,
        "n_head": width // HEAD,
        "n_positions": sizes.longest,
        "vocab_size": sizes.vocabulary,
        "activation_function": "gelu_new",
        "resid_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "tie_word_embeddings": True,
    }


def llama(sizes, width, layers):
    return {
        "model_type": "llama",
        "num_hidden_layers": layers,
        "hidden_size": width,
        "num_attention_heads": width // HEAD,
        "num_key_value_heads": width // HEAD,
        "head_dim": HEAD,
        "intermediate_size": round(2.69 * width / HEAD) * HEAD,  # as Llama 2's
        "max_position_embeddings": sizes.longest,
        "vocab_size": sizes.vocabulary,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-05,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
    }


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n")
    return path


def model_file(folder, sizes, family, width, layers):
    config = {"gpt": gpt, "llama": llama}[family](sizes, width, layers)
    return written(folder / f"{family}-{width}-{layers}" / "config.json", config)


def plan_file(folder, sizes, length):
    parallelism = {
        "sequence_length": length,
        "micro_batch": sizes.sequences,
        "micro_batches": 2,
        "compute_type": "bf16",
    }
    return written(folder / f"length-{length}.json", {"parallelism": parallelism, "host_net": {"launch": "graphs"}})


def run(words, **more):
    environment = {"QUINTET_DATA": str(SOURCE), **os.environ}
    return subprocess.run([str(word) for word in words], env=environment, **more)


def calibrated(options):
    costs = options.out / "costs.json"
    if costs.exists():
        return costs
    sizes = options.sizes
    probes = [model_file(options.out / "probes", sizes, family, sizes.least, 4) for family in ("gpt", "llama")]
    words = [options.quintet, "calibrate", "--device", "gpu", "--topology", options.topology, "-o", costs]
    words += ["--smallest", sizes.least, "--largest", sizes.most, "--length", sizes.longest, "--tokens", sizes.tokens]
    words += ["--time", options.time, "--busy"] + [word for model in probes for word in ("--model", model)]
    done = run(words, stdout=sys.stderr)
    if done.returncode != 0:
        sys.exit(f"loop_check.py: quintet calibrate ended with {done.returncode}")
    return costs


def loop(options, costs, model):
    """What `quintet loop` says of one model: it says it at its end, and the next may be cut off."""
    sizes = options.sizes
    plans = [plan_file(options.out / "plans", sizes, length) for length in sizes.lengths]
    words = [options.quintet, "loop", "--device", "gpu", "--topology", options.topology, "--costs", costs, "--keep-costs"]
    words += ["--model", model, "--plans", *plans, "--steps", options.steps, "--out", options.out / "runs"]
    done = run(words + ["--json", "--busy", "--resume"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"loop_check.py: quintet loop ended with {done.returncode}")
    return json.loads(done.stdout)


def in_interval(row):
    least, most = row["interval_s"]
    return least <= row["measured_s"] <= most


def figures(options, costs):
    """A line for each step as it is known, and one for all."""
    rows, remarks = [], []
    for each in options.sizes.models[: options.models]:
        answer = loop(options, costs, model_file(options.out / "models", options.sizes, *each))
        remarks += [remark for remark in answer["remarks"] if remark not in remarks]
        rows += answer["plans"]
        for row in answer["plans"]:
            yield {"group": "loop", "name": f"{row['model']}, {row['plan']}", **row}
    known = [row for row in rows if "interval_s" in row]
    coverage = {"coverage": sum(map(in_interval, known)) / len(known)} if known else {}
    yield {"group": "whole", "name": "all", **coverage, "remarks": remarks}


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/gpu_loop"))
    parser.add_argument("--topology", default="h200-1")
    parser.add_argument("--time", type=int, default=170)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--models", type=int)
    parser.add_argument("--toy", dest="sizes", action="store_const", const=TOY, default=REAL)
    return parser.parse_args()


def main():
    options = parsed_arguments()
    options.quintet, options.out = options.quintet.resolve(), options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for figure in figures(options, calibrated(options)):
        print(json.dumps(figure), flush=True)


if __name__ == "__main__":
    main()
