"""Cost tables, stacks, prices, and measurements to fit."""

from wrong.case import ASK, FILES, LEFT_OUT, content, kind, put, replaced, wrong


def spoilt(command, file, table):
    for path, value, remedy in table:
        place = [key for key in path.split(".") if not key.isdigit()][-1]
        yield wrong(command, place, remedy, put(file, path, value))


@kind("cost tables")
def costs():
    yield from spoilt(FILES, "costs.json", [
        ("gemm", {}, "array"), ("gemm.0.types", [], "bf16"), ("gemm.0.types", ["bf15"], "bf16"),
        ("gemm.0.peak", "312", "989.4 TFLOP/s"), ("gemm.0.peak", "0 TFLOP/s", "more than zero"), ("gemm.0.tiles", [], "tile"),
        ("gemm.0.tiles.0.m", 0, "from 1"), ("gemm.0.tiles.0.n", 1.5, "whole number"), ("gemm.0.k_half", -1, "0"),
        ("gemm.0.wave_smoothing", 2, "1"), ("gemm.0.sharpness", 0, "1"), ("gemm.0.start", "5", "1.2 us"),
        ("gemm.0.source", "", "where"), ("gemm.0.source", LEFT_OUT, "is missing"), ("attention.0.kernel", "flash3", "flash"),
        ("attention.0.forward_efficiency", "0.8", "number"), ("attention.0.head_dim_exponent", 1e308, "number"),
        ("memory.0.operation", "norms", "norm"), ("memory.0.bandwidth", "0 GB/s", "more than zero"),
        ("launch", LEFT_OUT, "is missing"), ("launch.eager", "-6 us", "negative"),
        ("launch.queue", 0, "1"), ("launch.queue", 2.5, "whole number"), ("copy.host_to_device", "26 us", "450 GB/s"),
        ("overlap.compute_slowdown", 0.5, "1"), ("overlap.multiprocessors_per_channel", -1, "0"),
        ("communication.bandwidth_factor", 0, "0.01 to 10"), ("communication.latency_factor", None, "number"),
        ("fragmentation", 100, "to"), ("multiprocessors", 108.5, "whole number"), ("cache", "40", "80 GiB"),
        ("evidence", "sure", "measured, published, borrowed, guessed"), ("not_measured", "all", "array"),
        ("name", LEFT_OUT, "is missing"), ("gpu", "", "leave out --costs"), ("gpu", 5, "text"), ("stages", [{}], "is missing"),
        ("stages", [{"forward": "1 ms"}], "is missing"), ("operators", [{}], "is missing"), ("curves", [5], "object"),
        ("curves", {"a": 1}, "array"), ("whole_steps", [], "object"), ("processors", 5, "object")])


@kind("stacks")
def stacks():
    yield from spoilt(f"{FILES} --stack stack.json", "stack.json", [
        ("kernels.fused_gradient_accumulation", "no", "true or false"), ("kernels.source", LEFT_OUT, "is missing"),
        ("kernels.fused_everything", True, "unknown key"), ("kernels.vocabulary_multiple", 0, "1"),
        ("kernels.vocabulary_multiple", -128, "1"), ("model.dropout", 1.5, "1"), ("model.dropout", "0", "number"),
        ("plan.sharding", "zero9", "parameters"), ("plan.recompute", True, "selective"), ("plan.selective", "some", "attention_core"),
        ("plan.bucket", 25, "80 GiB"), ("plan.overlap_gradients", 1, "true or false"), ("frameworks", [], "framework"),
        ("frameworks", "torchtitan", "array"), ("frameworks", [5], "text"), ("name", LEFT_OUT, "is missing"),
        ("costs", {"eager": 5, "source": "x"}, "1.2 us"), ("costs", {"eager": "5 us"}, "is missing"),
        ("costs", {"fragmentation": -1, "source": "x"}, "0")])
    yield wrong(FILES, "GEMM", "add them", put("costs.json", "gemm", []))
    yield wrong(FILES, "norm", "add them", put("costs.json", "memory", []))


