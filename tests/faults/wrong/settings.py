"""--set on every kind of field of plan, machine, costs."""

from wrong.case import ASK, FILES, kind, wrong


def refused(table, base=FILES):
    for setting, accepted in table:
        yield wrong(f"{base} --set '{setting}'", setting.split("=")[0], accepted)


@kind("--set: whole numbers")
def whole_numbers():
    yield from refused([
        ("parallelism.tensor=0", "1 to 1048576"), ("parallelism.tensor=1048577", "8 places"),
        ("parallelism.tensor=4.5", "whole number"), ("parallelism.tensor=four", "whole number"),
        ("parallelism.tensor=\"4\"", "whole number"), ("parallelism.tensor=null", "whole number"),
        ("parallelism.tensor=true", "whole number"), ("parallelism.tensor=[4]", "whole number"),
        ("parallelism.tensor={}", "whole number"), ("parallelism.tensor=0x4", "whole number"),
        ("parallelism.tensor=4e0x", "whole number"), ("parallelism.sequence_length=-1", "1 to 100000000"),
        ("parallelism.global_batch=1000000001", "1 to 1000000000"),
        ("parallelism.replicator.chunk=65537", "1 to 65536"), ("parallelism.replicator.every=0", "1 to 1000000"),
        ("host_net.delegates=0", "1 to 1024"), ("host_net.queue_pairs=1025", "1 to 1024"),
        ("network.hash_seed=-1", "0 or more"), ("network.hash_seed=1.5", "whole number"),
        ("network.hash_seed=18446744073709551616", "whole number")])


@kind("--set: words, truth values and texts")
def words():
    yield from refused([
        ("ccl.tuner=nccl-2.29", "nccl-2.28"), ("ccl.overlap_gradients=yes", "true or false"),
        ("ccl.overlap_gradients=1", "true or false"), ("ccl.overlap_parameters=null", "true or false"),
        ("parallelism.master_weights=TRUTH", "true or false"), ("intra_inter.forwarding=pxn2", "same-rail"),
        ("host_net.delivery=rdma", "direct"), ("host_net.pipeline_delivery=5", "staged"),
        ("host_net.launch=graph ", "graphs"), ("network.routing=adaptive", "spray"),
        ("parallelism.load_balance=presort", "presort-in-host"), ("parallelism.compute_type=bfloat", "bf16"),
        ("parallelism.replicator.kind=half", "striding"), ("parallelism.attention=[\"flash\"]", "flash"),
        ("name=5", "parallelism"), ("parallelism=5", "name one of its fields"), ("ccl=", "name one of its fields"),
        ("network=fast", "name one of its fields")])


@kind("--set: quantities")
def quantities():
    yield from refused([
        ("ccl.bucket=25", "80 GiB"), ("ccl.bucket=25 MX", "GiB"), ("ccl.bucket=-25 MB", "negative"),
        ("ccl.bucket=nan MB", "80 GiB"), ("ccl.bucket=1e300 MB", "at most"),
        ("ccl.bucket=25 MB/s", "80 GiB"), ("network.mtu=0 B", "1 GB"), ("network.mtu=1 TB", "1 GB"),
        ("parallelism.offload.piece=1 KiB", "4 KiB"), ("parallelism.offload.piece=64", "80 GiB"),
        ("network.spray_efficiency=0", "above 0"), ("network.spray_efficiency=1.5", "1"),
        ("network.spray_efficiency=all", "number"), ("parallelism.replicator.rate=2", "1"), ("parallelism.replicator.decay=2", "0 to 1"), ("parallelism.replicator.sign=maybe", "true or false"), ("parallelism.replicator.seed=-1", "0 to"),
        ("host.gpu.memory_bandwidth=3 TB", "450 GB/s"), ("host.gpu.peaks.bf16=1 PB/s", "989.4 TFLOP/s"),
        ("host.gpu.peaks.bf16=0 TFLOP/s", "more than zero"), ("host.gpu.power=-1 W", "negative"),
        ("host.gpu.price=3", "2.5 $/h"), ("host.nvlink.latency=1", "1.2 us"),
        ("host.nvlink.latency=1 lightyear", "1.2 us"), ("host.gpu.memory=80 gigabytes", "80 GiB"),
        ("host.gpu.memory=1e30 GB", "at most"), ("host.gpu.memory=,", "comma")])


