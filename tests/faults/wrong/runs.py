"""quintet run: options and plans that are refused before the first step."""

from wrong.case import RUN, put, run_kind, wrong


@run_kind("numbers")
def numbers():
    for option, value, accepted in [
            ("--seed", "-1", "0"), ("--seed", "1e30", "whole number"), ("--learning-rate", "nan", "0 to 1000"), ("--learning-rate", "inf", "0 to 1000"),
            ("--learning-rate", "1,0", "number"), ("--warm-up", "-1", "0"), ("--decay", "-5", "0"), ("--lowest-rate", "-0.1", "0"),
            ("--weight-decay", "-1", "0"), ("--weight-decay", "much", "number"), ("--loss-scale", "1e400", "1 to 4294967296"), ("--loss-scale-interval", "0", "1"),
            ("--clip", "0", "0.000001 to"), ("--clip", "-1", "0.000001 to"), ("--mask-token", "-1", "leave it out"), ("--mask-token", "3", "BERT"), ("--threads", "0", "1"),
            ("--keep", "0", "1"), ("--checkpoint-every", "-2", "0"), ("--deadline", "nan", "1 to 86400"), ("--validate-sequences", "0", "1"),
            ("--steps", "1000000000000", "whole number"), ("--ranks", "2147483648", "smaller whole number")]:
        yield wrong(f"{RUN} {option}={value}", option, accepted)


@run_kind("plans that cannot be run")
def plans():
    for path, value, remedy in [
            ("compute_type", "tf32", "fp32"), ("compute_type", "int8", "fp32"), ("gradient_type", "fp16", "fp32"), ("moment_type", "fp8", "bf16"),
            ("clipping", "per-bucket", "ccl.bucket"),
            ("schedule", "zb-h1", "pipeline"), ("tensor", 64, "heads"), ("pipeline", 3, "layers"), ("context", 2, "not modelled"),
            ("sequence_length", 15.5, "whole number"), ("micro_batch", 1048576, "memory"), ("replicator", {"kind": "demo"}, "before-reduction"), ("replicator", {"kind": "demo", "index_type": "int4"}, "int16"), ("replicator", {"kind": "random", "value_type": "fp16"}, "bf16"), ("replicator", {"kind": "diloco", "outer_rate": -1}, "0 to 10"), ("recompute", "some", "selective")]:
        yield wrong(RUN, path, remedy, put("run.json", f"parallelism.{path}", value))
    yield wrong(f"{RUN} --set parallelism.sequence_length=4,8", "--set", "one")
    yield wrong(RUN, "20000 ranks", "--memory-check off", put("run.json", "parallelism.data", 20000))
    yield wrong(f"{RUN} --set topology.nics=4", "--set", "--topology")
    yield wrong(f"{RUN} --set costs.gpu=x", "--set", "cost")
    yield wrong(f"{RUN} --set prices.pue.usual=2", "--set", "prices")
