#!/usr/bin/env python3
"""tests/gpu/run with a made-up nvidia-smi and made-up programs: what it does with what they say."""
import json
import os
import subprocess
import sys
import unittest

import models
from made_up_programs import BENCHMARK, BROKEN_SMI, HERE, OPERATORS, QUINTET, SANITIZER, WithMadeUpPrograms


class Run(WithMadeUpPrograms):
    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has a GPU")
    def test_says_in_plain_words_and_at_once_that_there_is_no_gpu(self):
        done = self.run_it(smi=None)
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stdout.startswith("no GPU: "), done.stdout + done.stderr)
        self.assertLess(self.seconds, 2.0)

    def test_a_driver_without_a_gpu_is_no_gpu(self):
        done = self.run_it(smi=BROKEN_SMI)
        self.assertEqual(done.returncode, 3)
        self.assertIn("couldn't communicate with the NVIDIA driver", done.stdout)

    def test_refuses_a_check_that_there_is_not(self):
        done = self.run_it("--only", "attentoin")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'attentoin'; there are machine, operators, operators_by_libraries, short_steps", done.stderr)

    def test_refuses_a_build_that_is_no_folder(self):
        done = self.run_it("nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere is neither a folder nor a pack", done.stderr)

    def test_refuses_a_call_that_there_is_not(self):
        done = self.run_it("--call", "7")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no call 7; there are 1, 2, 3, 4, 5, 6", done.stderr)

    def test_bandwidth_is_held_against_the_copy_of_the_same_run(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        done = self.checked("bandwidth")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdict("fast norm"), "pass")  # 3.5 / 4 = 87.5 %
        self.assertEqual(self.verdict("slow norm"), "MISS")  # 3.3 / 4 = 82.5 %
        self.assertEqual(self.verdict("embedding"), "")
        self.assertIn("87.5% of copy", done.stdout)
        self.assertEqual(self.rows["roof: copy"]["result"], "4 TB/s, 83.3% of the datasheet's 4.8")  # H200

    def test_products_are_shown_beside_the_librarys(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        done = self.checked("gemm")
        self.assertEqual(done.returncode, 0)
        self.assertIn("50.0% of cuBLASLt", self.rows["cube, ours"]["result"])
        self.assertIn("70.7% of the datasheet's 989.4", self.rows["roof: products by cuBLASLt"]["result"])  # 700

    def test_replicators_are_shown_without_a_bar(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        self.assertEqual(self.checked("replicators").returncode, 0)
        self.assertEqual((self.rows["outer step"]["result"], self.verdict("outer step")), ("3 TB/s", ""))
        self.assertEqual(self.verdict("draw"), "not measured")

    def test_attention_is_held_against_published_rates_and_a_bad_end_is_a_failure(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        self.checked("attention")
        long = self.rows["forward causal 1 x 8192 heads 64/8 of 128, own"]
        self.assertIn("50.0% of cuDNN's published rate", long["result"])  # 322 of 644
        self.assertEqual(long["verdict"], "MISS")
        self.assertEqual(self.verdict("forward causal 1 x 2048 heads 64/8 of 128, own"), "")  # no bar below 4096
        self.assertIn("forward causal 1 x 8192 heads 64/8 of 128, cudnn", self.rows)
        self.assertEqual(self.verdict("backward"), "not measured")
        self.assertIn("ended with 1: out of luck", self.rows["the program"]["result"])

    def test_failed_and_skipped_operator_tests_are_named(self):
        self.program("build/gpu_operator_test", OPERATORS)
        done = self.checked("operators")
        self.assertEqual((self.verdict("Gemms"), self.verdict("Norms")), ("FAIL", "pass"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 of 2 tests; failed: B/gpu", self.rows["Gemms"]["result"])
        self.assertIn("1 of 1 tests, 1 skipped", self.rows["Norms"]["result"])
        self.assertEqual(self.rows["Recorder"]["result"], "1 of 1 tests")

    def test_tests_that_were_all_skipped_are_no_pass(self):
        self.program("build/gpu_operator_test", OPERATORS.replace("     OK", "SKIPPED").replace(" FAILED ", "SKIPPED ").replace("exit 1", ""))
        self.assertEqual(self.checked("operators").returncode, 1)
        self.assertEqual(self.verdict("the program"), "FAIL")

    def test_a_crash_leaves_what_passed_and_names_what_it_was_in(self):
        self.program("build/gpu_operator_test", OPERATORS.split("[  FAILED")[0] + "T\nkill -SEGV $$\n")
        self.checked("operators")
        self.assertEqual(self.rows["Gemms"]["result"], "1 of 2 tests; did not end: B/gpu")
        self.assertEqual(self.verdict("Gemms"), "FAIL")
        self.assertIn("ended with -11", self.rows["the program"]["result"])

    def test_the_sanitizer_runs_without_guards_and_its_errors_are_failures(self):
        self.program("bin/compute-sanitizer", SANITIZER)
        self.program("build/gpu_operator_test", OPERATORS)
        done = self.checked("memcheck_norms")
        self.assertEqual((done.returncode, self.verdict("operators")), (0, "pass"))
        said = (self.back / "memcheck_norms.txt").read_text()
        self.assertIn("guards none", said)
        self.assertIn("--gtest_filter=*Norms*", said)
        self.assertEqual(self.checked("racecheck_norms").returncode, 1)

    def test_an_error_that_the_sanitizer_found_before_it_was_stopped_is_a_failure(self):
        self.program("build/gpu_operator_test", OPERATORS)
        begun = "#!/bin/sh\necho '[       OK ] On/Norms.A/gpu (3 ms)'\n%sexec sleep 60\n"
        self.program("bin/compute-sanitizer", begun % "")
        self.checked("memcheck_norms", "--minutes", "0.2")
        self.assertEqual(self.verdict("operators"), "not measured")
        self.assertIn("1 tests passed before", self.rows["operators"]["result"])
        self.program("bin/compute-sanitizer", begun % "echo '========= Invalid __global__ write of size 4 bytes'\n")
        self.checked("memcheck_norms", "--minutes", "0.2")
        self.assertEqual(self.verdict("operators"), "FAIL")

    def loop_programs(self, quintet=QUINTET):
        for name in ("quintet", "quintet-run", "quintet-calibrate"):
            self.program(f"build/{name}", quintet)

    def test_the_loop_holds_predictions_against_runs(self):
        self.loop_programs()
        done = self.checked("loop")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdict("steps"), "pass")  # 6 models x 2 lengths
        self.assertEqual(self.verdict("step time, median error"), "pass")  # six of 1 %, five of 2 %, one of 7 %: 1.5 %
        self.assertEqual(self.rows["step time, median error"]["result"], "1.5%")
        self.assertEqual(self.verdict("step time, largest error"), "MISS")  # 7 %
        self.assertEqual(self.verdict("recording, largest cost"), "pass")
        self.assertEqual(self.verdict("memory, largest error"), "MISS")  # 3 %
        shown = self.rows["gpt-640-8, length-640"]["result"]
        self.assertEqual(self.rows["steps in their 90 % interval"]["result"], "92%")  # 11 of 12
        self.assertEqual(shown, "predicted 101.00 ms, measured 100.00 ms, +1.0%; memory +1.0% of 0.93 GiB; recording +0.4% by CUPTI 13.0.1")

    def test_the_loop_measures_once_and_then_runs_what_it_has_not_seen(self):
        self.loop_programs()
        self.checked("loop")
        first, *others = (self.root / "said.txt").read_text().splitlines()
        self.assertTrue(first.startswith("calibrate --device gpu --topology h200-1"), first)
        self.assertEqual(len(others), 6)  # a loop for each model, so that what is done is known
        for other in others:
            self.assertTrue(other.startswith("loop --device gpu --topology h200-1"), other)
        plan = json.loads((self.back / "loop_check/plans/length-640.json").read_text())
        self.assertEqual(plan["parallelism"]["sequence_length"], 640)
        for name in ("gpt-640-8", "llama-1344-4"):
            self.assertTrue((self.back / f"loop_check/models/{name}/config.json").exists())

    def test_a_loop_that_fails_or_tells_too_little_is_a_failure(self):
        self.loop_programs("#!/bin/sh\necho 'quintet: it burns' >&2; exit 1\n")
        self.assertEqual(self.checked("loop").returncode, 1)
        self.assertEqual(self.verdict("the program"), "FAIL")
        self.loop_programs(QUINTET.replace("for model in models:", "for model in models if 'gpt-640' not in models[0] else []:").replace('"memory_bytes": 1e9,', ""))
        self.checked("loop")
        self.assertEqual((self.verdict("steps"), self.verdict("memory, largest error")), ("FAIL", "FAIL"))

    def test_a_build_without_the_programs_that_train_says_so(self):
        done = self.checked("loop")
        self.assertEqual((done.returncode, self.verdict("")), (0, "not measured"))
        self.assertIn("has no quintet: build it", done.stdout)

    def test_what_cannot_run_is_not_measured_and_no_failure(self):
        done = self.checked("memcheck_norms")
        self.assertEqual((done.returncode, self.verdict("")), (0, "not measured"))

    def test_a_build_without_the_operators_tests_says_so(self):
        done = self.checked("operators")
        self.assertEqual((done.returncode, self.verdict("")), (0, "not measured"))
        self.assertIn("GoogleTest was not found when it was built", done.stdout)

    def test_records_the_machine_and_its_clocks(self):
        self.program("build/gpu_benchmark", BENCHMARK.replace("gemm)", "gemm) sleep 0.5;"))
        self.checked("gemm")
        self.assertEqual(self.record["gpu"]["driver_version"], "580.159.04")
        self.assertEqual(self.rows["cube, ours"]["details"]["clocks"]["clocks.sm"]["median"], 1980)


def python_with_torch():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    return None


class TorchScripts(unittest.TestCase):
    """On the CPU, with toy sizes: that they run, and how they count."""

    def figures(self, script, *words):
        python = python_with_torch()
        if python is None:
            self.skipTest("no Python here has torch")
        done = subprocess.run([python, HERE / script, "--cpu", *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_model_has_the_parameters_that_the_formula_counts(self):
        found = {f["name"]: f for f in self.figures("torch_step.py", "--steps", "1", "--weights", "master")}
        for name, shape in models.TOYS.items():  # the formula against what PyTorch has
            self.assertEqual(found[name]["parameters_in_products"], shape.parameters_in_products)

    def test_attention_is_named_as_our_benchmark_names_it(self):
        found = {f["name"]: f for f in self.figures("torch_attention.py")}
        # 4 x 2 x 4 x 8 x 16 x 16 / 2, causal.
        self.assertEqual(found["forward causal 2 x 16 heads 4/2 of 8"]["work"], 32768)
        self.assertEqual(found["backward causal 2 x 16 heads 4/2 of 8"]["work"], 2.5 * 32768)


if __name__ == "__main__":
    unittest.main()
