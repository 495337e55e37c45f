#!/usr/bin/env python3
"""tests/gpu/run with a made-up nvidia-smi and made-up programs: what it does with what they say."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent

SMI = """#!/bin/sh
case "$*" in
  *clocks.sm*) while :; do echo "1980, 3201, 650.5, 61"; sleep 0.1; done ;;
  *) echo "NVIDIA H200, 580.159.04, 9.0, 143771, 1980, 3201, 700.00" ;;
esac
"""
BROKEN_SMI = """#!/bin/sh
echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
exit 9
"""
# Copy 4 TB/s: 85 % of it are 3.4.
BENCHMARK = r"""#!/bin/sh
line() { printf '{"group": "%s", "name": "%s", "by": "%s", "unit": "%s", "figure": %s, "work": 1, "median_s": 1, "runs": 30}\n' "$@"; }
case $1 in
  bandwidth)
    line copy "device to device" "the driver" TB/s 4.0
    line bandwidth "fast norm" ours TB/s 3.5
    line bandwidth "slow norm" ours TB/s 3.3
    line vocabulary "embedding" ours TB/s 1.0 ;;
  gemm)
    line gemm "cube" ours TFLOP/s 350
    line gemm "cube" "cuBLASLt 13.0.2" TFLOP/s 700 ;;
  attention)
    line attention "forward causal 1 x 8192 heads 64/8 of 128" $QUINTET_ATTENTION TFLOP/s 322
    line attention "forward causal 1 x 2048 heads 64/8 of 128" $QUINTET_ATTENTION TFLOP/s 100
    echo '{"group": "attention", "name": "backward", "by": "cudnn", "left_out": "no cuDNN"}'
    echo "out of luck" >&2; exit 1 ;;
esac
"""
OPERATORS = r"""#!/bin/sh
for word in "$@"; do case $word in --gtest_output=json:*) cat >"${word#--gtest_output=json:}" <<'J'
{"testsuites": [
 {"name": "On/Gemms", "testsuite": [{"name": "A", "result": "COMPLETED"}, {"name": "B", "result": "COMPLETED", "failures": [{}]}]},
 {"name": "On/Norms", "testsuite": [{"name": "A", "result": "COMPLETED"}, {"name": "B", "result": "SKIPPED"}]}]}
J
esac; done
exit 1
"""
SANITIZER = r"""#!/bin/sh
echo "guards $QUINTET_GUARDS"
echo "[  PASSED  ] 12 tests."
case "$*" in
  *memcheck*) echo "========= ERROR SUMMARY: 0 errors" ;;
  *) echo "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)"; exit 1 ;;
esac
"""


# Two steps of each of six models: errors of 1 % and -2 %, but -7 % of the last. Memory 1 % and, of the last, 3 % off.
QUINTET = r"""#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv[1:]
pathlib.Path("said.txt").open("a").write(" ".join(words) + "\n")
if words[0] == "calibrate":
    pathlib.Path(words[words.index("-o") + 1]).write_text("{}")
    sys.exit()
models = words[words.index("--model") + 1 : words.index("--plans")]
plans = words[words.index("--plans") + 1 : words.index("--steps")]
rows = []
for model in models:
    for plan in plans:
        last = model == models[-1] and plan == plans[-1]
        error = -0.07 if last else 0.01 if plan == plans[0] else -0.02
        rows.append({"model": pathlib.Path(model).parent.name, "plan": pathlib.Path(plan).stem, "measured_s": 0.1,
                     "predicted_s": 0.1 * (1 + error), "error": error, "memory_bytes": 1e9,
                     "predicted_memory_bytes": 1.03e9 if last else 1.01e9, "recording_cost": 0.004,
                     "recorded_by": "CUPTI 13.0.1"})
