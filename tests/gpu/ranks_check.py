#!/usr/bin/env python3
"""Several ranks on one GPU, each way that data can go between them, beside one rank that trains the same model. One
line of JSON per figure; times of ranks that share a GPU mean nothing and are not told.

  ranks_check.py QUINTET [--out FOLDER] [--deadline SECONDS] [--only WORD[,WORD...]] [--steps N] [--device DEVICE]

--only      threads (virtual ranks of one process), nccl (a process each, NCCL told that each is a host of its own),
            host (through the host's memory and UCX),
            kill (one of two, once beside NCCL and once beside the host's way),
            exchanges (replicators, and samples of unequal length that ranks deal by length: over NCCL and through the
            host's memory, each beside the same plan on CPU cores)
--device    default gpu; cpu tries the script where there is none: its ways are threads and host

The plans split 16 sequences of 64 bytes by data, tensor and pipeline; all train the same model, so that losses are
those of one rank but for the order of sums: 0.1 % in fp32.
"""
import argparse
import os
import pathlib
import signal
import sys
import time

import models
from engine_runs import SOURCE, Failed, end_all_of, end_by_exception, farthest, losses, say, started, trained

sys.path.insert(0, str(SOURCE / "tests/faults"))
from fault_trials import ranks_below  # noqa: E402

MOST = 1e-3
WHOLE = {"sequence_length": 64, "micro_batch": 4, "micro_batches": 4, "compute_type": "fp32"}
SPLITS = {
    "dp2": {"data": 2, "micro_batches": 2},
    "tp2": {"tensor": 2},
    "pp2": {"pipeline": 2},
    "tp2-pp2": {"tensor": 2, "pipeline": 2},
    "zero3": {"data": 2, "micro_batches": 2, "sharding": "parameters"},
}
# Values and no signs: what is rounded otherwise on a GPU is then as near to the CPU's as it was before the exchange.
REPLICATED = {"data": 2, "micro_batches": 2, "clipping": "none"}
EXCHANGES = {
    "demo": {**REPLICATED, "replicator": {"kind": "demo", "chunk": 32, "top_k": 64, "sign": False}},
    "random": {**REPLICATED, "replicator": {"kind": "random", "rate": 0.125, "sign": False}},
    "striding": {**REPLICATED, "replicator": {"kind": "striding", "rate": 0.125, "sign": False}},
    "diloco": {**REPLICATED, "replicator": {"kind": "diloco", "every": 2}},
    "dealt-samples": {"data": 2, "micro_batches": 2, "load_balance": "presort-globally",
                      "samples": {"lengths": "the-valley", "draw": "random"}},
}
WAYS = {"threads": ["--one-process"], "nccl": ["--carry", "nccl"], "host": ["--carry", "host"]}
CARRIED = {"--carry", "nccl", "host"}  # a decision on GPUs
# A warm-up, a rendezvous and five steps beside what a communication may take.
BESIDE_THE_DEADLINE = 45