@kind("--set: lists and objects")
def lists():
    yield from refused([
        ("parallelism.order=[\"tensor\"]", "pipeline"), ("parallelism.order=tensor", "pipeline"),
        ("parallelism.order=[\"tensor\",\"tensor\",\"context\",\"expert\",\"data\",\"pipeline\"]", "once"),
        ("parallelism.order=[1,2,3,4,5]", "tensor"), ("parallelism.stage_layers=[12.5]", "whole number"),
        ("parallelism.stage_layers=[7,7]", "12"), ("parallelism.stage_layers=[-1,13]", "0 to 100000"),
        ("parallelism.stage_layers=12", "array"), ("parallelism.warm_ups=[1,2,3]", "warm-up"),
        ("intra_inter.placement=[0,0,1,2,3,4,5,6]", "once"), ("intra_inter.placement=[0,1]", "8"),
        ("intra_inter.placement=[0,1,2,3,4,5,6,8]", "8"),
        ("intra_inter.placement=[[0,1,2,3,4,5,6,7]]", "whole number"),
        ("ccl.rules=[{\"kind\":\"gather\"}]", "all-gather"),
        ("ccl.rules=[{\"algorithm\":\"mesh\"}]", "ring"), ("ccl.rules=[{\"protocol\":\"ll256\"}]", "ll128"),
        ("ccl.rules=[{\"channels\":0}]", "1 to 1024"), ("ccl.rules=[{\"algorythm\":\"ring\"}]", "algorithm"),
        ("ccl.rules={\"algorithm\":\"ring\"}", "array"), ("ccl.rules=[5]", "object"),
        ("ccl.rules.0.algorithm=ring", "ccl.rules"),
        ("intra_inter.decompositions=[{\"decomposition\":\"flat\"}]", "[0].axis"),
        ("intra_inter.decompositions=[{\"axis\":\"data\",\"decomposition\":\"deep\"}]", "hierarchical"),
        ("ccl.rules=[{\"algorithm\":\"ring\"}", "array")])


@kind("--set: what is no field")
def no_fields():
    for setting, place, remedy in [
            ("=5", "--set =5", "LAYER.FIELD=VALUE"), (".=5", "--set .=5", "parallelism"),
            ("parallelism.=5", "parallelism.", "name one of its fields"), ("parallelism..tensor=5", "parallelism..tensor", "tensor"),
            (".parallelism.tensor=5", ".parallelism.tensor", "parallelism"),
            ("parallelism.tensor.size=5", "parallelism.tensor", "has no fields"),
            ("parallelism.fp8.scale=5", "parallelism.fp8.scale", "scaling"),
            ("Parallelism.Tensor=5", "Parallelism", "parallelism"),
            ("parallelism/tensor=5", "parallelism/tensor", "intra_inter"),
            ("model.n_layer=5", "model", "parallelism"), ("plan.parallelism.tensor=5", "plan", "parallelism"),
            ("topology.hosts=0", "topology.hosts", "131072"), ("topology.hosts=1000000000", "topology.hosts", "131072"),
            ("topology.host.gpu.count=0", "gpu.count", "1 to 1024"), ("host.gpu.count=1025", "gpu.count", "1 to 1024"),
            ("topology.network.family=mesh", "network.family", "fat_tree"), ("host.family=tpu", "family", "custom"),
            ("costs.gemm.peak=1 TFLOP/s", "costs.gemm", "list"), ("costs.fragmentation=-1", "fragmentation", "0"),
            ("costs.communication.bandwidth_factor=0", "bandwidth_factor", "0.01 to 10"),
            ("costs.multiprocessors=0", "multiprocessors", "1 to 4096"),
            ("costs.gpu=B200-SXM-180GB", "B200-SXM-180GB", "A100-SXM-80GB"),
            ("a" * 3000 + "=1", "a" * 40, "parallelism"), ("parallelism.tensor=" + "9" * 3000, "tensor", "1 to 1048576")]:
        yield wrong(f"{FILES} --set '{setting}'", place, remedy)


@kind("--set: lists that are compared")
def compared():
    for words, place, remedy in [
            ("--set parallelism.schedule=1f1b,", "parallelism.schedule", "behind each comma"),
            ("--set network.routing=ecmp,ecmp", "network.routing", "twice"),
            ("--set host.nvlink.bandwidth=1,2", "host.nvlink.bandwidth", "450 GB/s"),
            ("--set topology.hosts=1,0", "topology.hosts", "131072"),
            ("--tensor 1,2 --set parallelism.tensor=4", "parallelism.tensor", "--tensor"),
            ("--tensor 3,5,7", "--tensor 3", "does not divide"),
            ("--tensor 1,2 --print-program", "--print-program", "one plan")]:
        yield wrong(f"{ASK} {words}", place, remedy)
