#!/usr/bin/env python3
"""Whole training steps in PyTorch, to set beside ours: one line of JSON per model.

  torch_step.py [MODEL...] [--weights master|autocast] [--eager] [--steps N] [--batch N]
  torch_step.py --cpu            a toy on the CPU, to check the script

MODEL       one or more of models.py; all of them without
--weights   master (as our engine): bf16 weights and gradients, fp32 masters and moments; autocast: fp32
            weights, bf16 products. Both with fused AdamW and gradient clipping; without --weights: both
--eager     without torch.compile

A step is a micro-batch or several, forward and backward, clipping at norm 1 and the update, on random tokens; the
median of N steps (default 20) after 5. Models and the formula of MFU are those of models.py.
"""
import argparse
import dataclasses
import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

import machine
from models import FORMULA, SHAPES, TOYS

class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * self.weight


def attend(query, key, value):
    if key.shape[1] != query.shape[1]:
        group = query.shape[1] // key.shape[1]
        key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5
    scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    return functional.softmax(scores, dim=-1) @ value


def rotated(x, cosines, sines):
    left, right = x.chunk(2, dim=-1)
    return torch.cat((left * cosines - right * sines, right * cosines + left * sines), dim=-1).to(x.dtype)


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape, self.size = shape, shape.width // shape.heads
        gpt2 = shape.family == "gpt2"
        norm = nn.LayerNorm if gpt2 else RmsNorm
        self.norm1, self.norm2 = norm(shape.width), norm(shape.width)
        self.qkv = nn.Linear(shape.width, (shape.heads + 2 * shape.key_heads) * self.size, bias=gpt2)
        self.output = nn.Linear(shape.width, shape.width, bias=gpt2)
        self.up = nn.Linear(shape.width, shape.inner * (1 if gpt2 else 2), bias=gpt2)
        self.down = nn.Linear(shape.inner, shape.width, bias=gpt2)

    def attention(self, x, cosines, sines):
        batch, length, _ = x.shape
        parts = self.qkv(x).view(batch, length, -1, self.size).transpose(1, 2)
        query, key, value = parts.split((self.shape.heads, self.shape.key_heads, self.shape.key_heads), dim=1)
        if self.shape.family == "llama":
            query, key = rotated(query, cosines, sines), rotated(key, cosines, sines)
        return self.output(attend(query, key, value).transpose(1, 2).reshape(batch, length, -1))

    def inner(self, x):
        if self.shape.family == "gpt2":
            return self.down(functional.gelu(self.up(x), approximate="tanh"))
        gate, up = self.up(x).chunk(2, dim=-1)
        return self.down(functional.silu(gate) * up)

    def forward(self, x, cosines, sines):
        x = x + self.attention(self.norm1(x), cosines, sines)
        return x + self.inner(self.norm2(x))


