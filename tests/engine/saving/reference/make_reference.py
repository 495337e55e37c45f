#!/usr/bin/python3
"""Writes small models, their gradients, and the models after one step, for torch_test.cpp.

Debian 12: apt-get install --no-install-recommends python3-torch, then
  /usr/bin/python3 tests/engine/saving/reference/make_reference.py
Weights and names are those of Hugging Face's transformers; the forward passes are written after its
modeling_gpt2.py, modeling_llama.py and modeling_bert.py. All is computed in double and rounded at
the end.
"""
import json
import math
import pathlib
import struct

import torch
import torch.nn.functional as functional

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
FOLDER = pathlib.Path(__file__).parent
LAYERS, HIDDEN, VOCABULARY, LENGTH, ROWS = 2, 8, 13, 6, 4
LEARNING_RATE, DECAY, EPSILON = 0.01, 0.1, 1e-3

TOKENS = torch.tensor([(7 * i + 3) % VOCABULARY for i in range(ROWS * LENGTH)])
TARGETS = torch.tensor([(5 * i + 1) % VOCABULARY if i % 3 != 2 else -1
                        for i in range(ROWS * LENGTH)])


def write(name, tensors):
    """https://github.com/huggingface/safetensors, README "Format"."""
    header, data = {}, b""
    for key, value in tensors.items():
        content = struct.pack(f"<{value.numel()}f", *value.detach().flatten().tolist())
        header[key] = dict(dtype="F32", shape=list(value.shape),
                           data_offsets=[len(data), len(data) + len(content)])
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (FOLDER / f"{name}.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def draw(shapes):
    weights = {}
    for name, shape in shapes.items():
        value = 0.3 * torch.randn(*shape)
        norm = len(shape) == 1 and name.endswith("weight")
        weights[name] = (value + 1 if norm else value).float().double().requires_grad_()
    return weights


def layer_norm(x, weights, name):
    return functional.layer_norm(x, (HIDDEN,), weights[name + ".weight"], weights[name + ".bias"],
                                 eps=1e-5)


def attention(query, key, value, causal):
    """[rows, heads, length, size]; fewer key heads than query heads are shared."""
    share = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(share, 1), value.repeat_interleave(share, 1)
    scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[-1])
    if causal:
        mask = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(mask, -math.inf)
    mixed = torch.softmax(scores, -1) @ value
    return mixed.transpose(1, 2).flatten(2)


def heads(x, count):
    return x.view(ROWS, LENGTH, count, -1).transpose(1, 2)


def loss_of(logits):
    return functional.cross_entropy(logits.view(-1, VOCABULARY), TARGETS, ignore_index=-1)


def gpt2_shapes():
    shapes = {"transformer.wte.weight": (VOCABULARY, HIDDEN),
              "transformer.wpe.weight": (LENGTH, HIDDEN)}
    for layer in range(LAYERS):
        name = f"transformer.h.{layer}."
        for norm in ("ln_1", "ln_2"):
            shapes[name + norm + ".weight"] = shapes[name + norm + ".bias"] = (HIDDEN,)
        for part, wide, narrow in (("attn.c_attn", HIDDEN, 3 * HIDDEN),
                                   ("attn.c_proj", HIDDEN, HIDDEN),
                                   ("mlp.c_fc", HIDDEN, 4 * HIDDEN),
                                   ("mlp.c_proj", 4 * HIDDEN, HIDDEN)):
            shapes[name + part + ".weight"] = (wide, narrow)
            shapes[name + part + ".bias"] = (narrow,)
    shapes["transformer.ln_f.weight"] = shapes["transformer.ln_f.bias"] = (HIDDEN,)
    return shapes


