#!/usr/bin/python3
"""Fits the cost tables' kernel parameters to published kernel measurements.

usage: calibrate/fit_published.py MEASUREMENTS TABLES [--write]

MEASUREMENTS  folder with kernels_gemm.csv, kernels_gemm_attention_simumax.csv,
              kernels_attention.csv, kernels_memory_bound.csv, kernels_ops_training_aceso_sailor.csv,
              collectives.csv, collectives_vtrain_allreduce_lut.csv
TABLES        folder with a100-sxm-80gb.json and h100-sxm-80gb.json
--write       puts the fitted numbers into the tables; otherwise they are only printed

The formulas are those of sim/cost/kernel_time.h. One parameter set per GPU, operation and type:
never one per row. Errors are |predicted / measured - 1|; `held out` is the error on every fourth
shape when the other three quarters were fitted, over all four ways to do so. The numbers written
are fitted to all shapes. Needs numpy and scipy (Debian: python3-numpy, python3-scipy).
"""

import collections
import csv
import json
import pathlib
import re
import sys

import numpy as np
from scipy.optimize import least_squares

# Vendor's numbers: NVIDIA A100 and H100 datasheets; L2 sizes from the architecture white papers.
GPUS = {
    "a100-sxm-80gb": dict(csv="A100-80GB-SXM", sms=108, peak=312e12, bandwidth=2039e9, cache=40e6),
    "h100-sxm-80gb": dict(csv="H100-SXM", sms=132, peak=989.4e12, bandwidth=3350e9, cache=50e6),
}
# What CUTLASS offers for the type on this architecture and the fit gives work to.
TILES = {
    "a100-sxm-80gb": [(256, 128), (128, 256), (128, 128), (256, 64), (64, 256), (128, 64),
                      (64, 128), (64, 64), (32, 128), (32, 64)],
    "h100-sxm-80gb": [(256, 128), (128, 256), (192, 128), (128, 192), (128, 128), (256, 64),
                      (64, 256), (64, 192), (128, 64), (64, 128), (64, 64)],
}


def rows(folder, name, **wanted):
    with open(folder / name, newline="") as file:
        return [row for row in csv.DictReader(file)
                if all(row[key] == value for key, value in wanted.items())]


def medians(samples):
    """[(shape, seconds)] -> shapes as an array, and the median time of each."""
    grouped = collections.defaultdict(list)
    for shape, time in samples:
        grouped[shape].append(time)
    shapes = sorted(grouped)
    return np.array(shapes, float), np.array([np.median(grouped[s]) for s in shapes])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def fit(model, start, shapes, times, tries=3):
    """Least squares on log(predicted / measured), outliers damped; the best of several starts."""
    random = np.random.default_rng(1)
    best = None
    for attempt in range(tries):
        guess = np.array(start, float)
        guess += random.normal(0, 0.2, len(guess)) * (attempt > 0)
        found = least_squares(lambda p: np.log(model(p, shapes) / times), guess, loss="soft_l1",
                              f_scale=0.05, diff_step=1e-3)
        if best is None or found.cost < best.cost:
            best = found
    return best.x


def evaluate(title, model, start, shapes, times, tries=3):
    final = fit(model, start, shapes, times, tries)
    held = np.zeros(len(times))
    fold = np.unique(shapes, axis=0, return_inverse=True)[1].ravel() % 4
    for out in range(4):
        p = fit(model, start, shapes[fold != out], times[fold != out], tries)
        held[fold == out] = np.abs(model(p, shapes[fold == out]) / times[fold == out] - 1)
    inside = np.abs(model(final, shapes) / times - 1)
    text = (f"{len(times)} shapes: median {100 * np.median(inside):.1f} % p90 {100 * np.percentile(inside, 90):.1f} %, "
            f"held out median {100 * np.median(held):.1f} % p90 {100 * np.percentile(held, 90):.1f} %")
    print(f"{title}: {text}")
    return final, text


# ------------------------------------------------------------------------------------------ GEMM

def gemm_parameters(p):
    return dict(start=np.exp(p[0]) * 1e-6, memory_efficiency=sigmoid(p[1]),
                wave_smoothing=sigmoid(p[2]), k_half=np.exp(p[3]), sharpness=1 + np.exp(p[4]),
                efficiencies=sigmoid(p[5:]))


