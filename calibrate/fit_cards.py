#!/usr/bin/python3
"""Fits and writes the cost tables of cards that fit_published.py does not: B200, GB200, H200,
GH200, A100-40GB, V100 and three GeForce/Titan cards.

usage: calibrate/fit_cards.py MEASUREMENTS TABLES [--write]

MEASUREMENTS  as for fit_published.py
TABLES        folder with a100-sxm-80gb.json and h100-sxm-80gb.json, whose numbers a card without
              measurements of its own takes over, as a share of the vendor's rate where there is one
--write       writes the tables; otherwise the errors are only printed

Formulas, error and held-out shapes as in fit_published.py, except that all tiles of a card share
one efficiency: these cards have a few dozen to 150 shapes, too few for a rate of each tile.
"""

import copy
import json
import pathlib
import sys

import numpy as np

from fit_published import (attention_parameters, attention_samples, attention_times, digits,
                           evaluate, gemm_fields, gemm_times, lines_joined, medians, memory_times,
                           rows)

TILES = [(256, 256), (256, 128), (128, 256), (128, 128), (256, 64), (64, 256), (128, 64), (64, 128),
         (64, 64)]
SIMUMAX = "github MooreThreads/SimuMax@4dcaae5 b200 configuration"
SUSTAINED = 0.92
SAILOR = ("github eth-easl/sailor@cf2c8e3cc5 Aceso profile of Megatron's kernels on this card, "
          "fp16, host clock")
CUDNN = "github NVIDIA/cudnn-frontend@3929da2ef4 benchmark"

# Vendor's numbers; donor: whose parameters fill what was not measured.
CARDS = {
    "b200-sxm-180gb": dict(
        gpu="B200-SXM-180GB", donor="h100-sxm-80gb", sms=148, peak=2250e12, eight=4500e12,
        bandwidth=8000e9, cache=126e6, attention="GB200", norm="GB200", gemm="simumax",
        vendor="NVIDIA HGX B200 data sheet (2250 TFLOP/s bf16 dense, 8 TB/s); 148 SMs and 126 MB "
               "of L2 as the runtime reports them"),
    "gb200-sxm-186gb": dict(
        gpu="GB200-SXM-186GB", donor="h100-sxm-80gb", sms=152, peak=2500e12, eight=5000e12,
        bandwidth=8000e9, cache=126e6, attention="GB200", norm="GB200", gemm="b200-sxm-180gb",
        vendor="NVIDIA GB200 NVL72 data sheet (2500 TFLOP/s bf16 dense and 8 TB/s per GPU); 152 "
               "SMs as the runtime reports them, 126 MB of L2 as B200"),
    "h200-sxm-141gb": dict(
        gpu="H200-SXM-141GB", donor="h100-sxm-80gb", sms=132, peak=989.4e12, eight=1978.9e12,
        bandwidth=4800e9, cache=50e6, attention="H200-SXM", norm="H200", gemm="h100-sxm-80gb",
        vendor="NVIDIA H200 data sheet: H100's compute, 4800 GB/s"),
    "gh200-96gb": dict(
        gpu="GH200-96GB", donor="h100-sxm-80gb", sms=132, peak=989.4e12, eight=1978.9e12,
        bandwidth=4000e9, cache=50e6, attention=None, norm="GH200-96GB", gemm="GH200-96GB",
        vendor="NVIDIA GH200 data sheet (96 GB HBM3: H100's compute, 4000 GB/s)"),
    "a100-sxm-40gb": dict(
        gpu="A100-SXM-40GB", donor="a100-sxm-80gb", sms=108, peak=312e12, bandwidth=1555e9,
        cache=40e6, attention=None, norm="A100-40GB-SXM", gemm="A100-40GB-SXM",
        vendor="NVIDIA A100 data sheet (40 GB: 1555 GB/s)"),
    "v100-sxm-32gb": dict(
        gpu="V100-SXM-32GB", donor="a100-sxm-80gb", sms=80, peak=125e12, bandwidth=900e9,
        cache=6e6, attention=None, norm="V100-16GB-SXM", gemm="V100-16GB-SXM",
        vendor="NVIDIA V100 data sheet (125 TFLOP/s fp16, 900 GB/s; 6 MB L2 of the white paper); "
               "measured on the 16 GB card, which differs in memory size only"),
}


