#!/usr/bin/env python3
"""What replicators are predicted to do between the hosts of a cluster, beside what was published.

  tests/benchmark/replicator_predictions.py QUINTET [--stack huggingface]

arXiv 2502.06728 (figures second-hand): bandwidth of T5-small between hosts with all gradients, DeMo 1/16 and
Random 1/16; step of OLMo2-1B on 2 to 64 hosts. The plans are traces/plans/t5-small-like-* and olmo-2-1b-*, the
machine leonardo-a100. Bandwidth: what host0's first interface sends in a step over the step's time.
Needs nothing but Python 3.
"""

import argparse
import json
import subprocess
import sys

KINDS = ["full", "demo", "random"]


def predicted(options, model, kind, hosts):
    """Seconds of a step, and bytes that one interface sends in it, where it is among the busiest."""
    done = subprocess.run(
        [options.quintet, "simulate", f"{model}-{kind}", "--model", model, "--topology", "leonardo-a100", "--hosts",
         str(hosts), "--set", f"parallelism.data={4 * hosts}", "--set", "parallelism.micro_batches=1", "--stack", options.stack,
         "--json", "--quiet"], stdout=subprocess.PIPE, text=True)  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"{model}-{kind} on {hosts} hosts: {done.stdout[-500:]}")
    answer = json.loads(done.stdout)
    sent = [link["carried_bytes"] for link in answer["busiest_links"][0]["links"]
            if link["link"].startswith("host0/nic0 -> leaf")]  # fmt: skip
    return answer["summary"][0]["step_s"], sent[0] if sent else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintet")
    parser.add_argument("--stack", default="huggingface")
    options = parser.parse_args()
    print("T5-small-like, 2 hosts\n         step         sent    bandwidth  to Random  published")
    rows = {kind: predicted(options, "t5-small-like", kind, 2) for kind in KINDS}
    rates = {kind: sent * 8 / step for kind, (step, sent) in rows.items()}
    for kind, published in zip(KINDS, (1070 / 152, 291 / 152, 1)):
        step, sent = rows[kind]
        print(f"{kind:7} {step * 1e3:7.2f} ms {sent / 1e6:7.2f} MB {rates[kind] / 1e6:7.0f} Mbit/s "
              f"{rates[kind] / rates['random']:7.2f} {published:9.2f}")
    print("\nOLMo2-1B, step in ms\nhosts     full      demo    random  full / random  (published: 1.64 on 64)")
    for hosts in (2, 4, 8, 16, 32, 64):
        steps = [predicted(options, "olmo-2-1b", kind, hosts)[0] * 1e3 for kind in KINDS]
        print(f"{hosts:5} " + " ".join(f"{step:9.1f}" for step in steps) + f" {steps[0] / steps[2]:12.2f}")


if __name__ == "__main__":
    main()