def gemm_times(p, shapes, gpu, tiles, element=2, batch=1):
    m, n, k = shapes[:, 0], shapes[:, 1], shapes[:, 2]
    v = gemm_parameters(p)
    compute = np.inf
    for (tile_m, tile_n), efficiency in zip(tiles, v["efficiencies"]):
        waves = np.ceil(m / tile_m) * np.ceil(n / tile_n) * batch / gpu["sms"]
        waves += (1 - v["wave_smoothing"]) * (np.ceil(waves) - waves)
        rate = gpu["peak"] / gpu["sms"] * efficiency
        compute = np.minimum(compute, waves * 2 * tile_m * tile_n * (k + v["k_half"]) / rate)
    # one-byte operands still give results of two bytes
    bytes_moved = batch * (element * (m * k + k * n) + max(element, 2) * m * n)
    memory = bytes_moved / (gpu["bandwidth"] * v["memory_efficiency"])
    x = v["sharpness"]
    return v["start"] + (compute ** x + memory ** x) ** (1 / x)


def fit_gemm(folder, name):
    gpu, tiles = GPUS[name], TILES[name]
    shapes, times = medians(
        ((int(r["m"]), int(r["n"]), int(r["k"])), float(r["time_us"]) * 1e-6)
        for r in rows(folder, "kernels_gemm.csv", gpu=gpu["csv"], dtype="fp16"))
    start = [np.log(4), 1.5, 0, np.log(60), 1] + [1.0] * len(tiles)
    p, text = evaluate(f"{name} GEMM fp16", lambda q, s: gemm_times(q, s, gpu, tiles), start, shapes,
                       times)
    for tokens in sorted(set(shapes[:, 0])):
        here = shapes[:, 0] == tokens
        ratio = gemm_times(p, shapes[here], gpu, tiles) / times[here] - 1
        print(f"    M = {tokens:.0f}: median {100 * np.median(np.abs(ratio)):.1f} %, "
              f"bias {100 * np.median(ratio):+.1f} %")
    return p, text


def fit_fp8(folder, half):
    """DeepGEMM on H800 (18 dense shapes): the half types' tiles and start, another peak, hence
    another efficiency scale and depth."""
    name = "h100-sxm-80gb"
    gpu = dict(GPUS[name], peak=1978.9e12)
    shapes, times = medians(
        ((int(r["m"]), int(r["n"]), int(r["k"])), float(r["time_us"]) * 1e-6)
        for r in rows(folder, "kernels_gemm.csv", library="DeepGEMM", op="gemm"))

    def parameters(q):
        p = np.array(half)
        p[0], p[3] = q[0], q[1]
        p[5:] = half[5:] + q[2]
        return p

    def model(q, s):
        return gemm_times(parameters(q), s, gpu, TILES[name], element=1)

    q, text = evaluate("h100-sxm-80gb GEMM fp8", model, [np.log(2), np.log(128), 0], shapes, times)
    return parameters(q), text


def fit_layouts(folder, name, card, p):
    """Time of the B and W products over the forward product's, same card, after its own scale."""
    gpu, tiles = GPUS[name], TILES[name]
    scale = {}
    for layout in ("TN", "NN", "NT"):
        ratios = []
        for r in rows(folder, "kernels_gemm_attention_simumax.csv", gpu=card, op="matmul",
                      layout=layout):
            if layout == "NT" and r["out_dtype"] != "fp32":
                continue
            m, n, k = (float(r[x]) for x in "mnk")
            time = 2 * m * n * k / (float(r["tflops"]) * 1e12)
            ratios.append(time / gemm_times(p, np.array([[m, n, k]]), gpu, tiles)[0])
        scale[layout] = np.median(ratios)
    factors = scale["NN"] / scale["TN"], scale["NT"] / scale["TN"]
    print(f"{card} layouts: forward x{scale['TN']:.3f} of our time, input gradient "
          f"{factors[0]:.3f}, weight gradient {factors[1]:.3f} of forward")
    return factors


# ------------------------------------------------------------------------------------- attention

FIELDS = ["forward_efficiency", "backward_efficiency", "length_half", "causal_length_half",
          "forward_waves_half", "backward_waves_half", "head_dim_exponent"]


def attention_parameters(p):
    return dict(zip(FIELDS, [sigmoid(p[0]), sigmoid(p[1])] + list(np.exp(p[2:7]))))