def spec(card):
    return {key: card[key] for key in ("sms", "peak", "bandwidth", "cache")}


# ------------------------------------------------------------------------------------------ GEMM

def shared(p):
    return np.concatenate([p[:5], np.full(len(TILES), p[5])])


def simumax_samples(folder, layout):
    for r in rows(folder, "kernels_gemm_attention_simumax.csv", gpu="B200-SXM", op="matmul",
                  layout=layout, in_dtype="bf16"):
        if layout == "NT" and r["out_dtype"] != "fp32":
            continue
        m, n, k = (int(r[x]) for x in "mnk")
        yield (m, n, k), 2 * m * n * k / (float(r["tflops"]) * 1e12)


def sailor_samples(folder, card):
    """With several GPUs the rows contain the all-reduce, below half a millisecond the host's
    clock and dispatch (0.1 to 0.25 ms): both stay out. So do the rows of q, k and v: beside the
    product they copy its result (their time is longer by that result read and written once)."""
    for r in rows(folder, "kernels_ops_training_aceso_sailor.csv", gpu=card, tp="1"):
        if r["op"] in ("enc-attention-dense", "enc-MLP-GEMM-1", "enc-MLP-GEMM-2") \
                and r["gemm_m"] and float(r["fwd_us"]) > 500:
            yield tuple(int(r["gemm_" + x]) for x in "mnk"), float(r["fwd_us"]) * 1e-6


def fit_scaled(title, samples, gpu, donor):
    """Large GEMMs only: efficiency and waves are fitted, the rest is the donor's."""
    shapes, times = medians(samples)
    other = donor["gemm"][0]
    share = other["memory_efficiency"]
    fixed = [np.log(float(other["start"].split()[0])), np.log(share / (1 - share)), 0,
             np.log(other["k_half"]), np.log(other["sharpness"] - 1), 0]

    def parameters(q):
        return shared(np.array(fixed[:2] + [q[0]] + fixed[3:5] + [q[1]]))

    q, text = evaluate(title, lambda q, s: gemm_times(parameters(q), s, gpu, TILES), [0, 0.8],
                       shapes, times)
    return parameters(q), f"above 0.5 ms, 2 parameters, {text}"


def fit_shared(title, samples, gpu):
    shapes, times = medians(samples)
    start = [np.log(4), 1.5, 0, np.log(60), 1, 0.5]
    p, text = evaluate(title, lambda q, s: gemm_times(shared(q), s, gpu, TILES), start, shapes,
                       times, tries=2)
    return shared(p), f"6 parameters, {text}"


def layout_factors(folder, p, gpu):
    scale = {}
    for layout in ("TN", "NN", "NT"):
        shapes, times = medians(simumax_samples(folder, layout))
        ratio = times / gemm_times(p, shapes, gpu, TILES)
        scale[layout] = np.median(ratio)
        error = np.abs(1 / (ratio / scale[layout]) - 1)
        print(f"    layout {layout}: x{scale[layout]:.3f}, then median error "
              f"{100 * np.median(error):.1f} %")
    return digits(scale["NN"] / scale["TN"], 3), digits(scale["NT"] / scale["TN"], 3)


