#!/usr/bin/env python3
"""tests/gpu/run with a made-up nvidia-smi and made-up programs: what it does with what they say."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

import checks
import machine
import models

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]

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
# As GoogleTest prints; at the end it lists what failed once more.
OPERATORS = r"""#!/bin/sh
cat <<'T'
[----------] 2 tests from On/Gemms
[ RUN      ] On/Gemms.A/gpu
[       OK ] On/Gemms.A/gpu (3 ms)
[ RUN      ] On/Gemms.B/gpu
[  FAILED  ] On/Gemms.B/gpu, where GetParam() = gpu (1 ms)
[ RUN      ] On/Norms.A/gpu
[       OK ] On/Norms.A/gpu (3 ms)
[ RUN      ] Recorder.Records
[       OK ] Recorder.Records (1 ms)
[ RUN      ] On/Norms.B/gpu
[  SKIPPED ] On/Norms.B/gpu (0 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] On/Gemms.B/gpu, where GetParam() = gpu
T
exit 1
"""
SANITIZER = r"""#!/bin/sh
echo "guards $QUINTET_GUARDS, $*"
echo "[       OK ] On/Gemms.A/gpu (3 ms)"
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
runs = pathlib.Path(words[words.index("--out") + 1])
runs.mkdir(exist_ok=True)
for kind in ("predicted", "measured"):
    (runs / f"{pathlib.Path(models[0]).parent.name}.{kind}.json").write_text("{}")
plans = words[words.index("--plans") + 1 : words.index("--steps")]
rows = []
for model in models:
    for plan in plans:
        last = "llama-1344" in model and plan == plans[-1]
        error = -0.07 if last else 0.01 if plan == plans[0] else -0.02
        rows.append({"interval_s": [0.09, 0.11 if not last else 0.095], "model": pathlib.Path(model).parent.name, "plan": pathlib.Path(plan).stem, "measured_s": 0.1,
                     "predicted_s": 0.1 * (1 + error), "error": error, "memory_bytes": 1e9,
                     "predicted_memory_bytes": 1.03e9 if last else 1.01e9, "recording_cost": 0.004,
                     "recorded_by": "CUPTI 13.0.1"})