def attention_times(p, shapes, gpu):
    """Columns: pass (0 forward, 1 backward, 2 both), causal, batch, heads, length, head_dim, index
    of the scale in p (-1: none) for rows of another card or library version."""
    kind, causal, batch, heads, length, dim, scaled = shapes.T
    v = attention_parameters(p)
    length_half = np.where(causal > 0, v["causal_length_half"], v["length_half"])
    waves = batch * heads * np.ceil(length / 128) / gpu["sms"]
    common = (np.minimum(1, dim / 128) ** v["head_dim_exponent"] * length / (length + length_half))
    work = 4 * batch * heads * length ** 2 * dim * np.where(causal > 0, 0.5, 1) / gpu["peak"]
    start = 5e-6  # assumed, as in the tables; the shapes take 0.1 ms and more
    forward = start + work / (v["forward_efficiency"] * common * waves /
                              (waves + v["forward_waves_half"]))
    backward = start + 2.5 * work / (v["backward_efficiency"] * common * waves /
                                     (waves + v["backward_waves_half"]))
    scales = np.concatenate([np.exp(p[7:]), [1.0]])
    return (forward * (kind != 1) + backward * (kind != 0)) * scales[scaled.astype(int)]


def attention_samples(found, scaled):
    for r in found:
        if not r["tflops"] or r["sliding_window"] or r["head_dim"] != r["head_dim_v"]:
            continue
        causal = r["causal"] == "True"
        kind = {"fwd": 0, "bwd": 1, "fwd+bwd": 2}[r["pass"]]
        shape = [float(r[x]) for x in ("batch", "heads", "seq", "head_dim")]
        work = 4 * shape[0] * shape[1] * shape[2] ** 2 * shape[3] * (0.5 if causal else 1)
        time = work * [1, 2.5, 3.5][kind] / (float(r["tflops"]) * 1e12)
        yield (kind, causal, *shape, scaled), time


def simumax_attention(folder, card):
    for r in rows(folder, "kernels_gemm_attention_simumax.csv", gpu=card):
        if not r["op"].startswith("sdp") or "qk_head_dim=128" not in r["shape_raw"]:
            continue
        heads = float(r["shape_raw"].split("head_num=")[1].split(",")[0])
        backward = r["op"] == "sdp_bwd"
        # printed with the full work of an unmasked kernel, though the mask is causal
        work = 4 * heads * 4096.0 ** 2 * 128 * (2.5 if backward else 1)
        yield (int(backward), True, 1, heads, 4096, 128, 0), work / (float(r["tflops"]) * 1e12)


def fit_attention(folder, name):
    gpu = GPUS[name]
    if name.startswith("a100"):
        samples = list(attention_samples(
            rows(folder, "kernels_attention.csv", gpu=gpu["csv"], kernel="FlashAttention-2"), -1))
        samples += simumax_attention(folder, "A100-PCIe-80GB")
    else:
        samples = []
        for kernel in ("FlashAttention-3", "cuDNN"):
            samples += attention_samples(
                rows(folder, "kernels_attention.csv", gpu=gpu["csv"], kernel=kernel), -1)
        samples += attention_samples(
            rows(folder, "kernels_attention.csv", gpu="H200-SXM", dtype="bf16"), 0)
    # kernels of one shape stay apart: two libraries are two rows
    samples.sort()
    shapes, times = np.array([s for s, _ in samples], float), np.array([t for _, t in samples])
    p, text = evaluate(f"{name} flash attention", lambda q, s: attention_times(q, s, gpu),
                       [0.5, 0.3, 5, 6, -1, -1, -1.5, 0], shapes, times)
    for kind, word in enumerate(("forward", "backward", "both")):
        here = (shapes[:, 0] == kind) & (shapes[:, 6] == -1)
        if here.any():
            error = np.abs(attention_times(p, shapes[here], gpu) / times[here] - 1)
            print(f"    {word} on this card: {here.sum()} shapes, median "
                  f"{100 * np.median(error):.1f} %, p90 {100 * np.percentile(error, 90):.1f} %")
    print(f"    {attention_parameters(p)}, other card's time x{np.exp(p[7]):.3f}")
    return attention_parameters(p), text


# --------------------------------------------------------------------------------- memory-bound

ROWS_PER_SM = 2  # vLLM's norm: 1024 threads a row, of the 2048 that an SM holds


