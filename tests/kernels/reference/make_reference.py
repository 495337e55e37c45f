#!/usr/bin/python3
"""Writes what PyTorch makes of small random inputs, for torch_test.cpp to compare with.

Debian 12: apt-get install --no-install-recommends python3-torch, then
  /usr/bin/python3 tests/kernels/reference/make_reference.py
Each file holds arrays: a line "name count", then a line of fp32 numbers. All is computed in double
and rounded at the end.
"""
import math
import pathlib

import torch
import torch.nn.functional as functional

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
FOLDER = pathlib.Path(__file__).parent


def random(*shape):
    """Numbers that are exact in fp32, so that both sides start from the same."""
    return torch.randn(*shape).float().double().requires_grad_()


def write(name, arrays):
    with open(FOLDER / f"{name}.txt", "w", encoding="ascii") as file:
        file.write(f"# PyTorch {torch.__version__}, make_reference.py\n")
        for key, values in arrays.items():
            flat = values.detach().flatten().float().tolist()
            file.write(f"{key} {len(flat)}\n" + " ".join(f"{value:.9g}" for value in flat) + "\n")


def layer_norm():
    x, weight, bias, upstream = random(3, 20), random(20), random(20), random(3, 20)
    y = functional.layer_norm(x, (20,), weight, bias, eps=1e-5)
    y.backward(upstream)
    write("layer_norm", dict(x=x, weight=weight, bias=bias, upstream=upstream, y=y,
                             x_gradient=x.grad, weight_gradient=weight.grad,
                             bias_gradient=bias.grad))


def gelu():
    arrays = {}
    for form in ("none", "tanh"):
        x, upstream = random(40), random(40)
        y = functional.gelu(3 * x, approximate=form)
        y.backward(upstream)
        arrays.update({f"{form}_x": 3 * x, f"{form}_upstream": upstream, f"{form}_y": y,
                       f"{form}_x_gradient": x.grad / 3})
    write("gelu", arrays)


def attention():
    """Causal, 4 query heads on 2 key heads of size 6, 7 tokens; rows [token, head, size]."""
    query, key, value, upstream = random(7, 4, 6), random(7, 2, 6), random(7, 2, 6), random(7, 4, 6)
    wide_key, wide_value = key.repeat_interleave(2, 1), value.repeat_interleave(2, 1)
    scores = torch.einsum("qhd,khd->hqk", query, wide_key) / math.sqrt(6)
    scores = scores.masked_fill(torch.ones(7, 7, dtype=torch.bool).triu(1), -math.inf)
    y = torch.einsum("hqk,khd->qhd", torch.softmax(scores, -1), wide_value)
    y.backward(upstream)
    write("attention", dict(query=query, key=key, value=value, upstream=upstream, y=y,
                            log_sum_exp=torch.logsumexp(scores, -1), query_gradient=query.grad,
                            key_gradient=key.grad, value_gradient=value.grad))


def cross_entropy():
    logits = random(4, 23)
    targets = torch.tensor([5, 22, -100, 0])
    loss = functional.cross_entropy(logits, targets, ignore_index=-100, reduction="none")
    loss.sum().backward()
    write("cross_entropy", dict(logits=logits, targets=targets, loss=loss, gradient=logits.grad))


def rotary():
    """Llama's rotate_half as in Hugging Face transformers: x cos + [-x2, x1] sin."""
    x, upstream = random(5, 2, 8), random(5, 2, 8)
    angle = torch.arange(5).double()[:, None] * 10000.0 ** (-torch.arange(0, 8, 2).double() / 8)
    cosine, sine = (torch.cat((f, f), -1)[:, None, :] for f in (angle.cos(), angle.sin()))
    turned = torch.cat((-x[..., 4:], x[..., :4]), -1)
    y = x * cosine + turned * sine
    y.backward(upstream)
    write("rotary", dict(x=x, upstream=upstream, y=y, x_gradient=x.grad))


def adamw():
    parameter = random(30)
    start = parameter.detach().clone()
    optimizer = torch.optim.AdamW([parameter], lr=0.01, betas=(0.9, 0.95), eps=1e-8,
                                  weight_decay=0.1)
    gradients = [random(30) for _ in range(4)]
    for gradient in gradients:
        parameter.grad = gradient.detach().clone()
        optimizer.step()
    write("adamw", dict(start=start, gradients=torch.stack(gradients), parameter=parameter))


def clip():
    parameter = random(30)
    gradient = random(30)
    parameter.grad = gradient.detach().clone()
    norm = torch.nn.utils.clip_grad_norm_([parameter], 1.0)
    write("clip", dict(gradient=gradient, norm=norm, clipped=parameter.grad))


for make in (layer_norm, gelu, attention, cross_entropy, rotary, adamw, clip):
    make()
