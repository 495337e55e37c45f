#!/usr/bin/env python3
"""Calibrates this machine's GPU once, then predicts and runs 6 models x 2 sequence lengths that calibration has
not seen: one line of JSON per step that was predicted and run.

  loop_check.py QUINTET [--out FOLDER] [--time SECONDS] [--steps N] [--models N]

QUINTET     the program, with quintet-run and quintet-calibrate beside it
--out       where tables, probes, runs and comparisons go; what is there of an earlier call is used again
--time      for probes of operators (default 170); copies and launches take some seconds more
--steps     of each run that count (default 8); as many again are recorded
--models    only the first N

Probes are GPTs and Llamas of 512 to 1536 and sequences of 512 and 1024; the models have other widths between, and
sequences of 640 and 896. Everything is computed in bf16 and launched as graphs.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEAD = 64  # width of a head
LEAST, MOST = 512, 1536
LONGEST, TOKENS = 1024, 16384  # that curves hold for: of a sequence, of a micro-batch
LENGTHS = (640, 896)
SEQUENCES = 16  # of a micro-batch: 10,240 and 14,336 tokens
VOCABULARY = 8192  # small: each run begins by drawing its weights, on one core
# Family, width, layers: none is a probe's.
MODELS = (
    ("gpt", 640, 8),
    ("llama", 768, 8),
    ("gpt", 960, 6),
    ("llama", 1152, 6),
    ("gpt", 1216, 4),
    ("llama", 1344, 4),
)


def gpt(width, layers):
    return {
        "model_type": "gpt2",
        "n_layer": layers,
        "n_embd": width,
        "n_head": width // HEAD,
        "n_positions": LONGEST,
        "vocab_size": VOCABULARY,
        "activation_function": "gelu_new",
        "resid_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "tie_word_embeddings": True,
    }


def llama(width, layers):
    return {
        "model_type": "llama",
        "num_hidden_layers": layers,
        "hidden_size": width,
        "num_attention_heads": width // HEAD,
        "num_key_value_heads": width // HEAD,
        "head_dim": HEAD,
        "intermediate_size": round(2.69 * width / HEAD) * HEAD,  # as Llama 2's
        "max_position_embeddings": LONGEST,
        "vocab_size": VOCABULARY,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-05,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
    }


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n")
    return path


def model_file(folder, family, width, layers):
    config = {"gpt": gpt, "llama": llama}[family](width, layers)
    return written(folder / f"{family}-{width}-{layers}" / "config.json", config)


def plan_file(folder, length):
    parallelism = {
        "sequence_length": length,
        "micro_batch": SEQUENCES,
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
    probes = [model_file(options.out / "probes", family, LEAST, 4) for family in ("gpt", "llama")]
    words = [options.quintet, "calibrate", "--device", "gpu", "--topology", "h200-1", "-o", costs]
    words += ["--smallest", LEAST, "--largest", MOST, "--length", LONGEST, "--tokens", TOKENS, "--busy"]
    words += ["--time", options.time] + [word for model in probes for word in ("--model", model)]
    done = run(words, stdout=sys.stderr)
    if done.returncode != 0:
        sys.exit(f"loop_check.py: quintet calibrate ended with {done.returncode}")
    return costs


def loop(options, costs):
    models = [model_file(options.out / "models", *each) for each in MODELS[: options.models]]
    plans = [plan_file(options.out / "plans", length) for length in LENGTHS]
    words = [options.quintet, "loop", "--device", "gpu", "--topology", "h200-1", "--costs", costs, "--keep-costs"]
    words += ["--model", *models, "--plans", *plans, "--steps", options.steps, "--out", options.out / "runs"]
    done = run(words + ["--json", "--busy", "--resume"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"loop_check.py: quintet loop ended with {done.returncode}")
    return json.loads(done.stdout)


def figures(answer):
    """A line each, and one for what the loop says of all."""
    for row in answer["plans"]:
        yield {"group": "loop", "name": f"{row['model']}, {row['plan']}", **row}
    whole = {key: answer[key] for key in ("median_error", "p90_error", "coverage", "kendall_tau") if key in answer}
    yield {"group": "whole", "name": "all", **whole, "remarks": answer["remarks"]}


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/gpu_loop"))
    parser.add_argument("--time", type=int, default=170)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--models", type=int, default=len(MODELS))
    return parser.parse_args()


def main():
    options = parsed_arguments()
    options.quintet, options.out = options.quintet.resolve(), options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for figure in figures(loop(options, calibrated(options))):
        print(json.dumps(figure), flush=True)


if __name__ == "__main__":
    main()