def memory_times(p, shapes, gpu):
    """With four parameters in whole waves of rows."""
    moved = shapes[:, 0] * shapes[:, 1] * shapes[:, 2]
    start, bandwidth, cached = np.exp(p[0]) * 1e-6, np.exp(p[1]) * 1e12, np.exp(p[2]) * 1e12
    resident = np.clip(2 - 2 * moved / gpu["cache"], 0, 1)
    if len(p) > 3:
        waves = shapes[:, 0] / (gpu["sms"] * ROWS_PER_SM)
        start = start + np.ceil(waves) * np.exp(p[3]) * 1e-6
        moved = moved * np.ceil(waves) / waves
    return start + moved * (resident / cached + (1 - resident) / bandwidth)


def memory_samples(folder, name, operation, tensors):
    """`tensors` of two bytes per element move. Phi-2's rows are other kernels (LayerNorm, plain
    GELU, two additions) under the same names and stay out."""
    for r in rows(folder, "kernels_memory_bound.csv", gpu=GPUS[name]["csv"], op=operation):
        if "phi-2" not in r["notes"]:
            yield (int(r["rows"]), int(r["cols"]), 2 * tensors), float(r["time_ms"]) * 1e-3


def fit_memory(folder, name, operation, tensors):
    gpu = GPUS[name]
    shapes, times = medians(memory_samples(folder, name, operation, tensors))
    start = [1, 0.3, 0.5] + [-0.5] * (operation == "input_layernorm")
    p, text = evaluate(f"{name} {operation}", lambda q, s: memory_times(q, s, gpu), start, shapes,
                       times)
    large = times > 8e-6
    error = np.abs(memory_times(p, shapes[large], gpu) / times[large] - 1)
    print(f"    above 8 us (timer: 1 us): {large.sum()} shapes, median {100 * np.median(error):.1f} %")
    entry = dict(start=f"{digits(np.exp(p[0]))} us", bandwidth=f"{digits(np.exp(p[1]) * 1e3)} GB/s",
                 cached=f"{digits(np.exp(p[2]) * 1e3)} GB/s", fit=text)
    if len(p) > 3:
        entry.update(rows_per_multiprocessor=ROWS_PER_SM, wave_start=f"{digits(np.exp(p[3]))} us")
    return entry


def training_rates(folder, card):
    """Bytes per second of Megatron's kernels at the largest micro-batch, by operation and pass."""
    found = rows(folder, "kernels_ops_training_aceso_sailor.csv", gpu=card, mbs="8", tp="1")
    rates = collections.defaultdict(list)
    for r in found:
        tokens, h, f = 8 * float(r["seq"]), float(r["hidden"]), float(r["ffn"])
        scores = 8 * float(r["heads"]) * float(r["seq"]) ** 2
        # bytes forward, backward; two per element, causal softmax reads half, dropout masks: one
        moved = {"enc-1st-layernorm": (4 * tokens * h, 6 * tokens * h),
                 "enc-2nd-layernorm": (4 * tokens * h, 6 * tokens * h),
                 "enc-MLP-gelu": (4 * tokens * f, 6 * tokens * f),
                 "enc-attention-softmax": (3 * scores, 4 * scores),
                 "enc-attention-dropout": (5 * scores, 5 * scores)}.get(r["op"])
        if moved is None:
            continue
        rates[r["op"], "forward"].append(moved[0] / float(r["fwd_us"]) / 1e6)
        rates[r["op"], "backward"].append(moved[1] / float(r["bwd_us"]) / 1e6)
    medians_of = {key: float(np.median(values)) for key, values in rates.items()}
    for key, value in sorted(medians_of.items()):
        print(f"{card} {key[0]} {key[1]}: {value:.3f} TB/s, from {np.min(rates[key]):.3f} "
              f"to {np.max(rates[key]):.3f}")
    return medians_of


# --------------------------------------------------------------------------------- communication

# Latency (us) and bandwidth (GB/s) of NCCL 2.28's tuner for an all-reduce of 8 GPUs in a node:
# ring LL, LL128 and Simple, then NVLS.
NCCL = {
    "a100-sxm-80gb": [(15.0, 50.1), (40.6, 126.2), (56.0, 137.1)],
    "h100-sxm-80gb": [(15.0, 80.6), (40.6, 189.3), (56.0, 205.7), (25.0, 272.0)],
}
SWEEP = {
    "a100-sxm-80gb": dict(file="collectives_vtrain_allreduce_lut.csv", gpu="A100"),
    "h100-sxm-80gb": dict(file="collectives.csv", gpu="H100-SXM"),
}


