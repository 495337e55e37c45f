"""The GPU as nvidia-smi sees it, and its clocks while something runs."""
import dataclasses
import os
import shutil
import statistics
import subprocess
import threading

PLACES = ("/usr/bin/nvidia-smi", "/usr/local/nvidia/bin/nvidia-smi")
FACTS = ("name", "driver_version", "compute_cap", "memory.total", "clocks.max.sm", "clocks.max.mem", "power.limit")
CLOCKS = ("clocks.sm", "clocks.mem", "power.draw", "temperature.gpu")
# Dense bf16 products of the tensor cores in TFLOP/s, from NVIDIA's datasheets.
PEAK_BFLOAT16 = (("B200", 2250.0), ("H200", 989.0), ("H100", 989.0), ("A100", 312.0))


@dataclasses.dataclass
class Gpu:
    why_none: str = ""
    smi: str = ""
    facts: dict = dataclasses.field(default_factory=dict)

    @property
    def peak_tflops(self):
        for name, peak in PEAK_BFLOAT16:
            if name in self.facts.get("name", ""):
                return peak
        return None


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
