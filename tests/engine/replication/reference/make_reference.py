#!/usr/bin/python3
"""Steps of replicators by numpy, for replication_test.cpp: DeMo, Random, Striding, DiLoCo, and every n-th step.

    /usr/bin/python3 make_reference.py > replicators.txt

Written from the papers (arXiv 2411.19870, 2502.06728, 2311.08105; papers' code for what they leave open), not from
Quintet's. Transforms are by the definition of the DCT-II in float64; what is kept from step to step is float32.
"""
import numpy as np

f32 = np.float32
LAYER = [(1, 16), (1, 16), (16, 48), (1, 48), (16, 16), (1, 16), (1, 16), (1, 16), (16, 32), (1, 32), (32, 16), (1, 16)]
LENGTHS = [[(1, 16), (1, 16)], LAYER, LAYER, [(24, 16), (16, 16)]]  # of the toy's tensors, as they lie: head to embedding
UNITS = [[0, 1], [2, 3]]  # sections that are exchanged together
RATE, WEIGHT_DECAY = f32(0.05), f32(0.1)
EVERY_SO_MANY = 61


def count(section):
    return sum(r * c for r, c in LENGTHS[section])


BEGIN = np.cumsum([0] + [count(s) for s in range(len(LENGTHS))])
MATRIX = np.concatenate([np.full(r * c, r > 1) for s in LENGTHS for r, c in s])


def numbers(which, step, replica):
    """The made-up gradients (which 1) and weights (0) of all elements, from -1 to 1."""
    i = np.arange(BEGIN[-1], dtype=np.uint64)
    h = (i * 2654435761 + np.uint64(replica * 2246822519 + step * 3266489917 + which * 668265263)) % 2**32
    h ^= h >> np.uint64(15)
    h = h * np.uint64(2246822519) % 2**32
    h ^= h >> np.uint64(13)
    return (h / 2.0**31 - 1).astype(f32)


def basis(n):
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    return np.sqrt(np.where(i == 0, 1.0, 2.0) / n) * np.cos(np.pi * (2 * j + 1) * i / (2 * n))


def chunk_length(dimension, target):
    return max(n for n in range(1, min(dimension, target) + 1) if dimension % n == 0)


def bf16(x):
    bits = np.asarray(x, f32).view(np.uint32).astype(np.uint64)
    return (((bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16) << np.uint64(16))
            .astype(np.uint32).view(f32))