def fit_communication(folder, name):
    sweep = SWEEP[name]
    found = [(float(r["bytes"]), float(r["time_us"]) * 1e-6)
             for r in rows(folder, sweep["file"], gpu=sweep["gpu"], ranks="8", nodes="1",
                           collective="all_reduce")]
    sizes, times = np.array(found).T
    latencies, bandwidths = np.array(NCCL[name]).T * [[1e-6], [1e9]]
    every = latencies + sizes[:, None] / bandwidths
    chosen = every.argmin(axis=1)

    def model(p, _):
        return (latencies[chosen] * np.exp(p[0]) +
                sizes / (bandwidths[chosen] * np.exp(p[1])))

    p = fit(model, [0, 0], None, times)
    error, unfitted = (np.abs(t / times - 1) for t in (model(p, None), every.min(axis=1)))
    print(f"{name} all-reduce: {len(times)} sizes, latency x{np.exp(p[0]):.2f}, bandwidth "
          f"x{np.exp(p[1]):.3f}, median error {100 * np.median(error):.1f} %, with factors of 1 "
          f"{100 * np.median(unfitted):.1f} %")
    return dict(bandwidth_factor=digits(np.exp(p[1]), 3), latency_factor=digits(np.exp(p[0]), 3))


# ---------------------------------------------------------------------------------------- tables

def digits(value, count=4):
    return float(f"{value:.{count}g}")


def gemm_fields(entry, p, tiles, text):
    v = gemm_parameters(p)
    entry.update(
        tiles=[dict(m=m, n=n, efficiency=digits(e)) for (m, n), e in zip(tiles, v["efficiencies"])],
        start=f"{digits(v['start'] * 1e6)} us", k_half=digits(v["k_half"]),
        wave_smoothing=digits(v["wave_smoothing"]), sharpness=digits(v["sharpness"]),
        memory_efficiency=digits(v["memory_efficiency"]))
    entry["fit"] = text


def lines_joined(table):
    """JSON text with tiles and type lists on one line each."""
    text = json.dumps(table, indent=2)
    text = re.sub(r"[\[{]\n\s+[^\[\]{}]{1,90}\n\s+[\]}]",
                  lambda part: re.sub(r"\s*\n\s*", " ", part[0]), text)
    return text + "\n"


def write_table(path, fitted, communication):
    table = json.loads(path.read_text())
    for part, key, wanted, fields in fitted:
        for entry in table[part]:
            if entry[key] == wanted:
                entry.update(fields)
    table["communication"].update(communication)
    path.write_text(lines_joined(table))


def fit_table(folder, name):
    fitted = []
    half, half_text = fit_gemm(folder, name)
    entry = {}
    gemm_fields(entry, half, TILES[name], half_text)
    if name.startswith("a100"):
        factors = fit_layouts(folder, name, "A100-PCIe-80GB", half)
        entry.update(input_gradient=digits(factors[0], 3), weight_gradient=digits(factors[1], 3))
    fitted.append(("gemm", "types", ["bf16", "fp16"], entry))
    if name.startswith("h100"):
        eight, text = fit_fp8(folder, half)
        entry = {}
        gemm_fields(entry, eight, TILES[name], text)
        fitted.append(("gemm", "types", ["fp8"], entry))
    attention, text = fit_attention(folder, name)
    fitted.append(("attention", "kernel", "flash",
                   dict({k: digits(v) for k, v in attention.items()}, fit=text)))
    for operation, csv_name, tensors in (("norm", "input_layernorm", 2),
                                         ("activation", "mlp_act", 3), ("elementwise", "add", 3)):
        entry = fit_memory(folder, name, csv_name, tensors)
        fitted.append(("memory", "operation", operation, entry))
    return fitted


def main(arguments):
    if len(arguments) not in (2, 3) or (len(arguments) == 3 and arguments[2] != "--write"):
        sys.exit(__doc__)
    folder, tables = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    for name in GPUS:
        fitted = fit_table(folder, name)
        communication = fit_communication(folder, name)
        if len(arguments) == 3:
            write_table(tables / f"{name}.json", fitted, communication)
    for card in ("A100-40GB-SXM", "GH200-96GB"):
        training_rates(folder, card)


if __name__ == "__main__":
    main(sys.argv[1:])