class Ranks:
    def __init__(self, options):
        self.options = options
        self.deadline = ["--deadline", options.deadline]

    def plan(self, name, launch, split):
        content = {"parallelism": {**WHOLE, **split}, "host_net": {"launch": launch}}
        return models.written(self.options.out / f"{name}-{launch}.plan.json", content)

    def losses(self, name, launch, split, *more, device=None):
        options = self.options
        device = device or options.device
        more = more if device == "gpu" else [word for word in more if word not in CARRIED]
        run = f"{name}-{launch}-{device}-{'-'.join(str(word) for word in more).replace('--', '')}"
        log = trained(
            options.quintet,
            self.plan(name, launch, split),
            "tiny-gpt",
            "the-valley",
            options.steps,
            options.out,
            run,
            options.deadline + BESIDE_THE_DEADLINE,
            "--device",
            device,
            *self.deadline,
            *more,
        )
        return [record["loss"] for record in log if record["record"] == "step"]

    def check(self, way, name, launch, expected):
        title = f"{name}, {way}, {launch}"
        try:
            found = self.losses(name, launch, {**SPLITS, **EXCHANGES}[name], *WAYS[way])
        except Failed as failure:
            say("ranks", title, result=str(failure), passed=False)
            return
        off, whose = farthest(found, expected), "the CPU's" if name in EXCHANGES else "one rank's"
        say("ranks", title, result=f"losses {off:.1e} off {whose}", bar=f"{MOST:.1%}", passed=off <= MOST)

    def exchanges(self):
        for name, split in EXCHANGES.items():
            try:
                expected = self.losses(name, "eager", split, device="cpu")
            except Failed as failure:
                say("ranks", f"{name} on CPU cores", result=str(failure), passed=False)
                continue
            for way in ("nccl", "host") if self.options.device == "gpu" else ("host",):
                self.check(way, name, "graphs", expected)

    def kill(self, way):
        """One of two ranks, in the middle of training: the job must end, say which, and leave nobody behind."""
        title, log = f"dp2, {way}, a killed rank", self.options.out / f"killed-{way}.jsonl"
        log.unlink(missing_ok=True)
        words = [self.options.quintet, "run", self.plan("dp2", "graphs", SPLITS["dp2"]), "--model", "tiny-gpt"]
        words += ["--data", "the-valley", "--steps", 1_000_000, "--log", log, *self.deadline]
        words += ["--device", self.options.device, *(WAYS[way] if self.options.device == "gpu" else [])]
        said = self.options.out / f"killed-{way}.txt"
        with open(said, "w") as file:
            process = started(words, stdout=file, stderr=file)
            try:
                took = self.time_to_end(process, log)
                code, text = process.returncode, said.read_text()
            except Failed as failure:
                say("ranks", title, result=str(failure), passed=False)
                return
            finally:
                end_all_of(process)
        named = "rank 1 was killed by signal 9" in text
        result = f"ended with {code} after {took:.1f} s, " + ("the rank is named" if named else "the rank is not named")
        say("ranks", title, result=result, bar=f"1 within {self.options.deadline} s", passed=named and code == 1)

    def time_to_end(self, process, log):
        until = time.monotonic() + self.options.deadline + BESIDE_THE_DEADLINE
        while len(losses(log)) < 3:
            if process.poll() is not None:
                raise Failed(f"ended with {process.returncode} before it was killed")
            if time.monotonic() > until:
                raise Failed(f"no 3 steps within {self.options.deadline + BESIDE_THE_DEADLINE} s")
            time.sleep(0.05)
        os.kill(ranks_below(process.pid)[1], signal.SIGKILL)
        start = time.monotonic()
        while process.poll() is None:
            if time.monotonic() > start + self.options.deadline:
                raise Failed(f"has not ended {self.options.deadline} s after a rank was killed")
            time.sleep(0.05)
        return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "build/gpu_ranks")
    parser.add_argument("--deadline", type=int, default=20)
    parser.add_argument("--only", default="threads,nccl,host,exchanges,kill")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--device", default="gpu")
    options = parser.parse_args()
    end_by_exception()
    wanted = options.only.split(",")
    for word in wanted:
        if word not in (*WAYS, "exchanges", "kill"):
            parser.error(f"--only: there is no {word!r}; there are {', '.join(WAYS)}, exchanges, kill")
    ranks = Ranks(options)
    if "exchanges" in wanted:
        ranks.exchanges()
    if not set(wanted) & {*WAYS, "kill"}:
        return
    try:
        expected = ranks.losses("one", "eager", {})
    except Failed as failure:
        say("ranks", "one rank", result=str(failure), passed=False)
        return
    # The shortest first, so that a fault in the way itself is told before its plans use up the time.
    for way in (way for way in WAYS if way in wanted):
        for name in SPLITS:
            for launch in ("eager", "graphs"):
                ranks.check(way, name, launch, expected)
    if "kill" in wanted:
        for way in ("nccl", "host") if options.device == "gpu" else ("host",):
            ranks.kill(way)


if __name__ == "__main__":
    main()
