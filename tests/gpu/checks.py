"""What is checked: one row of ALL each. A check runs one program, and its reader makes rows of what the
program said. To add one: a row here and a reader in readers.py."""
import dataclasses
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import typing

import machine
import readers
import table


@dataclasses.dataclass
class Place:
    source: pathlib.Path
    build: pathlib.Path
    records: pathlib.Path
    gpu: machine.Gpu

    def program(self, name):
        return str(self.build / name)

    def script(self, name):
        return str(self.source / "tests/gpu" / name)


@dataclasses.dataclass
class Check:
    name: str
    command: typing.Callable  # Place -> words
    read: typing.Callable  # readers.Said, Place -> rows
    limit_s: int
    needs: typing.Callable = lambda place: ""  # Place -> why it cannot run
    environments: tuple = ({},)  # the command runs once in each


def needs_operator_tests(place):
    built = (place.build / "gpu_operator_test").exists()
    return "" if built else f"{place.build} has no gpu_operator_test: GoogleTest was not found when it was built"


def needs_sanitizer(place):
    found = shutil.which("compute-sanitizer")
    return needs_operator_tests(place) if found else "compute-sanitizer is not on the path"


def needs_training(place):
    programs = ("quintet", "quintet-run", "quintet-calibrate")
    missing = [name for name in programs if not (place.build / name).exists()]
    return f"{place.build} has no {missing[0]}: build it with UCX and OpenSSL, or carry it there" if missing else ""


@functools.cache
def torch_sees_the_gpu():
    probe = subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"], capture_output=True)
    return probe.returncode == 0


def needs_torch(place):
    return "" if torch_sees_the_gpu() else "this Python has no torch that sees the GPU"


def benchmark(part):
    return lambda place: [place.program("gpu_benchmark"), part]


def operator_tests(place):
    return [place.program("gpu_operator_test"), f"--gtest_output=json:{place.records / readers.OPERATOR_RESULTS}"]


def sanitized(tool):
    def command(place):
        return ["compute-sanitizer", "--tool", tool, place.program("gpu_operator_test"), "--gtest_brief=1"]

    return command


def torch_script(*words):
    return lambda place: [sys.executable, place.script(words[0]), *words[1:]]


def loop(place):
    return [sys.executable, place.script("loop_check.py"), place.program("quintet"), "--out", str(place.records / "loop")]


OWN, LIBRARIES = {"QUINTET_ATTENTION": "own"}, {"QUINTET_ATTENTION": "cudnn"}
# Guards would hide from the sanitizer what goes beyond a piece of memory.
EXACT_PIECES = ({"QUINTET_GUARDS": "none", **OWN},)

# Steps of our own engine are a Check for each model of readers.MFU, before the torch_... ones: a command that
# runs the step and prints torch_step.py's line, with "by": "quintet"; readers.steps knows the bars.
ALL = (
    Check("operators", operator_tests, readers.operators, 300, needs_operator_tests, (OWN,)),
    Check("operators_by_libraries", operator_tests, readers.operators, 300, needs_operator_tests, (LIBRARIES,)),
    Check("bandwidth", benchmark("bandwidth"), readers.bandwidth, 180),
    Check("gemm", benchmark("gemm"), readers.gemm, 180),
    Check("torch_attention", torch_script("torch_attention.py"), readers.torch_attention, 180, needs_torch),
    Check("attention", benchmark("attention"), readers.attention, 180, environments=(OWN, LIBRARIES)),
    *(Check(f"torch_{model}", torch_script("torch_step.py", model), readers.steps, 420, needs_torch) for model in readers.MFU),
    Check("loop", loop, readers.loop, 600, needs_training),
    Check("memcheck", sanitized("memcheck"), readers.sanitizer, 420, needs_sanitizer, EXACT_PIECES),
    Check("racecheck", sanitized("racecheck"), readers.sanitizer, 420, needs_sanitizer, EXACT_PIECES),
)


def environment_for(given, place):
    libraries = [str(place.build / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    return {
        **os.environ,
        "QUINTET_CUDA_MODULE": str(place.build / "libquintet_cuda.so"),
        "QUINTET_SOURCE_DIR": str(place.source),
        "LD_LIBRARY_PATH": ":".join(path for path in libraries if path),
        **given,
    }


def run(check, place):
    why_not = check.needs(place)
    if why_not:
        return [table.Row(check.name, "", why_not, verdict=table.NOT_MEASURED)]
    said, clocks = said_by(check, place)
    rows = check.read(check.name, said, place)
    for row in rows:
        row.details["clocks"] = clocks
    return rows


def said_by(check, place):
    """What the command said in all its environments; the first bad end is how it ended."""
    output = place.records / f"{check.name}.txt"
    ended, how = 0, "ended with 0"
    with machine.ClockLog(place.gpu) as clocks, open(output, "w") as file:
        for given in check.environments:
            one, how_one = end_of(check, place, given, file)
            if ended == 0:
                ended, how = one, how_one
    return readers.Said(output.read_text(errors="replace"), ended, how), clocks.summary()


def end_of(check, place, given, file):
    environment = environment_for(given, place)
    try:
        done = subprocess.run(check.command(place), stdout=file, stderr=subprocess.STDOUT, timeout=check.limit_s, env=environment)
        return done.returncode, f"ended with {done.returncode}"
    except subprocess.TimeoutExpired:
        return None, f"was stopped after {check.limit_s} s"
    except OSError as failure:
        return None, str(failure)
