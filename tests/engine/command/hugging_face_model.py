"""Reads what `save_pretrained` of Hugging Face's transformers leaves, and says what its models would: numpy alone.

Written after the format's description (https://huggingface.co/docs/safetensors) and transformers' modeling_gpt2.py,
modeling_llama.py and modeling_qwen3.py, not after Quintet. A model is a dict of arrays by the names of its file; all of them
have the type to compute in."""
import json
import math
import pathlib

import numpy

TYPES = {"F32": ("<f4", 4), "BF16": ("<u2", 2)}


def values(data, kind):
    plain = numpy.frombuffer(data, TYPES[kind][0])
    return plain if kind == "F32" else (plain.astype("<u4") << 16).view("<f4")  # bf16: the upper half of fp32


def read_safetensors(path):
    """Arrays by name, and the file's metadata. What the format forbids is an error."""
    file = pathlib.Path(path).read_bytes()
    length = int.from_bytes(file[:8], "little")
    assert file[8:9] == b"{" and 8 + length <= len(file), "the header begins with a brace and is whole"
    header, data = json.loads(file[8 : 8 + length]), file[8 + length :]
    metadata, tensors, end = header.pop("__metadata__", {}), {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = entry["data_offsets"]
        assert first == end, f"{name} begins at {first}, what stands before it ends at {end}"
        assert last - first == math.prod(entry["shape"]) * TYPES[entry["dtype"]][1], f"{name} has {last - first} bytes"
        tensors[name] = values(data[first:last], entry["dtype"]).reshape(entry["shape"])
        end = last
    assert end == len(data), f"{len(data) - end} bytes belong to no tensor"
    return tensors, metadata


def bf16(array):
    """The nearest bf16, to even, as its 16 bits."""
    bits = array.astype("<f4").view("<u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")


def write_bf16_safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in tensors.items():
        content = bf16(array).tobytes()
        header[name] = {"dtype": "BF16", "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)


def gpt2_shapes(config):
    """GPT2LMHeadModel's state_dict; Conv1D keeps [in, out]. A tied head is left out, as save_pretrained does."""
    width, inner = config["n_embd"], config.get("n_inner") or 4 * config["n_embd"]
    layer = {"ln_1.weight": [width], "ln_1.bias": [width], "ln_2.weight": [width], "ln_2.bias": [width],
             "attn.c_attn.weight": [width, 3 * width], "attn.c_attn.bias": [3 * width],
             "attn.c_proj.weight": [width, width], "attn.c_proj.bias": [width],
             "mlp.c_fc.weight": [width, inner], "mlp.c_fc.bias": [inner],
             "mlp.c_proj.weight": [inner, width], "mlp.c_proj.bias": [width]}  # fmt: skip
    shapes = {f"transformer.h.{at}.{name}": shape for at in range(config["n_layer"]) for name, shape in layer.items()}
    shapes |= {"transformer.wte.weight": [config["vocab_size"], width], "transformer.wpe.weight": [config["n_positions"], width],
               "transformer.ln_f.weight": [width], "transformer.ln_f.bias": [width]}  # fmt: skip
    return shapes if config.get("tie_word_embeddings", True) else shapes | {"lm_head.weight": [config["vocab_size"], width]}


def head_width(config):
    return config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]


def llama_shapes(config):
    """LlamaForCausalLM's and Qwen3ForCausalLM's; linear layers keep [out, in]."""
    width, inner, each = config["hidden_size"], config["intermediate_size"], head_width(config)
    queries, keys = config["num_attention_heads"] * each, config["num_key_value_heads"] * each
    layer = {"input_layernorm.weight": [width], "post_attention_layernorm.weight": [width],
             "self_attn.q_proj.weight": [queries, width], "self_attn.k_proj.weight": [keys, width],
             "self_attn.v_proj.weight": [keys, width], "self_attn.o_proj.weight": [width, queries],
             "mlp.gate_proj.weight": [inner, width], "mlp.up_proj.weight": [inner, width],
             "mlp.down_proj.weight": [width, inner]}  # fmt: skip
    if config["model_type"] == "qwen3":
        layer |= {"self_attn.q_norm.weight": [each], "self_attn.k_norm.weight": [each]}
    shapes = {f"model.layers.{at}.{name}": shape for at in range(config["num_hidden_layers"]) for name, shape in layer.items()}
    shapes |= {"model.embed_tokens.weight": [config["vocab_size"], width], "model.norm.weight": [width]}
    return shapes if config.get("tie_word_embeddings", False) else shapes | {"lm_head.weight": [config["vocab_size"], width]}


def split(rows, each):
    """[sequences, length, heads x each] as [sequences, heads, length, each]."""
    return rows.reshape(*rows.shape[:2], -1, each).transpose(0, 2, 1, 3)


def attention(query, key, value):
    """Causal; keys and values as many heads as queries. Gives [sequences, length, heads x each]."""
    length = query.shape[2]
    scores = query @ key.transpose(0, 1, 3, 2) / query.dtype.type(math.sqrt(query.shape[3]))
    scores = numpy.where(numpy.tri(length, dtype=bool), scores, -numpy.inf)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    mixed = weights / weights.sum(-1, keepdims=True) @ value
    return mixed.transpose(0, 2, 1, 3).reshape(mixed.shape[0], length, -1)


def gpt2_logits(model, config, tokens):
    epsilon = config.get("layer_norm_epsilon", 1e-5)  # GPT2Config's default
    dtype = model["transformer.wte.weight"].dtype.type

    def norm(rows, name):
        centred = rows - rows.mean(-1, keepdims=True)
        scale = numpy.sqrt((centred * centred).mean(-1, keepdims=True) + dtype(epsilon))
        return centred / scale * model[name + ".weight"] + model[name + ".bias"]

    def product(rows, name):
        return rows @ model[name + ".weight"] + model[name + ".bias"]

    def activation(x):
        if config["activation_function"] == "gelu":
            return x * (numpy.vectorize(math.erf, [dtype])(x / dtype(math.sqrt(2))) + 1) / 2
        return dtype(0.5) * x * (1 + numpy.tanh(dtype(math.sqrt(2 / math.pi)) * (x + dtype(0.044715) * x * x * x)))

    x = model["transformer.wte.weight"][tokens] + model["transformer.wpe.weight"][: tokens.shape[1]]
    for at in range(config["n_layer"]):
        layer = f"transformer.h.{at}."
        qkv = numpy.split(product(norm(x, layer + "ln_1"), layer + "attn.c_attn"), 3, -1)
        heads = (split(each, config["n_embd"] // config["n_head"]) for each in qkv)
        x = x + product(attention(*heads), layer + "attn.c_proj")
        x = x + product(activation(product(norm(x, layer + "ln_2"), layer + "mlp.c_fc")), layer + "mlp.c_proj")
    return norm(x, "transformer.ln_f") @ model.get("lm_head.weight", model["transformer.wte.weight"]).T


def rotated(heads, theta):
    """apply_rotary_pos_emb: element i of a head turns with i + each / 2, by theta^(-2 i / each) a position."""
    length, each = heads.shape[2:]
    angles = numpy.outer(numpy.arange(length), theta ** (-numpy.arange(0, each, 2) / each))
    cosine, sine = (numpy.concatenate([f(angles)] * 2, -1).astype(heads.dtype) for f in (numpy.cos, numpy.sin))
    half = numpy.concatenate([-heads[..., each // 2 :], heads[..., : each // 2]], -1)
    return heads * cosine + half * sine


def llama_logits(model, config, tokens):
    dtype = model["model.embed_tokens.weight"].dtype.type
    each, theta = head_width(config), config.get("rope_parameters", config)["rope_theta"]  # in transformers 5; before
    shared = config["num_attention_heads"] // config["num_key_value_heads"]

    def norm(rows, name):
        scale = numpy.sqrt((rows * rows).mean(-1, keepdims=True) + dtype(config["rms_norm_eps"]))
        return rows / scale * model[name + ".weight"]

    def product(rows, name):
        return rows @ model[name + ".weight"].T

    def turned(rows, attend, which):
        heads = split(product(rows, f"{attend}{which}_proj"), each)
        heads = norm(heads, f"{attend}{which}_norm") if config["model_type"] == "qwen3" else heads
        return rotated(heads, theta)

    x = model["model.embed_tokens.weight"][tokens]
    for at in range(config["num_hidden_layers"]):
        layer = f"model.layers.{at}."
        attend, rows = layer + "self_attn.", norm(x, layer + "input_layernorm")
        key, value = turned(rows, attend, "k"), split(product(rows, attend + "v_proj"), each)
        mixed = attention(turned(rows, attend, "q"), key.repeat(shared, 1), value.repeat(shared, 1))
        x = x + product(mixed, attend + "o_proj")
        rows = norm(x, layer + "post_attention_layernorm")
        gate = product(rows, layer + "mlp.gate_proj")
        x = x + product(gate / (1 + numpy.exp(-gate)) * product(rows, layer + "mlp.up_proj"), layer + "mlp.down_proj")
    return norm(x, "model.norm") @ model.get("lm_head.weight", model["model.embed_tokens.weight"]).T


def shapes_of(config):
    return gpt2_shapes(config) if config["model_type"] == "gpt2" else llama_shapes(config)


def target_losses(model, config, rows, dtype=numpy.float64):
    """Nats, of each target: the token behind each of a row's but its last."""
    model = {name: tensor.astype(dtype) for name, tensor in model.items()}
    logits = (gpt2_logits if config["model_type"] == "gpt2" else llama_logits)(model, config, rows[:, :-1])
    largest = logits.max(-1, keepdims=True)
    total = largest[..., 0] + numpy.log(numpy.exp(logits - largest).sum(-1))
    return total - numpy.take_along_axis(logits, rows[:, 1:, None], -1)[..., 0]