def fit_gemm(folder, name, card, done):
    """The entry of the half types: fitted, or another card's with this one's vendor numbers."""
    entry = dict(types=["bf16", "fp16"], peak=f"{card['peak'] / 1e12:g} TFLOP/s")
    if card["gemm"] == "simumax":
        p, text = fit_shared(f"{name} GEMM", simumax_samples(folder, "TN"), spec(card))
        gemm_fields(entry, p, TILES, text)
        factors = layout_factors(folder, p, spec(card))
        entry.update(input_gradient=factors[0], weight_gradient=factors[1], sustained=SUSTAINED)
        entry["source"] = (SIMUMAX + ", bf16 (layouts TN; NN and NT with fp32 accumulation for the "
                           "gradient factors), one efficiency for all tiles. The rows fall into "
                           "two states, 0.63 and 0.49 of peak, which no shape tells apart; the "
                           "median keeps to the slower, that of long runs. sustained: one free "
                           "parameter, from SimuMax's steps: summing these very rows it falls 4 to "
                           "8 % below its own measured time per micro-batch at tensor degrees 1 to "
                           "4 (none at 8); the power limit is assumed the cause")
    elif card["gemm"] in done:
        entry = copy.deepcopy(done[card["gemm"]]["gemm"][0])
        entry.pop("fit", None)
        entry.pop("sustained", None)  # seen on air-cooled B200 only
        entry["peak"] = f"{card['peak'] / 1e12:g} TFLOP/s"
        if name.startswith("gb200"):
            for tile in entry["tiles"]:
                tile["efficiency"] = digits(tile["efficiency"] * 0.73 / 0.78)
            entry["source"] = ("B200's parameters, efficiencies times 0.73 / 0.78: the best shares "
                               "of peak of the two cards in github stas00/ml-engineering (MAMF); no "
                               "GEMM sweep published for this card")
        else:
            entry["source"] = (f"{card['gemm']}'s parameters with this card's memory bandwidth (same "
                               "compute); no GEMM sweep published for this card")
    else:
        p, text = fit_scaled(f"{name} GEMM", sailor_samples(folder, card["gemm"]), spec(card),
                             done[card["donor"]])
        gemm_fields(entry, p, TILES, text)
        entry.update(input_gradient=1.0, weight_gradient=1.05)
        entry["source"] = (SAILOR + " (forward weight GEMMs of OPT-350M, GPT-Neo-2.7B, OPT-30B), above "
                           "0.5 ms; one efficiency for all tiles and wave_smoothing fitted, the rest "
                           + done[card["donor"]]["gpu"] + "'s; gradient factors assumed as on A100 (that "
                           "profile's backward times are of one product only)")
        if name.startswith("v100"):
            entry["types"] = ["fp16"]
    return entry


# ------------------------------------------------------------------------------------- attention

def bundled_simumax(folder):
    """B200's scaled_dot_product rows, printed with the full work though the mask is causal."""
    for r in rows(folder, "kernels_gemm_attention_simumax.csv", gpu="B200-SXM"):
        if not r["op"].startswith("sdp") or "qk_head_dim=128" not in r["shape_raw"]:
            continue
        value = dict(part.strip().split("=") for part in r["shape_raw"].split(","))
        backward = r["op"] == "sdp_bwd"
        heads, length = float(value["head_num"]), float(value["seq_len"])
        work = 4 * heads * length ** 2 * 128 * (2.5 if backward else 1)
        yield (int(backward), True, 1, heads, length, 128, -1), work / (float(r["tflops"]) * 1e12)


def fit_attention(folder, name, card, donor):
    entry = copy.deepcopy(donor["attention"][0])
    if card["attention"] is None:
        entry.pop("fit", None)
        entry["source"] = ("assumed: " + donor["gpu"] + "'s shares of peak; no fused attention rows "
                           "published for this card")
        if name.startswith("v100"):
            entry["types"] = ["fp16"]
        return entry
    found = [r for r in rows(folder, "kernels_attention.csv", gpu=card["attention"], dtype="bf16")
             if r["deterministic_bwd"] != "True"]
    own = name.startswith("b200")
    samples = list(attention_samples(found, 0 if own else -1))
    if own:
        samples += bundled_simumax(folder)
    grouped = {}
    for shape, time in samples:
        grouped.setdefault(tuple(float(x) for x in shape), []).append(time)
    order = sorted(grouped)
    shapes, times = np.array(order), np.array([np.median(grouped[s]) for s in order])
    p, text = evaluate(f"{name} flash attention", lambda q, s: attention_times(q, s, spec(card)),
                       [0.5, 0.3, 5, 6, -1, -1, -1.5, 0], shapes, times, tries=2)
    entry.update({key: digits(value) for key, value in attention_parameters(p).items()})
    entry["fit"] = f"7 parameters, {text}"
    entry["source"] = (CUDNN + f" on {card['attention']}, bf16, forward and backward"
                       + (", after that card's own scale (x%.3f), and " % np.exp(p[7]) + SIMUMAX +
                          " (causal)" if own else "") + "; start assumed")
    return entry