@kind("prices")
def prices():
    yield from spoilt(f"{ASK} --tensor 1 --money --prices prices.json", "prices.json", [
        ("gpus", [], "--prices"), ("gpus", {}, "array"), ("gpus.0.gpu", 5, "text"), ("gpus.0.bought", "8000 $", "object"),
        ("gpus.0.bought.usual", "8000", "$"), ("gpus.0.bought.usual", 8000, "$"), ("gpus.0.bought.usual", "8000 EUR", "$"),
        ("gpus.0.bought.low", "9000 $", "usual"), ("gpus.0.bought.high", "1 $", "usual"), ("gpus.0.bought.year", 1989, "1990 to 2100"),
        ("gpus.0.bought.basis", "rumour", "list, estimate"), ("gpus.0.bought.source", LEFT_OUT, "is missing"),
        ("gpus.0.rented_by_hour", LEFT_OUT, "is missing"), ("hosts.0.up_to_gpus", -1, "0"), ("nics.0.up_to", "10", "450 GB/s"),
        ("nics.0.up_to", "10 GB", "450 GB/s"), ("switches.0.ports", 0, "1"),
        ("optics_per_trunk", 1.5, "whole number"), ("electricity.usual", "-0.1 $", "25000 $"), ("electricity.usual", "1e400 $", "$"),
        ("pue.usual", 0.5, "low"), ("drawn.low", 2, "0 to 1"), ("upkeep.high", "10%", "number"),
        ("upkep", {}, "upkeep")])
    yield wrong(f"{ASK} --tensor 1 --money --prices plan.json", "plan.json", "is missing")
    yield wrong(f"{ASK} --tensor 1 --money --prices prices.json", "years", "more than 0", put("prices.json", "years.low", 0))


@kind("measurements to fit")
def measurements():
    fit = "fit gemms.csv --gpu h100-sxm-80gb -o mine.json"
    for old, new, place, remedy in [
            (b"4096,4096,4096,250", b"0,4096,4096,250", "column m", "1 or more"),
            (b"4096,4096,4096,250", b"4096,4096,4096,-250", "column time_us", "0"),
            (b"4096,4096,4096,250", b"4096,4096,4096,nan", "column time_us", "number"),
            (b"4096,4096,4096,250", b"4096,4096,4096,2_5", "column time_us", "number"),
            (b"4096,4096,4096,250", b"4096,\"4096,4096,250", "line 2", "quot"),
            (b"4096,4096,4096,250", b"4096,4096", "line 2", "the header has 6"),
            (b"time_us", b"time", "line 1", "time_us"), (b",gpu", b",gpu,m", "line 1", "twice"),
            (b"m,n,k", b"m;n;k", "line 1", "time_us")]:
        yield wrong(fit, place, remedy, replaced("gemms.csv", old, new))
    for text, place, remedy in [
            ("", "gemms.csv", "CSV with a header line"), ("# nThread 1\n", "gemms.csv", "nccl-tests"), ("{}", "gemms.csv", "nccl-tests"),
            ("[1, 2", "gemms.csv", "no known table"), ("\x7fELF\x02\x01", "gemms.csv", "CSV with a header line"), ("m,n,k,time_us,gpu,dtype\n", "gemms.csv", "no measurement"),
            ("{\"coll_perf\": {}}\n", "gemms.csv", "line 1"), ("\n\n\n", "gemms.csv", "CSV with a header line"),
            ("#  Rank 0\n# size count type redop root time algbw busbw\n 8 x float sum -1 5 0 0 0\n", "gemms.csv", "all_reduce_perf")]:
        yield wrong(fit, place, remedy, content("gemms.csv", text))
    for words, place, remedy in [
            ("fit gemms.csv -o mine.json", "--gpu", "required"), ("fit gemms.csv --gpu h100-sxm-80gb", "--output", "required"),
            ("fit --gpu h100-sxm-80gb -o mine.json", "files", "required"), ("fit gemms.csv --gpu h100 -o mine.json", "h100", "h100-sxm-80gb"),
            ("fit gemms.csv --gpu plan.json -o mine.json", "plan.json", "is missing"), ("fit hosts --gpu h100-sxm-80gb -o mine.json", "hosts", "directory"),
            ("fit nowhere.csv --gpu h100-sxm-80gb -o mine.json", "nowhere.csv", "no such file"),
            ("fit gemms.csv --gpu h100-sxm-80gb -o nowhere/mine.json", "nowhere/mine.json", "mkdir"),
            ("fit gemms.csv --gpu h100-sxm-80gb -o hosts", "hosts", "is a directory"),
            ("fit gemms.csv --gpu toy-pipeline -o mine.json", "toy-pipeline", "none of the measurements")]:
        yield wrong(words, place, remedy)