def philox(seed, step, first, n):
    """Word (first + i) % 4 of Philox4x32-10 for the counter {(first + i) / 4, step}, for each i below n."""
    number = np.uint64(first) + np.arange(n, dtype=np.uint64)
    block = number // np.uint64(4)
    low = np.uint64(0xFFFFFFFF)
    c = [block & low, block >> np.uint64(32), np.full(n, step & 0xFFFFFFFF, np.uint64), np.full(n, step >> 32, np.uint64)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [b >> np.uint64(32) ^ c[1] ^ np.uint64(key[0]), b & low, a >> np.uint64(32) ^ c[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.choose((number % np.uint64(4)).astype(int), c)


class Line:
    """What one rank of a sharding group has of a unit: flat elements (-1: padding), and how they are chunked."""

    def __init__(self, unit, shards, position, plan):
        flat, self.blocks = [], []
        for section in UNITS[unit]:
            n = count(section)
            share = -(-n // shards)
            mine = np.arange(position * share, (position + 1) * share)
            flat.append(np.where(mine < n, BEGIN[section] + mine, -1))
        self.flat = np.concatenate(flat)
        if plan["kind"] != "demo":
            return
        chunk = plan["chunk"]
        if shards > 1:
            self.flat = np.concatenate([self.flat, np.full(-len(self.flat) % chunk, -1)])
            places = np.arange(len(self.flat)).reshape(-1, 1, chunk)
            self.blocks = list(places)
            return
        at = 0
        for section in UNITS[unit]:
            for rows, columns in LENGTHS[section]:
                places = at + np.arange(rows * columns).reshape(rows, columns)
                a, b = chunk_length(rows, chunk), chunk_length(columns, chunk)
                self.blocks += [places[r:r + a, c:c + b] for r in range(0, rows, a) for c in range(0, columns, b)]
                at += rows * columns


def dct(block):
    return basis(block.shape[0]) @ block.astype(np.float64) @ basis(block.shape[1]).T


def inverse(block):
    return basis(block.shape[0]).T @ block.astype(np.float64) @ basis(block.shape[1])


def sent_type(plan):
    return bf16 if plan.get("value_type") == "bf16" else f32


def demo(line, momenta, plan):
    """The replicas' momenta are changed in place; returns what all merge."""
    kept = []
    for m in momenta:
        mine, rest = [], np.zeros(len(m))
        for block in line.blocks:
            q = dct(m[block]).astype(f32)
            order = np.argsort(-np.abs(q.ravel()), kind="stable")[:plan["top_k"]]
            values = np.zeros(q.size)
            values[order] = sent_type(plan)(q.ravel()[order])
            mine.append((order, values))
            rest[block] = inverse(values.reshape(q.shape))
        m -= rest.astype(f32)
        m[line.flat < 0] = 0
        kept.append(mine)
    merged = np.zeros(len(momenta[0]))
    for number, block in enumerate(line.blocks):
        total, senders = np.zeros(block.size), np.zeros(block.size)
        for mine in kept:
            order, values = mine[number]
            total[order] += values[order]
            senders[order] += 1
        merged[block] = inverse((total / np.maximum(senders, 1)).reshape(block.shape))
    return merged


def chosen(line, unit, step, plan):
    n = len(line.flat)
    if plan["kind"] == "random":
        return np.argsort(philox(plan["seed"], step, unit << 32, n), kind="stable")[:round(plan["rate"] * n)]
    stride = round(1 / plan["rate"])
    return np.arange((step - 1) % stride, n, stride)


def elements(line, unit, momenta, step, plan):
    places = chosen(line, unit, step, plan)
    total = np.zeros(len(line.flat))
    for m in momenta:
        taken = sent_type(plan)(m[places])
        total[places] += taken
        m[places] -= taken
    return total / len(momenta)


def train(plan, steps, shards, replicas):
    """Weights and momenta of each replica after so many steps."""
    weights = [numbers(0, 0, 0) for _ in range(replicas)]
    anchor, velocity = weights[0].copy(), np.zeros(BEGIN[-1], f32)
    lines = {(u, s): Line(u, shards, s, plan) for u in range(len(UNITS)) for s in range(shards)}
    momenta = {key: [np.zeros(len(line.flat), f32) for _ in range(replicas)] for key, line in lines.items()}
    for step in range(1, steps + 1):
        gradients = [numbers(1, step, r) for r in range(replicas)]
        exchange = step % plan.get("every", 1) == 0
        if exchange and plan["kind"] == "full":
            gradients = [np.mean(gradients, axis=0).astype(f32)] * replicas
        if exchange and plan["kind"] in ("demo", "random", "striding"):
            merged = np.zeros(BEGIN[-1])
            for (unit, _), line in lines.items():
                mine = momenta[unit, _]
                there = line.flat >= 0
                for r in range(replicas):
                    g = np.where(there, gradients[r][line.flat], 0)
                    weight = RATE if plan["sign"] else f32(1)
                    mine[r][:] = f32(plan["decay"]) * mine[r] + weight * g
                out = demo(line, mine, plan) if plan["kind"] == "demo" else elements(line, unit, mine, step, plan)
                merged[line.flat[there]] = out[there]
            gradients = [(np.sign(merged) if plan["sign"] else merged).astype(f32)] * replicas
        for r in range(replicas):
            decayed = gradients[r] + np.where(MATRIX, WEIGHT_DECAY, f32(0)) * weights[r]
            weights[r] = (weights[r] - RATE * decayed).astype(f32)
        if exchange and plan["kind"] == "diloco":
            d = np.mean([anchor - w for w in weights], axis=0)
            velocity = (plan["outer_momentum"] * velocity + d).astype(f32)
            anchor = (anchor - plan["outer_rate"] * (d + plan["outer_momentum"] * velocity)).astype(f32)
            weights = [anchor.copy() for _ in range(replicas)]
    return weights, lines, momenta


DEMO = {"kind": "demo", "chunk": 8, "top_k": 5, "decay": 0.9, "sign": True}
CASES = [  # name, plan, steps, shards, replicas
    ("demo", DEMO, 3, 1, 3),
    ("demo_bf16_values", {**DEMO, "sign": False, "value_type": "bf16"}, 3, 1, 2),
    ("demo_shards", DEMO, 3, 2, 2),
    ("demo_every_2", {**DEMO, "every": 2}, 4, 1, 2),
    ("random", {"kind": "random", "rate": 0.25, "decay": 0.9, "sign": True, "seed": 42}, 3, 1, 3),
    ("random_shards", {"kind": "random", "rate": 0.25, "decay": 0.9, "sign": False, "seed": 7}, 3, 2, 2),
    ("striding", {"kind": "striding", "rate": 0.15, "decay": 0.9, "sign": False}, 3, 1, 2),
    ("diloco", {"kind": "diloco", "every": 2, "outer_rate": 0.7, "outer_momentum": 0.9}, 4, 1, 3),
    ("diloco_shards", {"kind": "diloco", "every": 2, "outer_rate": 0.7, "outer_momentum": 0.9}, 4, 2, 2),
    ("full_every_2", {"kind": "full", "every": 2}, 3, 1, 2),
]

for section in LENGTHS:
    for rows, columns in section:
        print("tensor", rows, columns)
for name, plan, steps, shards, replicas in CASES:
    weights, lines, momenta = train(plan, steps, shards, replicas)
    for element in range(0, BEGIN[-1], EVERY_SO_MANY):
        print(name, "weight", replicas - 1, element, "%.9g" % weights[-1][element])
    if plan["kind"] in ("demo", "random", "striding"):
        whole = np.zeros(BEGIN[-1])
        for key, line in lines.items():
            there = line.flat >= 0
            whole[line.flat[there]] = momenta[key][-1][there]
        for element in range(0, BEGIN[-1], EVERY_SO_MANY):
            print(name, "momentum", replicas - 1, element, "%.9g" % whole[element])
