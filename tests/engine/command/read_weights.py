"""A text trained on 4 ranks, resumed in another layout, its weights read by somebody else: transformers where it is installed, and
hugging_face_model.py, which shares nothing with Quintet. Usage: read_weights.py QUINTET SOURCE_FOLDER"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


def skip(reason):
    print(f"read_weights.py: Skipped\n{reason}", flush=True)  # as GoogleTest says it: quickstart lists these
    raise unittest.SkipTest(reason)


try:
    import numpy
    from hugging_face_model import read_safetensors, shapes_of, target_losses, write_bf16_safetensors
except ImportError:
    numpy = None

QUINTET, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
LENGTH, SHARE = 64, 0.02  # tokens of a sequence, by the shipped plans; what is kept aside of the text
BEGUN, RESUMED = "tiny-gpt-tp2-pp2", "tiny-gpt-zero3"  # 2 stages of 2 tensor ranks; 4 ranks, each with a quarter of all

# Shipped configurations, made tiny or otherwise: what a user has as a download. Heads of 48 are not width / heads, and rotary
# positions are described as transformers 5 does.
GELU = json.loads((SOURCE / "traces/models/tiny-gpt/config.json").read_text()) | {"n_layer": 2, "activation_function": "gelu"}
TINY = {"num_hidden_layers": 4, "hidden_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
        "intermediate_size": 352, "max_position_embeddings": 128, "vocab_size": 256}  # fmt: skip
LLAMA = json.loads((SOURCE / "traces/models/llama-3-8b/config.json").read_text()) | TINY
QWEN = LLAMA | {"model_type": "qwen3", "head_dim": 48, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
                "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}  # fmt: skip
del QWEN["rope_theta"]


def kept_aside():
    """A byte is a token. Windows of LENGTH tokens and the one behind; the last ones are kept aside."""
    text = numpy.frombuffer((SOURCE / "traces/text/the-valley.txt").read_bytes(), numpy.uint8).astype(int)
    windows = (len(text) - 1) // LENGTH
    return numpy.stack([text[at * LENGTH : (at + 1) * LENGTH + 1] for at in range(windows - round(SHARE * windows), windows)])


def wrong_readings(shapes, layer):
    """Ways to take a tensor of this layer for another that no shape tells: two of one shape changed round, one turned."""
    other = layer.replace("0", "1")
    mine = [name for name in shapes if name.startswith(layer)]
    yield from ((name, name.replace(layer, other)) for name in mine)
    yield from (pair for pair in itertools.combinations(mine, 2) if shapes[pair[0]] == shapes[pair[1]])
    yield from ((name, None) for name in mine if len(shapes[name]) == 2 and shapes[name][0] == shapes[name][1])


def changed(model, one, other):
    return model | ({one: model[one].T} if other is None else {one: model[other], other: model[one]})


class ReadByOthers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if numpy is None:
            skip("numpy is not installed for this Python (Debian: python3-numpy)")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, config):
        (self.folder / "config.json").write_text(json.dumps(config))
        return "config.json"

    def train(self, plan, model, *options):
        """Ends with the record of its loss on what is kept aside."""
        words = [QUINTET, "run", plan, "--model", model, "--data", "the-valley", "--validate", str(SHARE), "--log", "log.jsonl",
                 *options]  # fmt: skip
        run = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.out = run.stdout
        records = [json.loads(line) for line in (self.folder / "log.jsonl").read_text().splitlines()]
        return next(record for record in records if record["record"] == "validation")

    def trained_and_resumed(self, model, steps):
        kept = ("--checkpoint", "kept", "--warm-up", "10")
        first = self.train(BEGUN, model, "--steps", str(steps), "--checkpoint-every", "10", "--save-weights", "first", *kept)
        last = self.train(RESUMED, model, "--steps", str(steps + 5), "--resume", "--save-weights", "last", *kept)
        self.assertIn(f"Resuming after step {steps}", self.out)
        self.assertEqual(last["step"], steps + 5)
        return first, last

    def read(self, name):
        config = json.loads((self.folder / name / "config.json").read_text())
        model, metadata = read_safetensors(self.folder / name / "model.safetensors")
        self.assertEqual(metadata, {"format": "pt"})  # transformers refuses a file without
        self.assertEqual({name: list(tensor.shape) for name, tensor in model.items()}, shapes_of(config))
        return config, model

    def expect(self, record, config, model):
        """The bar: fp32 gives each target's loss an error of its own, whose mean is at most their root mean square. How large it is
        numpy says, in fp32 beside fp64; 4 for kernels that sum in another order and have exponentials of their own. The logged
        loss is a mean of fp32 numbers, 2^-24 of itself from the right one."""
        rows = kept_aside()
        exact = target_losses(model, config, rows)
        self.assertEqual((record["sequences"], record["targets"]), (len(rows), exact.size))
        error = target_losses(model, config, rows, numpy.float32) - exact
        bar = 4 * numpy.sqrt((error * error).mean()) + 2**-24 * exact.mean()
        print(f"{config['model_type']}, step {record['step']}: logged {record['loss']:.9f}, read {exact.mean():.9f}, apart by "
              f"{abs(record['loss'] - exact.mean()):.1e}, at most {bar:.1e}", flush=True)  # fmt: skip
        self.assertLess(abs(record["loss"] - exact.mean()), bar)
        return bar

    def expect_seen(self, config, model, pairs, bar):
        """This test would have noticed: each of these readings is farther off than the bar."""
        rows = kept_aside()[:1, :33]
        right = target_losses(model, config, rows).mean()
        off = {pair: abs(target_losses(changed(model, *pair), config, rows).mean() - right) for pair in pairs}
        least = min(off, key=off.get)
        print(f"{len(off)} wrong readings are off by {off[least]:.1e} and more: {least[0]}, {least[1] or 'turned'}", flush=True)
        self.assertGreater(off[least], bar, least)

    def expect_of_transformers(self, record, name):
        try:
            import torch
            import transformers
        except ImportError:
            reason = "transformers and torch are not installed for this Python: weights were read by numpy alone"
            return print(f"read_weights.py: Skipped\n{reason}", flush=True)
        model, loading = transformers.AutoModelForCausalLM.from_pretrained(self.folder / name, output_loading_info=True)
        self.assertEqual([list(loading[kind]) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")], [[], [], []])
        rows = torch.from_numpy(kept_aside())
        with torch.no_grad():
            logits = model.double().eval()(rows[:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten()).item()
        config, read = self.read(name)
        self.assertAlmostEqual(loss, target_losses(read, config, kept_aside()).mean(), delta=1e-6)  # its rotary angles are fp32
        self.assertAlmostEqual(loss, record["loss"], delta=1e-5)

    def expect_begun_with(self, option, model):
        """The way back: a run begins with bf16 that somebody else wrote, at a rate of 0 keeps it, and writes it again, the same
        to the bit. Vectors that training left close to 0 and 1 are moved apart here, so that a wrong reading of them is seen."""
        draw = numpy.random.default_rng(15)
        apart = {name: tensor + (tensor.ndim == 1) * draw.normal(0, 0.3, tensor.shape) for name, tensor in model.items()}
        (self.folder / "theirs").mkdir()
        write_bf16_safetensors(self.folder / "theirs/model.safetensors", apart)
        theirs, _ = read_safetensors(self.folder / "theirs/model.safetensors")
        keep = ("--steps", "1", "--learning-rate", "0", "--save-weights", "again")
        begun = self.train(BEGUN, option, "--weights", "theirs", *keep)
        config, again = self.read("again")
        for name, tensor in theirs.items():
            numpy.testing.assert_array_equal(again[name], tensor, name)
        return config, theirs, self.expect(begun, config, theirs)

    def go_there_and_back(self, option, steps, layer):
        first, last = self.trained_and_resumed(option, steps)
        self.assertLess(last["loss"], first["loss"])
        self.expect(first, *self.read("first"))
        config, model = self.read("last")
        bar = self.expect(last, config, model)
        pairs = list(wrong_readings(shapes_of(config), layer))
        self.expect_seen(config, model, [pair for pair in pairs if model[pair[0]].ndim == 2], bar)
        self.expect_of_transformers(last, "last")
        config, theirs, bar = self.expect_begun_with(option, model)
        self.expect_seen(config, theirs, pairs, bar)

    def test_gpt2(self):
        self.go_there_and_back("tiny-gpt", 20, "transformer.h.0.")

    def test_gpt2_with_the_error_function(self):
        # GPT-2's own GELU is at most 5e-4 away: the loss shows it where weights are not small.
        draw = numpy.random.default_rng(7)
        drawn = {name: draw.normal(0, 0.1, shape) for name, shape in shapes_of(GELU).items()}
        config, theirs, bar = self.expect_begun_with(self.written(GELU), drawn)
        right = target_losses(theirs, config, kept_aside()).mean()
        other = target_losses(theirs, config | {"activation_function": "gelu_new"}, kept_aside()).mean()
        self.assertGreater(abs(other - right), bar)

    def test_llama(self):
        self.go_there_and_back(self.written(LLAMA), 15, "model.layers.0.")

    def test_qwen3(self):
        self.go_there_and_back(self.written(QWEN), 15, "model.layers.0.")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