def gpt2(w):
    def conv1d(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    x = w["transformer.wte.weight"][TOKENS.view(ROWS, LENGTH)] + w["transformer.wpe.weight"]
    for layer in range(LAYERS):
        name = f"transformer.h.{layer}."
        parts = conv1d(layer_norm(x, w, name + "ln_1"), name + "attn.c_attn").split(HIDDEN, -1)
        mixed = attention(*(heads(part, 4) for part in parts), True)
        x = x + conv1d(mixed, name + "attn.c_proj")
        up = conv1d(layer_norm(x, w, name + "ln_2"), name + "mlp.c_fc")
        x = x + conv1d(functional.gelu(up, approximate="tanh"), name + "mlp.c_proj")
    return loss_of(layer_norm(x, w, "transformer.ln_f") @ w["transformer.wte.weight"].T)


def llama_shapes():
    """Four query heads and two key heads of four: wider than the hidden size."""
    shapes = {"model.embed_tokens.weight": (VOCABULARY, HIDDEN)}
    for layer in range(LAYERS):
        name = f"model.layers.{layer}."
        shapes[name + "input_layernorm.weight"] = (HIDDEN,)
        for part, out, into in (("self_attn.q_proj", 16, HIDDEN), ("self_attn.k_proj", 8, HIDDEN),
                                ("self_attn.v_proj", 8, HIDDEN), ("self_attn.o_proj", HIDDEN, 16),
                                ("mlp.gate_proj", 12, HIDDEN), ("mlp.up_proj", 12, HIDDEN),
                                ("mlp.down_proj", HIDDEN, 12)):
            shapes[name + part + ".weight"] = (out, into)
        shapes[name + "post_attention_layernorm.weight"] = (HIDDEN,)
    shapes["model.norm.weight"] = (HIDDEN,)
    shapes["lm_head.weight"] = (VOCABULARY, HIDDEN)
    return shapes


def llama(w):
    angle = torch.arange(LENGTH).double()[:, None] * 10000.0 ** (-torch.arange(0, 4, 2) / 4.0)
    cosine, sine = (torch.cat((f, f), -1) for f in (angle.cos(), angle.sin()))

    def turned(x):
        return x * cosine + torch.cat((-x[..., 2:], x[..., :2]), -1) * sine

    def norm(x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w[name + ".weight"]

    x = w["model.embed_tokens.weight"][TOKENS.view(ROWS, LENGTH)]
    for layer in range(LAYERS):
        name = f"model.layers.{layer}."
        y = norm(x, name + "input_layernorm")
        query, key, value = (heads(y @ w[f"{name}self_attn.{part}_proj.weight"].T, count)
                             for part, count in (("q", 4), ("k", 2), ("v", 2)))
        mixed = attention(turned(query), turned(key), value, True)
        x = x + mixed @ w[name + "self_attn.o_proj.weight"].T
        y = norm(x, name + "post_attention_layernorm")
        gate = functional.silu(y @ w[name + "mlp.gate_proj.weight"].T)
        x = x + (gate * (y @ w[name + "mlp.up_proj.weight"].T)) @ w[name + "mlp.down_proj.weight"].T
    return loss_of(norm(x, "model.norm") @ w["lm_head.weight"].T)


def bert_shapes():
    shapes = {}

    def dense(name, out, into):
        shapes[name + ".weight"], shapes[name + ".bias"] = (out, into), (out,)

    def norm(name):
        shapes[name + ".weight"] = shapes[name + ".bias"] = (HIDDEN,)

    for table, rows in (("word", VOCABULARY), ("position", LENGTH), ("token_type", 2)):
        shapes[f"bert.embeddings.{table}_embeddings.weight"] = (rows, HIDDEN)
    norm("bert.embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"bert.encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            dense(name + "attention.self." + part, HIDDEN, HIDDEN)
        dense(name + "attention.output.dense", HIDDEN, HIDDEN)
        norm(name + "attention.output.LayerNorm")
        dense(name + "intermediate.dense", 12, HIDDEN)
        dense(name + "output.dense", HIDDEN, 12)
        norm(name + "output.LayerNorm")
    dense("cls.predictions.transform.dense", HIDDEN, HIDDEN)
    norm("cls.predictions.transform.LayerNorm")
    shapes["cls.predictions.bias"] = (VOCABULARY,)
    dense("bert.pooler.dense", HIDDEN, HIDDEN)
    dense("cls.seq_relationship", 2, HIDDEN)
    return shapes


def bert(w):
    def dense(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    table = "bert.embeddings.{}_embeddings.weight"
    types = torch.tensor([0] * (LENGTH // 2) + [1] * (LENGTH // 2))
    x = (w[table.format("word")][TOKENS.view(ROWS, LENGTH)] + w[table.format("position")]
         + w[table.format("token_type")][types])
    x = layer_norm(x, w, "bert.embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"bert.encoder.layer.{layer}."
        parts = (heads(dense(x, f"{name}attention.self.{part}"), 4)
                 for part in ("query", "key", "value"))
        mixed = dense(attention(*parts, False), name + "attention.output.dense")
        x = layer_norm(x + mixed, w, name + "attention.output.LayerNorm")
        up = functional.gelu(dense(x, name + "intermediate.dense"))
        x = layer_norm(x + dense(up, name + "output.dense"), w, name + "output.LayerNorm")
    y = functional.gelu(dense(x, "cls.predictions.transform.dense"))
    y = layer_norm(y, w, "cls.predictions.transform.LayerNorm")
    return loss_of(y @ w[table.format("word")].T + w["cls.predictions.bias"])


def taken_as_one(name):
    """Tensors whose trust ratio is one: those that our kernels take as one."""
    for part in (".q_proj", ".k_proj", ".v_proj", ".query", ".key", ".value"):
        name = name.replace(part, ".qkv")
    return name.replace(".gate_proj", ".up_proj")


def lamb(weights):
    """arXiv 1904.00962, algorithm 2, first step: the corrected moments are g and g^2."""
    groups, after = {}, {}
    for name, weight in weights.items():
        decay = DECAY if weight.dim() > 1 else 0.0
        direction = weight.grad / (weight.grad.abs() + EPSILON) + decay * weight.detach()
        groups.setdefault(taken_as_one(name), []).append((name, weight.detach(), direction))
    for members in groups.values():
        size = math.sqrt(sum(float(weight.pow(2).sum()) for _, weight, _ in members))
        step = math.sqrt(sum(float(each.pow(2).sum()) for _, _, each in members))
        ratio = size / step if size > 0 and step > 0 else 1.0
        for name, weight, direction in members:
            after[name] = weight - LEARNING_RATE * ratio * direction
    return {name: after[name] for name in weights}


def adamw(weights):
    copies = {name: weight.detach().clone().requires_grad_() for name, weight in weights.items()}
    for name, copy in copies.items():
        copy.grad = weights[name].grad.clone()
    groups = [dict(params=[copy for copy in copies.values() if (copy.dim() > 1) == matrices],
                   weight_decay=DECAY if matrices else 0.0) for matrices in (True, False)]
    torch.optim.AdamW(groups, lr=LEARNING_RATE, eps=EPSILON).step()
    return copies


def sgd(weights, forward):
    """Two steps on the same batch: the second one is where momentum tells."""
    copies = {name: weight.detach().clone().requires_grad_() for name, weight in weights.items()}
    groups = [dict(params=[copy for copy in copies.values() if (copy.dim() > 1) == matrices],
                   weight_decay=DECAY if matrices else 0.0) for matrices in (True, False)]
    optimizer = torch.optim.SGD(groups, lr=LEARNING_RATE, momentum=0.9)
    for _ in range(2):
        optimizer.zero_grad(set_to_none=False)
        forward(copies).backward()
        for copy in copies.values():
            copy.grad = torch.zeros_like(copy) if copy.grad is None else copy.grad
        optimizer.step()
    return copies


losses = {}
for family, shapes, forward in (("gpt2", gpt2_shapes(), gpt2), ("llama", llama_shapes(), llama),
                                ("bert", bert_shapes(), bert)):
    weights = draw(shapes)
    loss = forward(weights)
    loss.backward()
    for weight in weights.values():  # BERT's pooler and classifier have no part in this loss
        weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
    losses[family] = loss
    write(f"{family}_weights", weights)
    write(f"{family}_gradients", {name: weight.grad for name, weight in weights.items()})
    write(f"{family}_adamw", adamw(weights))
    write(f"{family}_lamb", lamb(weights))
    write(f"{family}_sgd", sgd(weights, forward))
write("losses", {name: loss.view(1) for name, loss in losses.items()})
