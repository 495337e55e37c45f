#!/usr/bin/env python3
"""The scripts of tests/gpu/run that train, on the CPU, where there is no GPU to tell them right from wrong: what they
find of a run that is right, and of a device that computes nothing.

  scripts_test.py QUINTET FAKE_GPU      the program; a module that takes a GPU's place and computes nothing
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import archive
import models

HERE = pathlib.Path(__file__).resolve().parent
QUINTET, FAKE_GPU = "", ""


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def lines(self, script, *words, fails=False, **environment):
        words = [sys.executable, HERE / script, QUINTET, "--out", self.out, *words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=200, env={"PATH": "/usr/bin:/bin", **environment})
        self.assertEqual(done.returncode != 0, fails, done.stdout + done.stderr)
        self.said = done.stderr
        return {line["name"] + line.get("by", ""): line for line in map(json.loads, done.stdout.splitlines())}

    def test_five_steps_that_are_right_pass(self):
        found = self.lines("short_steps.py", "--toy", "--device", "cpu")
        self.assertEqual(len(found), 8)  # gpt and llama, fp32 and bf16, eager and graphs
        self.assertTrue(all(line["passed"] for line in found.values()), found)

    def test_five_steps_of_a_device_that_computes_nothing_fail(self):
        found = self.lines("short_steps.py", "--toy", QUINTET_CUDA_MODULE=FAKE_GPU)
        self.assertFalse(any(line["passed"] for name, line in found.items() if "eager" in name), found)

    def test_a_device_that_is_not_there_is_told_in_its_own_words(self):
        found = self.lines("short_steps.py", "--toy", QUINTET_CUDA_MODULE="/nowhere.so")
        self.assertIn("/nowhere.so", found["small-gpt fp32, eager"]["result"])
        self.assertFalse(found["small-gpt fp32, eager"]["passed"])

    def test_ranks_that_train_one_model_pass(self):
        found = self.lines("ranks_check.py", "--device", "cpu", "--only", "host", "--steps", "3")
        self.assertEqual(len(found), 10)  # 5 plans, eager and graphs
        self.assertTrue(all(line["passed"] for line in found.values()), found)

    def test_exchanges_are_held_against_the_cpu(self):
        found = self.lines("ranks_check.py", "--device", "cpu", "--only", "exchanges", "--steps", "3")
        self.assertEqual(len(found), 5)  # four replicators, samples that are dealt
        self.assertTrue(all(line["passed"] for line in found.values()), found)

    def test_a_killed_rank_ends_the_job_and_is_named(self):
        found = self.lines("ranks_check.py", "--device", "cpu", "--only", "kill", "--steps", "3")
        self.assertTrue(found["dp2, host, a killed rank"]["passed"], found)

    def test_a_steps_mfu_is_its_work_over_its_time_and_peak(self):
        found = self.lines("own_step.py", "toy-gpt2", "--device", "cpu", "--peak", "2", "--topology", "h200-1")
        step = found["toy-gpt2quintet, own attention"]
        # 2 sequences of 16 tokens.
        self.assertAlmostEqual(step["mfu"], 128448 * 2 * 16 / (step["milliseconds"] / 1e3) / 2e12)

    def test_both_timelines_of_a_step_can_be_compared_anywhere(self):
        self.lines("own_step.py", "toy-llama", "--device", "cpu", "--topology", "h200-1")
        (pair,) = archive.pairs(self.out)
        done = subprocess.run([QUINTET, "compare", *pair], capture_output=True, text=True, cwd="/", timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("predicted", done.stdout)

    def test_a_run_that_cannot_start_says_why(self):
        self.lines("own_step.py", "toy-gpt2", fails=True, QUINTET_CUDA_MODULE="/nowhere.so")
        self.assertIn("own_step.py: quintet run ended with 2", self.said)
        self.assertIn("/nowhere.so", self.said)

    def test_each_model_is_predicted_by_published_rates_and_by_the_bar(self):
        found = self.lines("predicted_steps.py", "--topology", "h100-1")
        self.assertEqual(len(found), 2 * len(models.SHAPES))
        for shape in models.SHAPES.values():
            published = found[f"{shape.name}predicted, our kernels at published rates"]
            # H100's 989.4 TFLOP/s.
            self.assertAlmostEqual(published["mfu"], shape.flop_per_token * published["tokens_per_s"] / 989.4e12)
            at_the_bar = found[f"{shape.name}predicted, memory-bound kernels at their bar"]
            self.assertLess(at_the_bar["milliseconds"], published["milliseconds"])


    def test_a_gpu_without_a_cost_table_is_not_predicted(self):
        found = self.lines("predicted_steps.py", "--topology", "h100-pcie-1")
        self.assertEqual([line["left_out"] for line in found.values()], ["no shipped cost table was measured on H100-PCIe-80GB"])


if __name__ == "__main__":
    QUINTET, FAKE_GPU = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
