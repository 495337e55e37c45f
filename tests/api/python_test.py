"""import quintet says what the command says. Usage: python_test.py QUINTET PACKAGE_FOLDER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

QUINTET, PACKAGES = sys.argv[1], sys.argv[2]
sys.path.insert(0, PACKAGES)
import quintet

# The README's example.
MODEL, PLAN, MACHINE = "llama-3-70b", "llama-3-70b-1024-h100-tp8-pp4", "dgx-h100-1024"
SMALL = {"name": "small", "parallelism": {"data": 8, "sequence_length": 1024, "micro_batch": 2}}


def skip(reason):
    print(f"python_test.py: Skipped\n{reason}", flush=True)  # as GoogleTest says it: quickstart lists these
    raise unittest.SkipTest(reason)


def said(*words, code=0):
    run = subprocess.run([QUINTET, *words], capture_output=True, text=True)
    assert run.returncode == code, run.stderr
    return run.stdout


def small(**options):
    return quintet.predict("gpt2", SMALL, "dgx-a100-1", **options)


class Predicts(unittest.TestCase):
    def test_what_the_command_predicts(self):
        step = quintet.predict(MODEL, PLAN, MACHINE)
        out = said("simulate", PLAN, "--model", MODEL, "--topology", MACHINE, "--json", "-q")
        self.assertEqual(step.json(), out)
        self.assertEqual(step.dict(), json.loads(out))
        self.assertEqual(f"{step.step_s * 1e3:.1f}", "8761.1")  # README.md
        self.assertLess(step.low_s, step.step_s)
        self.assertEqual(step.fit, "fits")

    def test_options_of_the_command(self):
        options = ["--set", "host.nic.bandwidth=100 Gb/s", "--tokens", "1e12", "--full-attention", "--hosts", "4"]
        fields = ["--tensor", "8", "--sequence", "8192", "--global-batch", "64", "--zero", "1"]
        out = said("simulate", "--model", "llama-3-8b", "--topology", "dgx-h100", *options, *fields, "--json", "-q")
        step = quintet.predict(
            "llama-3-8b", None, "dgx-h100", hosts=4, tokens=1e12, full_attention=True,
            set={"parallelism.tensor": 8, "parallelism.sequence_length": 8192, "parallelism.global_batch": 64,
                 "parallelism.sharding": "zero1", "host.nic.bandwidth": "100 Gb/s"})  # fmt: skip
        self.assertEqual(step.dict(), json.loads(out))

    def test_files_dicts_and_loaded_values_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "small.json"
            path.write_text(json.dumps(SMALL))
            by_path = quintet.predict("gpt2", path, "dgx-a100-1")
        machine = quintet.load_topology("dgx-a100-1")
        loaded = quintet.predict(quintet.load_model("gpt2"), quintet.load_plan(SMALL), machine)
        model = quintet.load_model("gpt2").dict()
        self.assertEqual(by_path.step_s, small().step_s)
        self.assertEqual(loaded.step_s, small().step_s)
        self.assertEqual(quintet.predict(model, SMALL, machine.dict()).step_s, small().step_s)
        self.assertEqual(small(costs=quintet.load_costs("a100-sxm-80gb")).step_s, small().step_s)

    def test_a_sweep_is_the_command_with_lists(self):
        out = said("simulate", "--model", "gpt2", "--topology", "dgx-a100-1", "--tensor", "1,2,4", "--sequence",
                   "1024", "--global-batch", "16", "--json", "-q")  # fmt: skip
        sweep = quintet.sweep("gpt2", None, "dgx-a100-1", set={
            "parallelism.tensor": [1, 2, 4], "parallelism.sequence_length": 1024, "parallelism.global_batch": 16})
        self.assertEqual(sweep.dict(), json.loads(out))
        self.assertEqual(len(sweep), 3)
        self.assertEqual([row.step_s for row in sweep], sorted(row.step_s for row in sweep))
        self.assertEqual(sweep[-1].name, list(sweep)[2].name)
        with self.assertRaises(IndexError):
            sweep[3]

    def test_a_comparison_is_the_command_s(self):
        with tempfile.TemporaryDirectory() as folder:
            one, other = os.path.join(folder, "one.json"), os.path.join(folder, "other.json.gz")
            small().write_trace(one)
            small(set={"costs.launch.eager": "40 us"}).write_trace(other)
            found, out = quintet.compare(one, other), json.loads(said("compare", one, other, "--json"))
            self.assertEqual(found.dict(), out)
            self.assertEqual(quintet.compare(small(), quintet.load_trace(other)).step.measured_ps, found.step.measured_ps)
            self.assertGreater(found.step.measured_ps, found.step.predicted_ps)


class Timelines(unittest.TestCase):
    def test_are_numpy_arrays(self):
        try:
            import numpy
        except ImportError:
            skip("numpy is not installed for this Python (Debian: python3-numpy)")
        timeline = small().timeline()
        spans = timeline.spans
        self.assertEqual(spans.dtype.names, ("instruction", "track", "start_ps", "moving_ps", "end_ps", "layer",
                                             "micro_batch", "chunk", "bucket", "flow"))  # fmt: skip
        self.assertEqual(spans["end_ps"].max(), timeline.step_ps)
        self.assertTrue((spans["start_ps"] <= spans["end_ps"]).all())
        kinds = numpy.array([each.kind for each in timeline.instructions])
        self.assertEqual(set(kinds[spans["instruction"]]) - {"compute", "collective", "copy", "host"}, set())
        self.assertFalse(spans.flags.writeable)
        del timeline  # the array keeps what it shows
        self.assertGreater(len(spans), 0)
        self.assertEqual(len(small().timeline(ranks=[0, 7]).tracks), 2)


class Failures(unittest.TestCase):
    def test_name_their_place(self):
        with self.assertRaises(quintet.Error) as caught:
            quintet.load_plan({"parallelism": {"sequence_length": 1024, "tensr": 2}})
        self.assertEqual(caught.exception.place, "plan: parallelism.tensr")
        self.assertIn("tensor", caught.exception.reason)
        with self.assertRaisesRegex(quintet.Error, "llama-3-70b"):
            quintet.load_model("llama-3-70")
        with self.assertRaisesRegex(ValueError, "parallelism.tensor"):  # 12 heads over 8
            small(set={"parallelism.tensor": 8})
        with self.assertRaises(TypeError):
            quintet.load_model(3)

    def test_what_progress_raises_ends_it(self):
        def enough(share):
            raise KeyError("enough")

        with self.assertRaisesRegex(KeyError, "enough"):
            quintet.predict(MODEL, PLAN, MACHINE, progress=enough)


class Threads(unittest.TestCase):
    def test_others_run_while_one_predicts(self):
        """Nobody is made to let go of the interpreter: the counter moves only where predict does so by itself."""
        before = sys.getswitchinterval()
        counted, ended = [0], threading.Event()

        def count():
            while not ended.is_set():
                counted[0] += 1
                time.sleep(0)  # lets go, so that the other may begin and end

        counter = threading.Thread(target=count)
        model, plan, machine = quintet.load_model(MODEL), quintet.load_plan(PLAN), quintet.load_topology(MACHINE)
        sys.setswitchinterval(1000)
        try:
            counter.start()
            first = counted[0]
            quintet.predict(model, plan, machine)
            last = counted[0]
        finally:
            ended.set()
            sys.setswitchinterval(before)
            counter.join()
        self.assertGreater(last - first, 100)

    def test_predictions_at_once_are_each_right(self):
        steps = {}
        plans = ("llama-3-70b-1024-h100-tp8-pp4", "llama-3-70b-1024-h100-zero3")
        threads = [threading.Thread(target=lambda name=name: steps.update(
            {name: quintet.predict(MODEL, name, MACHINE).step_s})) for name in plans]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in plans:
            self.assertEqual(steps[name], quintet.predict(MODEL, name, MACHINE).step_s)


class Stubs(unittest.TestCase):
    def test_have_every_name(self):
        import ast

        stub = ast.parse((pathlib.Path(PACKAGES) / "quintet/__init__.pyi").read_text())
        classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
        functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(functions | {name for name in classes if name[0] != "_"}, set(quintet.__all__))

        def members(node):
            own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            own |= {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
            return own.union(*(members(classes[base.id]) for base in node.bases if base.id in classes))

        for name in sorted(set(classes) & set(quintet.__all__) - {"Error"}):
            there = {each for each in dir(getattr(quintet, name)) if not each.startswith("_")}
            self.assertEqual({each for each in members(classes[name]) if not each.startswith("_")}, there, name)
            for each in there:
                if name not in ("Model", "Topology", "Plan", "Costs") or each != "name":
                    self.assertIsInstance(getattr(getattr(quintet, name), each), object)

    def test_agree_with_mypy(self):
        try:
            import mypy.stubtest  # noqa: F401
        except ImportError:
            skip("mypy is not installed for this Python (Debian: mypy)")
        allowed = tempfile.NamedTemporaryFile("w", suffix=".txt")
        allowed.write("quintet._quintet\n.*__(eq|hash|init|iter|len|repr|getitem)__\n")
        allowed.write("quintet.[A-Za-z]*\n")  # every class of pybind11 has its metaclass
        allowed.flush()
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [sys.executable, "-m", "mypy.stubtest", "quintet", "--ignore-missing-stub", "--allowlist",
                 allowed.name, "--ignore-unused-allowlist"],
                cwd=folder, env={**os.environ, "MYPYPATH": PACKAGES, "PYTHONPATH": PACKAGES},
                capture_output=True, text=True)  # fmt: skip
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_everything_is_documented(self):
        for name in quintet.__all__:
            if not name.startswith("shipped_"):
                self.assertTrue(getattr(quintet, name).__doc__, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
