"""The GPU as nvidia-smi sees it, and its clocks while something runs."""
import dataclasses
import os
import re
import shutil
import statistics
import subprocess
import threading

PLACES = ("/usr/bin/nvidia-smi", "/usr/local/nvidia/bin/nvidia-smi")
FACTS = ("name", "driver_version", "compute_cap", "memory.total", "clocks.max.sm", "clocks.max.mem", "power.limit")
CLOCKS = ("clocks.sm", "clocks.mem", "power.draw", "temperature.gpu")


@dataclasses.dataclass(frozen=True)
class Kind:
    """Dense bf16 products of the tensor cores in TFLOP/s and bandwidth in TB/s, from NVIDIA's datasheets (cited in
    topologies/hosts), for GPUs that nvidia-smi names so and gives so much memory."""

    name: str  # all that nvidia-smi says after "NVIDIA ", as a pattern
    memory_gib: tuple  # from, to
    peak_tflops: float
    memory_tb_s: float
    topology: str = ""  # of topologies/; empty: none has one such GPU


KINDS = (
    Kind(r"H100( SXM5?)? 80GB( HBM3)?", (78, 82), 989.4, 3.35, "h100-1"),
    Kind(r"H100 PCIe", (78, 82), 756.0, 2.0, "h100-pcie-1"),
    Kind(r"H100 NVL", (92, 96), 835.5, 3.9, "h100-nvl-1"),
    Kind(r"H200", (138, 144), 989.4, 4.8, "h200-1"),
    Kind(r"H200 NVL", (138, 144), 835.5, 4.8, "h200-nvl-1"),
    Kind(r"GH200.*", (92, 146), 989.4, 4.0),
    Kind(r"B200", (170, 190), 2250.0, 8.0),
    Kind(r"A100.*80GB.*", (78, 82), 312.0, 2.0),
    Kind(r"A100.*40GB.*", (38, 42), 312.0, 1.555),
)


@dataclasses.dataclass
class Gpu:
    why_none: str = ""
    smi: str = ""
    facts: dict = dataclasses.field(default_factory=dict)

    @property
    def kind(self):
        """None: a GPU whose figures are not known here."""
        name = self.facts.get("name", "").removeprefix("NVIDIA ")
        try:
            gib = float(self.facts.get("memory.total", "")) / 1024
        except ValueError:
            return None
        fits = (kind for kind in KINDS if re.fullmatch(kind.name, name) and kind.memory_gib[0] <= gib <= kind.memory_gib[1])
        return next(fits, None)

    @property
    def peak_tflops(self):
        return self.kind.peak_tflops if self.kind else None

    @property
    def topology(self):
        return self.kind.topology if self.kind else ""


def find_gpu():
    smi = shutil.which("nvidia-smi") or next((place for place in PLACES if os.path.exists(place)), None)
    if smi is None:
        return Gpu(why_none="nvidia-smi, which comes with NVIDIA's driver, is not on this machine")
    query = [smi, f"--query-gpu={','.join(FACTS)}", "--format=csv,noheader,nounits", "--id=0"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as failure:
        return Gpu(why_none=f"{smi} does not answer: {failure}")
    values = [value.strip() for value in answer.stdout.strip().split(",")]
    if answer.returncode != 0 or len(values) != len(FACTS):
        said = (answer.stderr.strip() or answer.stdout.strip() or "nothing").splitlines()[0]
        return Gpu(why_none=f"{smi} says: {said}")
    return Gpu(smi=smi, facts=dict(zip(FACTS, values)))


class ClockLog:
    """Samples clocks, power and temperature twice a second while it is open."""

    def __init__(self, gpu):
        self.query = [gpu.smi, f"--query-gpu={','.join(CLOCKS)}", "--format=csv,noheader,nounits", "--id=0", "--loop-ms=500"]
        self.samples = {name: [] for name in CLOCKS}

    def __enter__(self):
        self.process = subprocess.Popen(self.query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        return self

    def read(self):
        for line in self.process.stdout:
            for name, value in zip(CLOCKS, line.split(",")):
                try:
                    self.samples[name].append(float(value))
                except ValueError:
                    pass  # "[N/A]"

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.reader.join(timeout=5)

    def summary(self):
        return {
            name: {"lowest": min(values), "median": statistics.median(values), "highest": max(values)}
            for name, values in self.samples.items()
            if values
        }
