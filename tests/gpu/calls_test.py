#!/usr/bin/env python3
"""Calls of tests/gpu/run with made-up programs: cut off in any way, and brought home; which machine and which models."""
import json
import os
import pathlib
import signal
import subprocess
import tarfile
import time
import unittest

import checks
import machine
import models
from made_up_programs import BENCHMARK, QUINTET, SMI, SOURCE, WithMadeUpPrograms, lives


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
        # What came after the check that lasted was not measured; the last of the table is the last of the call.
        last = checks.CALLS[4].checks[-1]
        self.assertEqual(self.rows[""]["check"], last)
        self.assertIn(f"the call's time was over; --only {last} measures it", self.rows[""]["result"])
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


if __name__ == "__main__":
    unittest.main()