# --------------------------------------------------------------------------------- memory-bound

def cudnn_norms(folder, card, which):
    for r in rows(folder, "kernels_memory_bound.csv", gpu=card, backend="cudnn", dtype="bf16"):
        if r["pass"] == which:
            yield ((int(r["rows"]), int(r["cols"]), 4 if which == "fwd" else 6),
                   float(r["time_ms"]) * 1e-3)


def fit_cudnn_norm(folder, name, card):
    shapes, times = medians(cudnn_norms(folder, card["norm"], "fwd"))

    def model(q, s):
        return memory_times(q, s, spec(card))

    p, text = evaluate(f"{name} norm", model, [1, np.log(card["bandwidth"] / 2e12), 1], shapes,
                       times)
    shapes_back, back = medians(cudnn_norms(folder, card["norm"], "bwd"))
    large = back > 30e-6
    ratio = float(np.median((back / model(p, shapes_back))[large]))
    return dict(operation="norm", bandwidth=f"{digits(np.exp(p[1]) * 1e3)} GB/s",
                cached=f"{digits(np.exp(p[2]) * 1e3)} GB/s", start=f"{digits(np.exp(p[0]))} us",
                backward_factor=digits(ratio, 3),
                source=f"{CUDNN} (cuDNN's norms) on {card['norm']}; backward: median over its large "
                       "shapes",
                fit=f"3 parameters, {text}")


# Megatron's kernels in the profile whose clock is the host's. Rows and columns of the tensor, bytes
# moved per element forward and backward: two per element, a causal softmax reads half, a mask's
# elements take one.
HOST_CLOCK = {
    "norm": (("enc-1st-layernorm", "enc-2nd-layernorm", "final-layernorm"), 4, 6),
    "activation": (("enc-MLP-gelu",), 4, 6),
    "softmax": (("enc-attention-softmax",), 3, 4),
    "dropout": (("enc-attention-dropout",), 5, 5),
}
WIDE = 2048  # columns, as in sim/cost/memory_time.cpp