print(json.dumps({"plans": rows, "median_error": 0.015, "p90_error": 0.02, "coverage": 0.9, "remarks": []}))
"""


def lives(process):
    path = pathlib.Path(f"/proc/{process}/stat")
    return path.exists() and path.read_text().rsplit(")", 1)[1].split()[0] != "Z"


class WithMadeUpPrograms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in ("bin", "build", "out", "sources/tests"):
            (self.root / name).mkdir(parents=True)
        # Scripts of their own: what they record and take lies below the sources.
        shutil.copytree(HERE, self.root / "sources/tests/gpu", ignore=shutil.ignore_patterns("__pycache__"))
        self.stand_in = ""

    def program(self, place, text):
        path = self.root / place
        path.write_text(text)
        path.chmod(0o755)

    def run_it(self, *words, smi=SMI):
        if smi:
            self.program("bin/nvidia-smi", smi)
        start = time.monotonic()
        done = subprocess.run([*self.words(), *words], capture_output=True, text=True, env=self.environment(), cwd=self.root)
        self.seconds = time.monotonic() - start
        return done

    def words(self):
        return [sys.executable, self.root / "sources/tests/gpu/run"]

    def environment(self):
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "OUT": str(self.root / "out"), "QUINTET_CUDA_MODULE": self.stand_in}

    def checked(self, only, *more):
        return self.kept(self.run_it(str(self.root / "build"), "--only", only, *more))

    def called(self, number, *more):
        return self.kept(self.run_it(str(self.root / "build"), "--call", str(number), *more), f"gpu_call_{number}")

    def kept(self, done, name="gpu_run"):
        """What came back, in self.record, self.rows and the folder self.back."""
        self.archive = self.root / f"out/{name}.tar.gz"
        self.back = self.root / "back"
        shutil.rmtree(self.back, ignore_errors=True)
        if self.archive.exists():
            with tarfile.open(self.archive) as file:
                file.extractall(self.back)
            self.record = json.loads((self.back / "gpu_run.json").read_text())
        self.rows = {row["name"]: row for row in self.record["rows"]} if self.archive.exists() else {}
        return done

    def verdict(self, name):
        return self.rows[name]["verdict"]


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


class Calls(WithMadeUpPrograms):
    """Whole calls, cut off in any way, and what comes home."""

    def test_every_call_is_of_checks_that_there_are_and_no_check_is_forgotten(self):
        known = [check.name for check in checks.ALL]
        called = [name for call in checks.CALLS.values() for name in call.checks]
        self.assertEqual(sorted(called), sorted(known))

    def test_a_call_that_is_over_leaves_its_table_and_says_what_it_did_not_measure(self):
        self.program("build/gpu_benchmark", BENCHMARK.replace("gemm)", "gemm) line gemm first ours TFLOP/s 1; exec sleep 60;"))
        done = self.called(4, "--minutes", "0.25")  # 15 s, 10 of them to end
        self.assertEqual(done.returncode, 1)
        self.assertLess(self.seconds, 15)
        self.assertEqual(self.verdict("fast norm"), "pass")
        self.assertIn("first, ours", self.rows)  # said before the time was over
        self.assertIn("was stopped after", self.rows["the program"]["result"])
        self.assertEqual(self.rows[""]["check"], "attention")
        self.assertIn("the call's time was over; --only attention measures it", self.rows[""]["result"])
        self.assertIn("87.5% of copy", (self.root / "out/gpu_call_4.txt").read_text())

    def test_a_call_that_is_ended_writes_its_table_and_leaves_nothing_running(self):
        lasting = f"gemm) line gemm first ours TFLOP/s 1; sleep 61.5 & echo $! >{self.root}/child; wait;"
        self.program("build/gpu_benchmark", BENCHMARK.replace("gemm)", lasting))
        self.program("bin/nvidia-smi", SMI)
        words = [*self.words(), str(self.root / "build"), "--only", "bandwidth,gemm,attention"]
        process = subprocess.Popen(words, env=self.environment(), cwd=self.root, stdout=subprocess.PIPE, text=True)
        while not (self.root / "child").exists() or not (self.root / "child").read_text().strip():
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=20)[0]
        self.kept(process)
        self.assertEqual(process.returncode, 1)
        self.assertIn("was cut off by SIGTERM", self.rows["the program"]["result"])
        self.assertIn("first, ours", self.rows)
        self.assertEqual(self.verdict(""), "not measured")  # attention
        self.assertIn("87.5% of copy", output)
        child = int((self.root / "child").read_text())
        self.assertFalse(lives(child))

    def test_the_table_is_there_while_a_program_runs(self):
        self.program("build/gpu_benchmark", BENCHMARK.replace("gemm)", "gemm) line gemm first ours TFLOP/s 1; exec sleep 60;"))
        self.program("bin/nvidia-smi", SMI)
        process = subprocess.Popen([*self.words(), str(self.root / "build"), "--only", "gemm"], env=self.environment(), cwd=self.root)
        path, until = self.root / "out/gpu_run.txt", time.monotonic() + 30
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.1)
        process.kill()  # as a machine does that is taken back
        process.wait()
        self.assertIn("first, ours", path.read_text())

    def test_what_a_stand_in_did_is_no_measurement(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        self.stand_in = "/somewhere/libquintet_fake_gpu.so"
        done = self.checked("gemm")
        self.assertIn("BY A STAND-IN, /somewhere/libquintet_fake_gpu.so, nothing was measured", done.stdout)
        taken = self.run_it("--take", str(self.archive))
        self.assertEqual(taken.returncode, 2)
        self.assertIn("was made by a stand-in, /somewhere/libquintet_fake_gpu.so", taken.stderr)
        self.assertEqual(self.run_it("--take", str(self.archive), "--into", str(self.root / "elsewhere")).returncode, 0)

    def test_an_archive_is_taken_once_into_a_folder_of_its_date_and_gpu(self):
        self.program("build/gpu_benchmark", BENCHMARK)
        self.called(4)
        recorded = self.root / "sources/traces/recorded"
        self.assertEqual(self.run_it("--take", str(self.archive)).returncode, 0)
        (folder,) = recorded.iterdir()
        self.assertRegex(folder.name, r"^20\d\d-\d\d-\d\dT\d{4}-h200-call-4$")
        for name in ("table.txt", "gpu_run.json", "gemm.txt"):
            self.assertEqual((folder / name).read_bytes(), (self.back / name).read_bytes())
        again = self.run_it("--take", str(self.archive))
        self.assertEqual(again.returncode, 2)
        self.assertIn("is there already", again.stderr)

    def test_both_timelines_of_each_step_come_home_and_their_comparison_is_named(self):
        for name in ("quintet", "quintet-run", "quintet-calibrate"):
            self.program(f"build/{name}", QUINTET)
        self.called(6)
        taken = self.run_it("--take", str(self.archive), "--into", str(self.root / "home"))
        comparisons = [line.split() for line in taken.stdout.splitlines() if "quintet compare" in line]
        self.assertEqual(len(comparisons), 6)  # models
        for _, _, predicted, measured in comparisons:
            self.assertTrue(os.path.exists(predicted) and os.path.exists(measured))

    def test_what_is_no_archive_of_ours_is_refused(self):
        other = self.root / "other.tar.gz"
        with tarfile.open(other, "w:gz") as file:
            file.add(__file__, "a.py")
        for path, why in ((other, "has no gpu_run.json"), (pathlib.Path(__file__), "is no archive"), (self.root / "no", "is no archive")):
            done = self.run_it("--take", str(path))
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)


class Machines(unittest.TestCase):
    def kind(self, name, mebibytes):
        return machine.Gpu(facts={"name": name, "memory.total": str(mebibytes)})

    def test_a_gpu_is_told_by_its_name_and_memory(self):
        # What nvidia-smi says of each.
        for name, mebibytes, topology in (
            ("NVIDIA H100 80GB HBM3", 81559, "h100-1"),
            ("NVIDIA H100 PCIe", 81559, "h100-pcie-1"),
            ("NVIDIA H100 NVL", 95830, "h100-nvl-1"),
            ("NVIDIA H200", 143771, "h200-1"),
            ("NVIDIA H200 NVL", 143771, "h200-nvl-1"),
            ("NVIDIA GH200 480GB", 97871, ""),  # no H200
            ("NVIDIA H100", 97871, ""),  # of 96 GB: another
            ("NVIDIA L4", 23034, ""),
        ):
            self.assertEqual(self.kind(name, mebibytes).topology, topology, name)
        self.assertIsNone(self.kind("NVIDIA L4", 23034).peak_tflops)
        self.assertEqual(self.kind("NVIDIA H100 PCIe", 81559).peak_tflops, 756.0)

    def test_topologies_say_of_each_what_the_datasheets_say(self):
        for kind in machine.KINDS:
            if kind.topology:
                host = json.loads((SOURCE / "topologies" / f"{kind.topology}.json").read_text())["host"]
                gpu = json.loads((SOURCE / "topologies" / host).read_text())["gpu"]
                self.assertEqual((gpu["count"], gpu["peaks"]["bf16"]), (1, f"{kind.peak_tflops:g} TFLOP/s"))
                self.assertEqual(float(gpu["memory_bandwidth"].split()[0]), 1000 * kind.memory_tb_s)


class Models(unittest.TestCase):
    def test_a_step_counts_its_work_by_the_formula(self):
        # GPT-2, 2 layers, 32 wide: a layer has 3168 + 1056 + 2112 + 2080 + 128 parameters, the rest 3232 + 64 in
        # products. 6 (2 x 8544 + 3296) + 6 x 2 x 32 x 16.
        self.assertEqual(models.TOYS["toy-gpt2"].flop_per_token, 128448)
        # As traces/models counts GPT-2's 124,439,808, less 1024 positions of 768.
        self.assertEqual(models.SHAPES["gpt2-124m"].parameters_in_products, 124439808 - 1024 * 768)


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
