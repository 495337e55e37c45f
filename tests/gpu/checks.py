"""What is checked: one row of ALL each. A check runs one program, and its reader makes rows of what the
program said. To add one: a row here and a reader in readers.py. CALLS says which belong together."""
import dataclasses
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import typing

import machine
import models
import readers


@dataclasses.dataclass
class Place:
    source: pathlib.Path
    build: pathlib.Path
    records: pathlib.Path
    gpu: machine.Gpu
    seconds_of_steps: dict = dataclasses.field(default_factory=dict)  # model -> by -> seconds, of this call

    def program(self, name):
        return str(self.build / name)

    def script(self, name):
        return str(self.source / "tests/gpu" / name)


@dataclasses.dataclass
class Check:
    name: str
    command: typing.Callable  # Place -> words
    read: typing.Callable  # readers.Said, Place -> rows
    limit_s: int  # in each environment; less where the call has less left
    needs: typing.Callable = lambda place: ""  # Place -> why it cannot run
    environments: tuple = ({},)  # the command runs once in each


def needs_operator_tests(place):
    built = (place.build / "gpu_operator_test").exists()
    return "" if built else f"{place.build} has no gpu_operator_test: GoogleTest was not found when it was built"


def compute_sanitizer():
    return shutil.which("compute-sanitizer", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")


def needs_sanitizer(place):
    return needs_operator_tests(place) if compute_sanitizer() else "compute-sanitizer is not on the path"


def needs_training(place):
    programs = ("quintet", "quintet-run", "quintet-calibrate")
    missing = [name for name in programs if not (place.build / name).exists()]
    return f"{place.build} has no {missing[0]}: build it with UCX and OpenSSL, or carry it there" if missing else ""


def needs_topology(place):
    facts = place.gpu.facts
    unknown = f"no machine of topologies/ has one {facts['name']} of {facts['memory.total']} MiB"
    return needs_training(place) or ("" if place.gpu.topology else unknown)


@functools.cache
def torch_sees_the_gpu():
    probe = subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"], capture_output=True)
    return probe.returncode == 0


def needs_torch(place):
    return "" if torch_sees_the_gpu() else "this Python has no torch that sees the GPU"


def benchmark(part):
    return lambda place: [place.program("gpu_benchmark"), part]


def operator_tests(place):
    return [place.program("gpu_operator_test")]


def sanitized(tool, tests):
    return lambda place: [compute_sanitizer(), "--tool", tool, place.program("gpu_operator_test"), f"--gtest_filter={tests}"]


def torch_script(*words):
    return lambda place: [sys.executable, place.script(words[0]), *words[1:]]


def training_script(script, *words):
    """Which is given the program and a folder of the records to work in."""

    def command(place):
        folder = place.records / script.removesuffix(".py")
        return [sys.executable, place.script(script), place.program("quintet"), "--out", str(folder), *words]

    return command


def own_step(model, attention, limit_s):
    def command(place):
        known = ["--topology", place.gpu.topology] if place.gpu.topology else []
        known += ["--peak", str(place.gpu.peak_tflops)] if place.gpu.peak_tflops else []
        return training_script("own_step.py", model, "--attention", attention, "--limit", str(limit_s), *known)(place)

    return command


def on_this_machine(script, *words):
    return lambda place: training_script(script, "--topology", place.gpu.topology, *words)(place)


OWN, LIBRARIES = {"QUINTET_ATTENTION": "own"}, {"QUINTET_ATTENTION": "cudnn"}
# Guards would hide from the sanitizer what goes beyond a piece of memory.
EXACT_PIECES = ({"QUINTET_GUARDS": "none", **OWN},)
# A sanitizer slows a kernel a hundredfold: those first that share memory between threads. What compares whole
# trainings with the reference is left out.
SANITIZED = {
    "attention": "*Attention*:*Softmax*",
    "norms": "*Norms*:*CrossEntropies*:*Embeddings*",
    "products": "*Gemms*:*Float8s*",
    "rest": "*-*Attention*:*Softmax*:*Norms*:*CrossEntropies*:*Embeddings*:*Gemms*:*Float8s*:*Reference*",
}
OPERATORS = (
    Check("operators", operator_tests, readers.operators, 240, needs_operator_tests, (OWN,)),
    Check("operators_by_libraries", operator_tests, readers.operators, 180, needs_operator_tests, (LIBRARIES,)),
)


def step_checks(model):
    """Ours with cuDNN's attention and with our own; PyTorch between them, so that a call that is cut off compares."""
    limit_s = 100 if model.startswith("gpt2-124m") else 150
    own = {
        kind: Check(f"step_{model}_{kind}", own_step(model, kind, limit_s - 10), readers.steps, limit_s, needs_training)
        for kind in ("cudnn", "own")
    }
    torch = torch_script("torch_step.py", model, "--weights", "master", "--steps", "12")
    return (own["cudnn"], Check(f"torch_{model}", torch, readers.steps, limit_s + 50, needs_torch), own["own"])


STEPS = tuple(check for model in models.SHAPES for check in step_checks(model))
RANKS = tuple(
    Check(f"ranks_{way}", training_script("ranks_check.py", "--only", way), readers.told, limit_s, needs_training)
    for way, limit_s in (("threads", 120), ("nccl", 240), ("host", 120), ("exchanges", 180), ("kill", 120))
)
SANITIZERS = tuple(
    Check(f"{tool}_{name}", sanitized(tool, tests), readers.sanitizer, 120, needs_sanitizer, EXACT_PIECES)
    for name, tests in SANITIZED.items()
    for tool in ("memcheck", "racecheck")
)
ROOFS = (
    Check("bandwidth", benchmark("bandwidth"), readers.bandwidth, 150),
    Check("gemm", benchmark("gemm"), readers.gemm, 150),
    Check("torch_attention", torch_script("torch_attention.py"), readers.torch_attention, 120, needs_torch),
    Check("attention", benchmark("attention"), readers.attention, 90, environments=(OWN, LIBRARIES)),
    Check("replicators", benchmark("replicators"), readers.replicators, 60),
)
ALL = (
    Check("machine", lambda place: [place.program("gpu_benchmark"), "--find"], readers.found, 60),
    *OPERATORS,
    Check("short_steps", training_script("short_steps.py"), readers.told, 200, needs_training),
    Check("predicted_steps", on_this_machine("predicted_steps.py"), readers.steps, 60, needs_topology),
    *STEPS,
    *RANKS,
    *ROOFS,
    *SANITIZERS,
    Check("loop", on_this_machine("loop_check.py", "--time", "150"), readers.loop, 600, needs_topology),
)


@dataclasses.dataclass(frozen=True)
class Call:
    about: str
    checks: tuple  # names


def names(checks):
    return tuple(check.name for check in checks)


CALLS = {
    1: Call("smoke, operators, five steps eager and by graphs", ("machine", *names(OPERATORS), "short_steps")),
    2: Call("whole steps of four models, with cuDNN's and with our attention, PyTorch beside", ("predicted_steps", *names(STEPS))),
    3: Call("ranks on one GPU: threads, NCCL, the host's way, replicators and dealt samples, a killed rank", names(RANKS)),
    4: Call("bandwidth, products, attention, replicators, and the roofs", names(ROOFS)),
    5: Call("memcheck and racecheck, operators by operators", names(SANITIZERS)),
    6: Call("calibration, then steps that it has not seen", ("loop",)),
}
CALL_MINUTES = 9


def library_folders():
    """Of the driver, and of NVIDIA's packages in this Python's environment, for what one of their libraries opens by
    its bare name."""
    packages = [pathlib.Path(path) for path in sys.path if path.endswith("-packages")]
    found = [str(folder) for path in packages for folder in sorted(path.glob("nvidia/*/lib"))]
    return [folder for folder in ("/usr/local/nvidia/lib64",) if os.path.isdir(folder)] + found


def environment_for(given, place):
    libraries = [*library_folders(), os.environ.get("LD_LIBRARY_PATH", "")]
    return {
        "QUINTET_CUDA_MODULE": str(place.build / "libquintet_cuda.so"),
        "VIRTUAL_ENV": sys.prefix,
        **os.environ,  # a stand-in may be named
        "QUINTET_SOURCE_DIR": str(place.source),
        "QUINTET_DATA": str(place.source),
        "LD_LIBRARY_PATH": ":".join(path for path in libraries if path),
        **given,
    }
