#!/usr/bin/env python3
"""PyTorch's scaled_dot_product_attention at the shapes of benchmark/attention.cpp, by each of its GPU
kernels: one line of JSON per figure. Timed as there: events, L2 overwritten before every run, median of
30 after 5 warm-ups.

  torch_attention.py [--cpu]     --cpu: tiny shapes on the CPU, to check the script
"""
import json
import statistics
import sys
import time

import torch
from torch.nn import functional

SHAPES = [  # batch, length, heads, key heads, head size, causal
    (1, 2048, 64, 8, 128, True),
    (1, 4096, 64, 8, 128, True),
    (1, 8192, 64, 8, 128, True),
    (1, 4096, 64, 8, 128, False),
    (2, 4096, 32, 32, 128, True),
    (2, 4096, 32, 8, 64, True),
    (1, 8192, 32, 8, 64, True),
    (16, 1024, 12, 12, 64, True),
    (8, 1024, 25, 25, 64, True),
]
TINY = [(2, 16, 4, 2, 8, True), (1, 16, 2, 2, 8, False)]
RUNS, WARM_UP = 30, 5


def name(pass_name, shape):
    batch, length, heads, key_heads, size, causal = shape
    return f"{pass_name} {'causal' if causal else 'full'} {batch} x {length} heads {heads}/{key_heads} of {size}"


def forward_work(shape):
    batch, length, heads, _, size, causal = shape
    return 4.0 * batch * heads * size * length * length / (2 if causal else 1)


def seconds_on_gpu(work):
    filler = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for _ in range(WARM_UP):
        work()
    pairs = []
    for _ in range(RUNS):
        filler.zero_()
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        work()
        last.record()
        pairs.append((first, last))
    torch.cuda.synchronize()
    return sorted(first.elapsed_time(last) / 1e3 for first, last in pairs)


def seconds_on_cpu(work):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)


def report(by, title, work, seconds):
    median = statistics.median(seconds)
    found = {"group": "attention", "name": title, "by": by, "figure": work / median / 1e12, "unit": "TFLOP/s", "work": work}
    print(json.dumps({**found, "median_s": median, "lowest_s": seconds[0], "highest_s": seconds[-1], "runs": len(seconds)}), flush=True)


def time_shape(by, shape, attend, device, kind, seconds_of):
    batch, length, heads, key_heads, size, causal = shape

    def random(of_heads):
        return torch.randn(batch, of_heads, length, size, device=device, dtype=kind, requires_grad=True)

    query, key, value = random(heads), random(key_heads), random(key_heads)
    with torch.no_grad():
        report(by, name("forward", shape), forward_work(shape), seconds_of(lambda: attend(query, key, value, causal)))
    output = attend(query, key, value, causal)
    upstream = torch.randn_like(output)

    def backward():
        torch.autograd.grad(output, (query, key, value), upstream, retain_graph=True)

    report(by, name("backward", shape), 2.5 * forward_work(shape), seconds_of(backward))


def attend_by_torch(query, key, value, causal):
    return functional.scaled_dot_product_attention(query, key, value, is_causal=causal, enable_gqa=True)


def attend_by_hand(query, key, value, causal):
    group = query.shape[1] // key.shape[1]
    key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    return functional.softmax(scores, dim=-1) @ value


def on_gpu():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    for by, backend in (("PyTorch, cuDNN", SDPBackend.CUDNN_ATTENTION), ("PyTorch, flash", SDPBackend.FLASH_ATTENTION)):
        for shape in SHAPES:
            try:
                with sdpa_kernel(backend):
                    time_shape(by, shape, attend_by_torch, "cuda", torch.bfloat16, seconds_on_gpu)
            except RuntimeError as failure:
                title = f"{name('forward and backward', shape)}, {by}"
                print(json.dumps({"name": title, "left_out": str(failure).splitlines()[0]}), flush=True)


if __name__ == "__main__":
    if "--cpu" in sys.argv:
        for tiny in TINY:
            time_shape("PyTorch, by hand", tiny, attend_by_hand, "cpu", torch.float32, seconds_on_cpu)
    else:
        on_gpu()