print(json.dumps({"plans": rows, "median_error": 0.015, "p90_error": 0.02, "coverage": 0.9, "remarks": []}))
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in ("bin", "build", "out"):
            (self.root / name).mkdir()

    def program(self, place, text):
        path = self.root / place
        path.write_text(text)
        path.chmod(0o755)

    def run_it(self, *words, smi=SMI):
        if smi:
            self.program("bin/nvidia-smi", smi)
        environment = {**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}", "OUT": str(self.root / "out")}
        start = time.monotonic()
        done = subprocess.run([sys.executable, HERE / "run", *words], capture_output=True, text=True, env=environment, cwd=self.root)
        self.seconds = time.monotonic() - start
        return done

    def checked(self, *only):
        done = self.run_it(str(self.root / "build"), "--only", ",".join(only))
        record = self.root / "out/gpu_run.json"
        self.rows = {row["name"]: row for row in json.loads(record.read_text())["rows"]} if record.exists() else {}
        return done

    def verdict(self, name):
        return self.rows[name]["verdict"]

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
        self.assertIn("'attentoin'; there are operators, operators_by_libraries, bandwidth", done.stderr)

    def test_refuses_a_build_that_is_no_folder(self):
        done = self.run_it("nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere is not a folder", done.stderr)

    def test_bandwidth_is_held_against_the_copy_of_the_same_run(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        done = self.checked("bandwidth")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdict("fast norm"), "pass")  # 3.5 / 4 = 87.5 %
        self.assertEqual(self.verdict("slow norm"), "MISS")  # 3.3 / 4 = 82.5 %
        self.assertEqual(self.verdict("embedding"), "")
        self.assertIn("87.5% of copy", done.stdout)

    def test_products_are_shown_beside_the_librarys(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        done = self.checked("gemm")
        self.assertEqual(done.returncode, 0)
        self.assertIn("50.0% of cuBLASLt", self.rows["cube, ours"]["result"])

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
        self.checked("operators")
        self.assertEqual((self.verdict("Gemms"), self.verdict("Norms")), ("FAIL", "pass"))
        self.assertIn("1 of 2 tests; failed: B", self.rows["Gemms"]["result"])
        self.assertIn("1 of 1 tests, 1 skipped", self.rows["Norms"]["result"])

    def test_tests_that_were_all_skipped_are_no_pass(self):
        self.program("build/gpu_operator_test", OPERATORS.replace("COMPLETED", "SKIPPED").replace(', "failures": [{}]', ""))
        self.assertEqual(self.checked("operators").returncode, 1)

    def test_the_sanitizer_runs_without_guards_and_its_errors_are_failures(self):
        self.program("bin/compute-sanitizer", SANITIZER)
        self.program("build/gpu_operator_test", OPERATORS)
        done = self.checked("memcheck")
        self.assertEqual((done.returncode, self.verdict("operators")), (0, "pass"))
        self.assertIn("guards none", (self.root / "out/memcheck.txt").read_text())
        self.assertEqual(self.checked("racecheck").returncode, 1)

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
        self.assertEqual(shown, "predicted 101.00 ms, measured 100.00 ms, +1.0%; memory +1.0% of 0.93 GiB; recording +0.4% by CUPTI 13.0.1")

    def test_the_loop_measures_once_and_then_runs_what_it_has_not_seen(self):
        self.loop_programs()
        self.checked("loop")
        first, second = (self.root / "said.txt").read_text().splitlines()
        self.assertTrue(first.startswith("calibrate --device gpu --topology h200-1"), first)
        self.assertTrue(second.startswith("loop --device gpu --topology h200-1"), second)
        plan = json.loads((self.root / "out/loop/plans/length-640.json").read_text())
        self.assertEqual(plan["parallelism"]["sequence_length"], 640)
        for name in ("gpt-640-8", "llama-1344-4"):
            self.assertTrue((self.root / f"out/loop/models/{name}/config.json").exists())

    def test_a_loop_that_fails_or_tells_too_little_is_a_failure(self):
        self.loop_programs("#!/bin/sh\necho 'quintet: it burns' >&2; exit 1\n")
        self.assertEqual(self.checked("loop").returncode, 1)
        self.assertEqual(self.verdict("the program"), "FAIL")
        self.loop_programs(QUINTET.replace("for model in models:", "for model in models[1:]:").replace('"memory_bytes": 1e9,', ""))
        self.checked("loop")
        self.assertEqual((self.verdict("steps"), self.verdict("memory, largest error")), ("FAIL", "FAIL"))

    def test_a_build_without_the_programs_that_train_says_so(self):
        done = self.checked("loop")
        self.assertEqual((done.returncode, self.verdict("")), (0, "not measured"))
        self.assertIn("has no quintet: build it", done.stdout)

    def test_what_cannot_run_is_not_measured_and_no_failure(self):
        done = self.checked("memcheck")
        self.assertEqual((done.returncode, self.verdict("")), (0, "not measured"))

    def test_a_build_without_the_operators_tests_says_so(self):
        done = self.checked("operators")
        self.assertEqual((done.returncode, self.verdict("")), (0, "not measured"))
        self.assertIn("GoogleTest was not found when it was built", done.stdout)

    def test_records_the_machine_and_its_clocks(self):
        self.program("build/gpu_benchmark", BENCHMARK.replace("gemm)", "gemm) sleep 0.5;"))
        self.checked("gemm")
        record = json.loads((self.root / "out/gpu_run.json").read_text())
        self.assertEqual(record["gpu"]["driver_version"], "580.159.04")
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

    def test_a_step_counts_its_work_by_the_formula(self):
        found = {f["name"]: f for f in self.figures("torch_step.py", "--steps", "1", "--weights", "master")}
        # GPT-2, 2 layers, 32 wide: a layer has 3168 + 1056 + 2112 + 2080 + 128 parameters, the rest 3232 + 64 in
        # products and 512 positions. 6 (2 x 8544 + 3296) + 6 x 2 x 32 x 16.
        self.assertEqual(found["toy-gpt2"]["flop_per_token"], 128448)
        self.assertEqual(found["toy-gpt2"]["parameters"], 20896)
        self.assertIn("toy-llama", found)

    def test_attention_is_named_as_our_benchmark_names_it(self):
        found = {f["name"]: f for f in self.figures("torch_attention.py")}
        # 4 x 2 x 4 x 8 x 16 x 16 / 2, causal.
        self.assertEqual(found["forward causal 2 x 16 heads 4/2 of 8"]["work"], 32768)
        self.assertEqual(found["backward causal 2 x 16 heads 4/2 of 8"]["work"], 2.5 * 32768)


if __name__ == "__main__":
    unittest.main()
