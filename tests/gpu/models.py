"""The models whose whole steps are measured and predicted: once for our engine, for PyTorch and for the
simulator, with the formula of MFU."""
import dataclasses
import json
import random

# Dense bf16 products of the tensor cores count; what a padded vocabulary adds is no work.
FORMULA = "MFU = (6 N + 6 layers width length) FLOP per token x tokens per second / dense bf16 peak of the datasheet"
MFU_BARS = {"gpt2-124m": 0.40, "gpt2-124m-padded": 0.40, "gpt2-1.5b": 0.50, "llama-1b": 0.48}


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    family: str  # gpt2 or llama
    layers: int
    width: int
    heads: int
    key_heads: int
    inner: int
    vocabulary: int
    length: int
    batch: int  # sequences of a micro-batch
    micro_batches: int = 1  # of a step

    @property
    def tokens(self):
        return self.micro_batches * self.batch * self.length

    @property
    def parameters_in_products(self):
        """N: all but the table that is only looked up: GPT-2's positions (its tokens are the output's weights
        too), Llama's tokens."""
        size = self.width // self.heads
        query, keys = self.heads * size, 2 * self.key_heads * size
        matrices = self.width * (query + keys) + query * self.width
        if self.family == "gpt2":
            matrices += 2 * self.width * self.inner
            biases = query + keys + self.width + self.inner + self.width
            vectors = biases + 4 * self.width  # two norms, scale and shift
            last = 2 * self.width
        else:
            matrices += 3 * self.width * self.inner
            vectors, last = 2 * self.width, self.width
        return self.layers * (matrices + vectors) + self.vocabulary * self.width + last

    @property
    def flop_per_token(self):
        """Attention causal: half of 12 layers width length."""
        return 6 * self.parameters_in_products + 6 * self.layers * self.width * self.length

    def mfu(self, seconds, peak_tflops):
        return self.flop_per_token * self.tokens / seconds / (peak_tflops * 1e12)


# 124M in one micro-batch and 1.5B in several, as llm.c's scripts/run_gpt2_124M.sh and run_gpt2_1558M.sh train them:
# a step of one small micro-batch would measure the update. Radford et al. 2019, table 2, without dropout; 50,304 is
# the vocabulary of nanoGPT and llm.c. TinyLlama's shape (Zhang et al. 2024, arXiv 2401.02385, table 2) stands for
# Llamas of 1 B.
SHAPES = {
    shape.name: shape
    for shape in (
        Shape("gpt2-124m", "gpt2", 12, 768, 12, 12, 3072, 50257, 1024, 32),
        Shape("gpt2-124m-padded", "gpt2", 12, 768, 12, 12, 3072, 50304, 1024, 32),
        Shape("gpt2-1.5b", "gpt2", 48, 1600, 25, 25, 6400, 50304, 1024, 8, 4),
        Shape("llama-1b", "llama", 22, 2048, 32, 4, 5632, 32000, 2048, 8, 4),
    )
}
# For stand-ins and for the CPU: that scripts run, and how they count.
TOYS = {
    shape.name: shape
    for shape in (
        Shape("toy-gpt2", "gpt2", 2, 32, 4, 4, 64, 101, 16, 2),
        Shape("toy-llama", "llama", 2, 32, 4, 2, 48, 101, 16, 2),
    )
}


def config(shape):
    """Hugging Face's config.json."""
    if shape.family == "gpt2":
        return {
            "model_type": "gpt2",
            "n_layer": shape.layers,
            "n_embd": shape.width,
            "n_head": shape.heads,
            "n_inner": shape.inner,
            "n_positions": shape.length,
            "vocab_size": shape.vocabulary,
            "activation_function": "gelu_new",
            "resid_pdrop": 0.0,
            "attn_pdrop": 0.0,
            "embd_pdrop": 0.0,
            "tie_word_embeddings": True,
        }
    return {
        "model_type": "llama",
        "num_hidden_layers": shape.layers,
        "hidden_size": shape.width,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.key_heads,
        "head_dim": shape.width // shape.heads,
        "intermediate_size": shape.inner,
        "max_position_embeddings": shape.length,
        "vocab_size": shape.vocabulary,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-05,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
    }


def plan(shape, launch, compute_type="bf16"):
    parallelism = {
        "sequence_length": shape.length,
        "micro_batch": shape.batch,
        "micro_batches": shape.micro_batches,
        "compute_type": compute_type,
    }
    return {"parallelism": parallelism, "host_net": {"launch": launch}}


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n")
    return path


def random_tokens(path, shape, steps):
    """A nanoGPT shard, 16 bits a token, for so many steps: words at random as PyTorch's step has them, since a
    text of few distinct words would make the embedding's gradient another."""
    chosen = random.Random(1)
    count = steps * shape.tokens * (shape.length + 1) // shape.length + 1
    block = [chosen.randrange(shape.vocabulary) for _ in range(min(count, 1 << 20))]
    data = b"".join(token.to_bytes(2, "little") for token in block)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((data * (1 + count // len(block)))[: 2 * count])
    return path
