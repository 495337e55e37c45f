"""quintet run: options and plans that are refused before the first step."""

from wrong.case import RUN, put, run_kind, wrong


@run_kind("numbers")
def numbers():
    for option, value, accepted in [
            ("--seed", "-1", "0"), ("--seed", "1e30", "whole number"), ("--learning-rate", "nan", "number"), ("--learning-rate", "inf", "number"),
            ("--learning-rate", "1,0", "number"), ("--warm-up", "-1", "0"), ("--decay", "-5", "0"), ("--lowest-rate", "-0.1", "0"),
            ("--weight-decay", "-1", "0"), ("--weight-decay", "much", "number"), ("--loss-scale", "1e400", "number"), ("--loss-scale-interval", "0", "1"),
            ("--clip", "0", "more"), ("--clip", "-1", "more"), ("--mask-token", "-1", "0"), ("--mask-token", "3", "BERT"), ("--threads", "0", "1"),
            ("--keep", "0", "1"), ("--checkpoint-every", "-2", "0"), ("--deadline", "nan", "number"), ("--validate-sequences", "0", "1"),
            ("--steps", "1000000000000", "whole number"), ("--ranks", "2147483648", "16384")]:
        yield wrong(f"{RUN} {option}={value}", option, accepted)


@run_kind("plans that cannot be run")
def plans():
    for path, value, remedy in [
            ("compute_type", "tf32", "fp32"), ("compute_type", "int8", "fp32"), ("gradient_type", "fp16", "fp32"), ("moment_type", "fp8", "bf16"),
            ("offload", {"optimizer": 0.5}, "gpu"), ("optimizer", "lamb", "adamw"), ("clipping", "per-bucket", "after"),
            ("schedule", "zb-h1", "pipeline"), ("data", 1000, "16384"), ("tensor", 64, "heads"), ("pipeline", 3, "layers"), ("context", 2, "not modelled"),
            ("sequence_length", 15.5, "whole number"), ("micro_batch", 1048576, "memory"), ("replicator", {"kind": "demo"}, "full"), ("recompute", "some", "selective")]:
        yield wrong(RUN, path, remedy, put("run.json", f"parallelism.{path}", value))
    yield wrong(f"{RUN} --set parallelism.sequence_length=4,8", "--set", "one")
    yield wrong(f"{RUN} --set topology.nics=4", "--set", "--topology")
    yield wrong(f"{RUN} --set costs.gpu=x", "--set", "cost")
    yield wrong(f"{RUN} --set prices.pue.usual=2", "--set", "prices")