class Model(nn.Module):
    """GPT-2 ties its output to the token table; Llama of this size does not."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.tokens = nn.Embedding(shape.vocabulary, shape.width)
        gpt2 = shape.family == "gpt2"
        self.positions = nn.Embedding(shape.length, shape.width) if gpt2 else None
        self.head = None if gpt2 else nn.Linear(shape.width, shape.vocabulary, bias=False)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = (nn.LayerNorm if gpt2 else RmsNorm)(shape.width)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
        size = shape.width // shape.heads
        angles = torch.outer(torch.arange(shape.length).float(), 10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cosines", angles.cos(), persistent=False)
        self.register_buffer("sines", angles.sin(), persistent=False)

    def forward(self, tokens, targets):
        x = self.tokens(tokens)
        if self.positions is not None:
            x = x + self.positions.weight
        for block in self.blocks:
            x = block(x, self.cosines, self.sines)
        weight = self.tokens.weight if self.head is None else self.head.weight
        logits = functional.linear(self.norm(x), weight)
        return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def parameters_in_products(model):
    """What models.py counts by formula."""
    idle = model.positions if model.head is None else model.tokens
    return sum(p.numel() for p in model.parameters()) - idle.weight.numel()


class MasterWeights:
    """bf16 weights for the products; fp32 masters with their moments for the update."""

    def __init__(self, model, fused):
        model.to(torch.bfloat16)
        self.working = list(model.parameters())
        self.masters = [p.detach().float().clone().requires_grad_() for p in self.working]
        for master in self.masters:
            master.grad = torch.empty_like(master)
        self.optimizer = adamw(self.masters, fused)

    def step(self):
        copy_all([master.grad for master in self.masters], [working.grad for working in self.working])
        for working in self.working:
            working.grad = None
        torch.nn.utils.clip_grad_norm_(self.masters, 1.0)
        self.optimizer.step()
        copy_all(self.working, self.masters)


class PlainWeights:
    def __init__(self, model, fused):
        self.parameters = list(model.parameters())
        self.optimizer = adamw(self.parameters, fused)

    def step(self):
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


@torch.no_grad()
def copy_all(to, of):
    if hasattr(torch, "_foreach_copy_"):
        torch._foreach_copy_(to, of)
        return
    for one, other in zip(to, of):
        one.copy_(other)


def adamw(parameters, fused):
    more = {"fused": True} if fused else {}
    return torch.optim.AdamW(parameters, lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, **more)


def step_seconds(model, weights, shape, device, autocast, steps):
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    times = []
    for step in range(5 + steps):
        texts = torch.randint(shape.vocabulary, (shape.micro_batches, shape.batch, shape.length + 1), device=device)
        wait()
        start = time.perf_counter()
        for text in texts:
            with torch.autocast(device, dtype=torch.bfloat16, enabled=autocast):
                loss = model(text[:, :-1], text[:, 1:]) / shape.micro_batches
            loss.backward()
        weights.step()
        wait()
        if step >= 5:
            times.append(time.perf_counter() - start)
    assert torch.isfinite(loss), "the loss is not a number"
    return sorted(times)


def peak_tflops(device):
    if device != "cuda":
        return None
    return machine.find_gpu().peak_tflops


def measure(shape, device, kind, compiled, steps):
    torch.manual_seed(1)
    raw = Model(shape).to(device)
    weights = (MasterWeights if kind == "master" else PlainWeights)(raw, fused=device == "cuda")
    if compiled:
        torch._dynamo.reset()
    model = torch.compile(raw) if compiled else raw
    seconds = step_seconds(model, weights, shape, device, kind == "autocast", steps)
    median, peak = statistics.median(seconds), peak_tflops(device)
    return {
        "name": shape.name,
        "by": f"PyTorch {torch.__version__}, {'compiled' if compiled else 'eager'}, {kind}",
        "milliseconds": 1e3 * median,
        "lowest_ms": 1e3 * seconds[0],
        "highest_ms": 1e3 * seconds[-1],
        "runs": len(seconds),
        "tokens_per_s": shape.tokens / median,
        "tokens": shape.tokens,
        "flop_per_token": shape.flop_per_token,
        "mfu": None if peak is None else shape.mfu(median, peak),
        "peak_tflops": peak,
        "formula": FORMULA,
        "parameters": sum(p.numel() for p in raw.parameters()),
        "parameters_in_products": parameters_in_products(raw),
        "peak_memory_bytes": torch.cuda.max_memory_allocated() if device == "cuda" else None,
    }


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--weights", choices=("master", "autocast"))
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int)
    arguments = parser.parse_args()
    for model in arguments.models:
        if model not in SHAPES:
            parser.error(f"there is no model {model!r}; there are {', '.join(SHAPES)}")
    return arguments


def main():
    arguments = parsed_arguments()
    device = "cpu" if arguments.cpu else "cuda"
    torch.set_float32_matmul_precision("high")
    shapes = list(TOYS.values()) if arguments.cpu else [SHAPES[name] for name in arguments.models or SHAPES]
    for shape in shapes:
        shape = dataclasses.replace(shape, batch=arguments.batch or shape.batch)
        for kind in [arguments.weights] if arguments.weights else ["master", "autocast"]:
            compiled = not arguments.eager and not arguments.cpu
            try:
                found = measure(shape, device, kind, compiled, arguments.steps)
            except RuntimeError as failure:  # no memory, no compiler
                found = {"name": f"{shape.name}, {kind}", "left_out": str(failure).splitlines()[0]}
            print(json.dumps(found), flush=True)
            if device == "cuda":
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()


if __name__ == "__main__":
    sys.exit(main())