def host_clock_samples(folder, card, operation, which):
    words, forward, backward = HOST_CLOCK[operation]
    for r in rows(folder, "kernels_ops_training_aceso_sailor.csv", gpu=card):
        time = float(r[which + "_us"] or 0) * 1e-6
        if r["op"] not in words or not 0 < time < 1:  # failed runs are entered as 10 s
            continue
        mbs, seq, tp = int(r["mbs"]), int(r["seq"]), int(r["tp"])
        shape = {"norm": (mbs * seq, int(r["hidden"])),
                 "activation": (mbs * seq, int(r["ffn"]) // tp)}.get(
                     operation, (mbs * int(r["heads"]) // tp * seq, seq))
        yield (*shape, forward if which == "fwd" else backward), time


def host_clock_times(q, shapes, start):
    """The host takes exp(q[0]) us to issue an operation: shorter ones are not seen. Then the start,
    and bytes at exp(q[1]) TB/s; rows wider than WIDE are slower by the power q[2], if given."""
    moved = shapes[:, 0] * shapes[:, 1] * shapes[:, 2]
    if len(q) > 2:
        moved = moved * np.maximum(1, shapes[:, 1] / WIDE) ** q[2]
    return np.maximum(np.exp(q[0]) * 1e-6, start + moved / (np.exp(q[1]) * 1e12))


def fit_host_clock(folder, name, card, operation, start):
    """Bandwidth, power of wide rows and the error's text, forward and backward."""
    found = []
    for which, kernels in (("fwd", 1), ("bwd", 2 if operation == "norm" else 1)):
        shapes, times = medians(host_clock_samples(folder, card["norm"], operation, which))
        first = [4.2, np.log(card["bandwidth"] / 2e12)] + [0.2] * (operation == "norm")

        def model(q, s):
            return host_clock_times(q, s, kernels * start)

        p, text = evaluate(f"{name} {operation} {which}", model, first, shapes, times)
        seen = model(p, shapes) > np.exp(p[0]) * 1.0001e-6
        error = np.abs(model(p, shapes[seen]) / times[seen] - 1)
        text = (f"{len(p)} parameters, {text}; {seen.sum()} longer than the "
                f"host's {np.exp(p[0]):.0f} us: median {100 * np.median(error):.1f} %")
        found.append((np.exp(p[1]) * 1e12, float(p[2]) if len(p) > 2 else 0.0, text))
    return found


def host_clock_entry(folder, name, card, operation, start):
    (forward, wide, text), (backward, wide_back, text_back) = fit_host_clock(folder, name, card,
                                                                             operation, start)
    entry = dict(operation=operation, bandwidth=f"{digits(forward / 1e9)} GB/s",
                 start=f"{digits(start * 1e6)} us", backward_factor=digits(forward / backward, 3))
    if operation == "norm":
        entry.update(columns_exponent=digits(max(0, wide), 3),
                     backward_columns_exponent=digits(max(0, wide_back), 3))
    entry["source"] = f"{SAILOR}, on {card['norm']}; start assumed"
    entry["fit"] = f"forward: {text}. Backward: {text_back}"
    return entry


def fit_memory(folder, name, card, donor):
    entries = []
    host_clock = "GB200" not in card["norm"] and card["norm"] != "H200"
    theirs = float(donor["memory_bandwidth"].split()[0]) * 1e9
    for entry in copy.deepcopy(donor["memory"]):
        operation = entry["operation"]
        if host_clock and operation in HOST_CLOCK:
            start = 8e-6 if operation == "norm" else float(entry["start"].split()[0]) * 1e-6
            entries.append(host_clock_entry(folder, name, card, operation, start))
            continue
        if operation == "norm":
            entries.append(fit_cudnn_norm(folder, name, card))
            continue
        if operation in ("elementwise", "optimizer") and "b200" in name:
            share = 0.90 if operation == "elementwise" else 0.82
            entry = dict(operation=operation, bandwidth=f"{digits(share * 8192)} GB/s",
                         start="2 us" if operation == "elementwise" else "5 us",
                         source=f"STREAM on a card of 152 SMs (Blackwell, 8192 GB/s): {share} of "
                                "peak (addition 0.90, copy 0.82); start assumed")
        else:
            for key in ("bandwidth", "cached"):
                if key in entry:
                    rate = float(entry[key].split()[0]) * card["bandwidth"] / theirs
                    entry[key] = f"{digits(rate)} GB/s"
            entry.pop("fit", None)
            entry["source"] = (f"assumed: {donor['gpu']}'s share of the vendor's bandwidth; not "
                               "measured on this card")
        entries.append(entry)
    return entries


# ---------------------------------------------------------------------------------------- tables

def make_table(folder, name, card, done):
    donor = done[card["donor"]]
    table = copy.deepcopy(donor)
    table.update(name=f"{card['gpu']}, published kernel measurements", gpu=card["gpu"],
                 source=card["vendor"] + "; framework memory and fragmentation assumed as " +
                 donor["gpu"], multiprocessors=card["sms"],
                 memory_bandwidth=f"{card['bandwidth'] / 1e9:g} GB/s",
                 cache=f"{card['cache'] / 1e6:g} MB")
    half = fit_gemm(folder, name, card, done)
    table["gemm"] = [half]
    if "eight" in card:
        eight = copy.deepcopy(donor["gemm"][1])
        eight.pop("fit", None)
        eight["peak"] = f"{card['eight'] / 1e12:g} TFLOP/s"
        if "b200" in name:
            for key in ("start", "wave_smoothing", "sharpness", "memory_efficiency",
                        "input_gradient", "weight_gradient", "sustained"):
                if key in half:
                    eight[key] = half[key]
            eight["tiles"] = copy.deepcopy(half["tiles"])
            eight["k_half"] = half["k_half"]
            eight["source"] = ("assumed: bf16's efficiencies on twice the peak; no fp8 sweep "
                               "published for this card; casts are not in it")
        else:
            eight["source"] = "H100's fp8 parameters (same tensor cores); no rows for this card"
        table["gemm"].append(eight)
    table["attention"] = [fit_attention(folder, name, card, donor)]
    table["memory"] = fit_memory(folder, name, card, donor)
    table["communication"].pop("curves", None)  # fit_collectives.py writes the card's own
    for part in ("launch", "overlap", "communication"):
        table[part]["source"] = f"carried over from {donor['gpu']}: " + table[part]["source"]
    if "b200" in name or name.startswith("gh200"):
        table["copy"].update(host_to_device="55.4 GB/s", device_to_host="55.1 GB/s")
        if name.startswith("g"):
            table["copy"].update(host_to_device="359 GB/s", device_to_host="377 GB/s")
        table["copy"]["device_to_device"] = ("2896 GB/s" if "b200" in name else "1795 GB/s")
        table["copy"]["source"] = (
            "host: NVLink-C2C of GB200/GH200 (github stas00/ml-engineering)" if name.startswith("g")
            else "host: PCIe 5 x16 as H200") + ("; device to device: half of p2pBandwidthLatencyTest "
            "on GB200 (5792 GB/s, read and write counted)" if "b200" in name else "; device to "
            "device: half of the memory bandwidth measured on GH200 (3590 GB/s)") + "; start as H100"
    else:
        rate = float(table["copy"]["device_to_device"].split()[0])
        theirs = float(donor["memory_bandwidth"].split()[0]) * 1e9
        table["copy"]["device_to_device"] = f"{digits(rate * card['bandwidth'] / theirs)} GB/s"
        if name.startswith("v100"):
            table["copy"].update(host_to_device="12.4 GB/s", device_to_host="13.1 GB/s",
                                 device_to_device="386 GB/s")
            table["copy"]["source"] = ("bandwidthTest on V100-PCIE-32GB: pinned, 64 MB; device to "
                                       "device counts read and write (772 GB/s); start: 1 kB copies")
        else:
            table["copy"]["source"] = (f"as {donor['gpu']}, device to device by memory bandwidth; "
                                       + table["copy"]["source"])
    return table


def with_other_types(table, path):
    """GEMM entries of types that are not fitted here, as the file has them."""
    if path.exists():
        fitted = {kind for entry in table["gemm"] for kind in entry["types"]}
        table["gemm"] += [entry for entry in json.loads(path.read_text())["gemm"]
                          if not fitted & set(entry["types"])]
    return table


def main(arguments):
    if len(arguments) not in (2, 3) or (len(arguments) == 3 and arguments[2] != "--write"):
        sys.exit(__doc__)
    folder, tables = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    done = {name: json.loads((tables / f"{name}.json").read_text())
            for name in ("a100-sxm-80gb", "h100-sxm-80gb")}
    for name, card in CARDS.items():
        done[name] = make_table(folder, name, card, done)
        if len(arguments) == 3:
            path = tables / f"{name}.json"
            path.write_text(lines_joined(with_other_types(done[name], path)))


if __name__ == "__main__":
    main(sys.argv[1:])
