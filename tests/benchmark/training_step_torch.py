#!/usr/bin/python3
"""The step of training_step_benchmark.cpp in PyTorch (Debian: python3-torch), eager, on the CPU.

  training_step_torch.py [SEQUENCES LENGTH STEPS THREADS [fp32|bf16 [wall|thread]]]

GPT-2 124M without dropout, tied embeddings, gradient clipping, torch.optim.AdamW (with and without
foreach, the faster counts). Random weights and tokens. Last line: "pytorch MILLISECONDS ms/step", the
median step.
"""
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

LAYERS, HEADS, HIDDEN, VOCABULARY, POSITIONS = 12, 12, 768, 50257, 1024


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.output = nn.Linear(HIDDEN, HIDDEN)
        self.up = nn.Linear(HIDDEN, 4 * HIDDEN)
        self.down = nn.Linear(4 * HIDDEN, HIDDEN)

    def attention(self, hidden, mask):
        sequences, length, _ = hidden.shape
        query, key, value = (
            part.view(sequences, length, HEADS, HIDDEN // HEADS).transpose(1, 2)
            for part in self.qkv(hidden).split(HIDDEN, dim=2)
        )
        if hasattr(functional, "scaled_dot_product_attention"):
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            scores = (query @ key.transpose(-2, -1)) * (HIDDEN // HEADS) ** -0.5
            scores = scores.masked_fill(mask[:length, :length], float("-inf"))
            mixed = functional.softmax(scores, dim=-1) @ value
        return self.output(mixed.transpose(1, 2).reshape(sequences, length, HIDDEN))

    def forward(self, hidden, mask):
        hidden = hidden + self.attention(self.norm1(hidden), mask)
        activated = functional.gelu(self.up(self.norm2(hidden)), approximate="tanh")
        return hidden + self.down(activated)


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, HIDDEN)
        self.positions = nn.Embedding(POSITIONS, HIDDEN)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(HIDDEN)
        mask = torch.triu(torch.ones(POSITIONS, POSITIONS, dtype=torch.bool), diagonal=1)
        self.register_buffer("mask", mask)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, targets):
        hidden = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            hidden = block(hidden, self.mask)
        logits = self.norm(hidden) @ self.tokens.weight.t()
        return functional.cross_entropy(logits.view(-1, VOCABULARY).float(), targets.view(-1))


def median_step(model, sequences, length, steps, low, foreach, clock):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.1, foreach=foreach)
    times = []
    for step in range(steps + 2):
        text = torch.randint(VOCABULARY, (sequences, length + 1))
        start = clock()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=low):
            loss = model(text[:, :-1], text[:, 1:].reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step >= 2:
            times.append(1e3 * (clock() - start))
    return statistics.median(times)


def main():
    given = sys.argv[1:] + ["4", "64", "8", "1", "fp32", "wall"][len(sys.argv) - 1 :]
    sequences, length, steps, threads = map(int, given[:4])
    low = given[4] == "bf16"
    clock = time.process_time if given[5] == "thread" else time.perf_counter
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Gpt2()
    both = {
        foreach: median_step(model, sequences, length, steps // 2, low, foreach, clock)
        for foreach in (False, True)
    }
    best = min(both, key=both.get)
    print(f"PyTorch {torch.__version__}, {threads} threads, foreach: {best}", file=sys.stderr)
    print(f"pytorch-{given[4]} {both[best]:.1f} ms/step")


if __name__ == "__main__":
    main()
