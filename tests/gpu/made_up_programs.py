"""A made-up nvidia-smi and made-up programs, and tests/gpu/run with them."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

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
  replicators)
    line replicators "outer step" ours TB/s 3.0
    echo '{"group": "replicators", "name": "draw", "by": "ours", "left_out": "no memory"}' ;;
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
