"""Options of the commands that predict: numbers, lists, what excludes what, faults, tokens and money."""

from wrong.case import ASK, CHAIN, FILES, TWO_HOSTS, content, kind, wrong

ALONE = f"{ASK} --tensor 1"


@kind("numbers of options")
def numbers():
    for option, value, accepted in [
            ("--threads", "0", "1 to 1024"), ("--threads", "1025", "1 to 1024"), ("--threads", "-1", "1 to 1024"),
            ("--threads", "''", "1 to 1024"), ("--hosts", "1_000", "131072"),
            ("--hosts", "1000000000", "131072"), ("--hosts", "+2", "131072"), ("--hosts", "' 2'", "131072"),
            ("--hosts", "2.0", "131072"), ("--hosts", "٣", "131072"), ("--hosts", "131073", "131072")]:
        yield wrong(f"{FILES} {option}={value}", option, accepted)
    for option, _, value, accepted in [
            ("--tensor", "parallelism.tensor", "0", "from 1"), ("--pipeline", "parallelism.pipeline", "-4", "from 1"),
            ("--micro-batch", "parallelism.micro_batch", "1e3000", "1048576"),
            ("--micro-batch", "parallelism.micro_batch", "2.5", "whole number"),
            ("--virtual-stages", "parallelism.virtual_stages", "1025", "1 to 1024"),
            ("--sharding-group", "parallelism.sharding_group", "-1", "from 0"),
            ("--recompute-layers", "parallelism.recompute_layers", "100001", "from 0 to 100000"),
            ("--data", "parallelism.data", "99999999999999999999", "1048576")]:
        yield wrong(f"{ASK} {option}={value}", option, accepted)
    yield wrong(f"{ALONE} --trace t.json --trace-ranks 8", "--trace-ranks", "0")
    for ranks in ["-1", "3-1", "a", "0-", "0,,1", "0-99999999999", "1.5", "''"]:
        yield wrong(f"{ALONE} --trace t.json --trace-ranks={ranks}", "--trace-ranks", "0,8-15")
    yield wrong(f"{ALONE} --trace-ranks 0", "--trace-ranks", "--trace")
    yield wrong(f"{ASK} --context=2", "parallelism.context", "not modelled")
    yield wrong(f"{ASK} --expert=8", "parallelism.expert", "not modelled")


@kind("lists of options")
def lists():
    for value in ["1,,2", ",", "1,", ",1"]:
        yield wrong(f"{ASK} --pipeline {value}", "--pipeline", "behind each comma")
    for value in ["1;2", "1-8", "[1,2]", "1|2", "one,two", "0,-1"]:
        yield wrong(f"{ASK} --tensor '{value}'", "--tensor", "whole number")
    yield wrong(f"{ASK} --tensor 1 --schedule 3f3b,2f2b", "--schedule", ("gpipe", "zb-h2"))
    yield wrong(f"{ASK} --tensor 1 --zero 4,5", "--zero", "0, 1, 2 or 3")
    yield wrong(f"{ASK} --tensor 1 --zero one", "--zero", "0, 1, 2 or 3")
    yield wrong(f"{ASK} --tensor 1 --sharding zero4", "--sharding", ("none", "optimizer", "parameters"))
    yield wrong(f"{ASK} --tensor 1 --sp=maybe", "--sequence-parallel", ("true", "false"))
    yield wrong(f"{ASK} --tensor 1 --precision bf17", "--precision", ("fp16", "bf16", "fp8"))
    yield wrong(f"{ASK} --tensor 1 --optimizer adamx", "--optimizer", ("adamw", "lamb", "sgd"))
    yield wrong(f"{ASK} --tensor 1 --clipping after", "--clipping", ("after-reduction", "per-bucket"))
    yield wrong(f"{ASK} --tensor 1 --recompute half", "--recompute", ("none", "selective", "full"))
    yield wrong(f"{ASK} --tensor 1 --attention paged", "--attention", ("unfused", "flash"))
    yield wrong(f"{ASK} --tensor 1 --gradient-precision int4", "--gradient-precision", ("bf16", "fp32"))
    many = ",".join(str(i) for i in range(1, 2001))
    yield wrong(f"{ASK} --tensor {many} --pipeline {many} --micro-batch {many}", "--pipeline", "fewer values")


@kind("options that contradict each other")
def contradictions():
    for words, place, remedy in [
            ("--zero 1 --sharding gradients", "--sharding", "--zero"),
            ("--micro-batches 4", "micro_batches", "global_batch"),
            ("--tp 1 --tensor 1", "--tensor", "once"),
            ("--json --csv", "--json", "--csv"),
            ("--hosts 1 --hosts 2", "--hosts", "once"),
            ("--model llama-3-8b", "--model", "once"),
            ("--costs a100-sxm-80gb --costs h100-sxm-80gb", "--costs", "once"),
            ("--stack nemo --stack megatron-core", "--stack", "once"),
            ("--set parallelism.tp=2", "parallelism.tp", "--tensor"),
            ("--set parallelism.schedule=1f1b --set parallelism.schedule=gpipe", "parallelism.schedule", "same field"),
            ("--html p.html --csv --json", "--json", "--csv"),
            ("--virtual-stages 2", "virtual_stages", "interleaved"),
            ("--schedule interleaved", "schedule", "pipeline"),
            ("--sharding-group 3 --zero 3", "sharding_group", "use"),
            ("--offload", "--offload", "unknown")]:
        yield wrong(f"{ALONE} {words}", place, remedy)
    yield wrong(f"{CHAIN} --memory=many", "--memory", "takes no value")


@kind("slow, dead and late parts")
def parts():
    for words, place, remedy in [
            ("--slow host0/nic3=0,5", "--slow host0/nic3=0,5", "0.5 or 50%"),
            ("--slow host0/nic3=1e-400", "--slow host0/nic3=1e-400", "more than 0"),
            ("--slow host0/nic3=100%", "--slow host0/nic3=100%", "less than 1"),
            ("--slow host0/nic3=50%%", "--slow host0/nic3=50%%", "0.5 or 50%"),
            ("--slow 'host0/nic3 = 0.5'", "--slow host0/nic3", "0.5"),
            ("--slow HOST0/NIC3=0.5", "HOST0/NIC3", "host0/"),
            ("--slow höst0/nic3=0.5", "--slow h", "host0/nic"),
            ("--slow host00/nic3=0.5", "host00/nic3", "host0/nic3"),
            ("--slow host-1/nic3=0.5", "host-1/nic3", "host0"),
            ("--slow host0/nic3/port0=0.5", "host0/nic3/port0", "host0/nic3"),
            ("--slow leaf0-leaf0=0.5", "leaf0", "joined to"),
            ("--slow leaf0-spine1-spine2=0.5", "leaf0-spine1-spine2", "leaf0-spine1"),
            ("--fail ''", "--fail", "PART"), ("--fail -", "--fail -", "host0/"),
            ("--fail host0/cpu0", "host0/cpu0 is a cpu", "NIC"),
            ("--fail host0/nic*", "host0/nic*", "host0/nic"),
            ("--fail leaf0,leaf1", "leaf0,leaf1", "leaf0"),
            ("--fail host0/nic3-leaf4", "host0/nic3", "joined to"),
            ("--delay 'leaf0-spine1=5 m'", "--delay leaf0-spine1=5 m", "us"),
            ("--delay leaf0-spine1=5us,6us", "--delay leaf0-spine1=5us,6us", "us"),
            ("--delay leaf0-spine1=nanus", "--delay leaf0-spine1=nanus", "us"),
            ("--delay leaf0-spine1=1e300us", "--delay leaf0-spine1=1e300us", "at most"),
            ("--delay leaf0-spine1=5us --delay spine1-leaf0=6us", "spine1-leaf0", "twice"),
            ("--delay leaf0=1us --fail leaf0", "leaf0", "--fail")]:
        yield wrong(f"{TWO_HOSTS} {words}", place, remedy)
    yield wrong(f"{CHAIN} --fail stage0-stage1", "cannot reach", "rank")
    yield wrong("topology torus.json --fail 'node(0,0,0)'", "cannot reach", "host")
    yield wrong("topology torus.json --slow 'node(4,0,0)=0.5'", "node(4,0,0)", "node(")
    yield wrong("topology dgx-h100 --fail spine999", "spine999", "nearest names are spine")


@kind("tokens and money")
def money():
    for tokens in ["0", "-15T", "15X", "T", "1e400", "nan", "15,000", "inf", "1e-3"]:
        yield wrong(f"{ALONE} --tokens={tokens}", "--tokens", "15T, 300B or 1.5e12")
    yield wrong(f"{ALONE} --prices prices.json", "--prices", "--money")
    yield wrong(f"{ALONE} --money --prices nowhere.json", "nowhere.json", "no such file")
    yield wrong(f"{ALONE} --money --set prices.pue.usual=0.5", "pue", "low")
    yield wrong(f"{ALONE} --money --set prices.pue.usual=cheap", "prices.pue.usual", "number")
    yield wrong(f"{ALONE} --money --set prices.electricity.usual=0.1", "prices.electricity.usual", "$")
    yield wrong(f"{ALONE} --money --set 'prices.electricity.usual=0.1 €'", "prices.electricity.usual", "$")
    yield wrong(f"{ALONE} --money --set prices.years.usual=-5", "prices.years", "0 to 1000")
    yield wrong(f"{ALONE} --money --set prices.yaers.usual=5", "yaers", "did you mean \"years\"")
    yield wrong(f"{ALONE} --set prices.years.usual=5", "prices.years.usual", "--money")
    yield wrong(f"{FILES} --money --set prices.gpus.usual=5", "prices.gpus", "list")


@kind("several machines")
def several():
    for words, place, remedy in [
            ("--topology nowhere", "nowhere", "dgx-h100-1"),
            ("--topology machine.json --costs h100-sxm-80gb", "A100-SXM-80GB", "--costs"),
            ("--topology dgx-a100-1 --html p.html", "--html", "one"),
            ("--topology dgx-a100-1 --svg pictures", "--svg", "one"),
            ("--topology dgx-a100-1 --print-program", "--print-program", "one"),
            ("--topology broken.json", "broken.json", "line 1")]:
        yield wrong(f"{ALONE} {words}", place, remedy, content("broken.json", "{,}"))


@kind("names of what is shipped")
def names():
    for option, name, near in [
            ("--model", "llama3-70b", "llama-3-70b"), ("--model", "LLAMA-3-70B ", "llama-3-70b"),
            ("--model", "gpt-2", "gpt2"), ("--model", "../models", "gpt2"), ("--model", "x" * 5000, "gpt2"),
            ("--topology", "dgx_h100", "dgx-h100"), ("--topology", "h100", "h100-1"),
            ("--costs", "h100", "h100-sxm-80gb"), ("--stack", "megatron", "megatron-core"),
            ("--stack", "nowhere.json", "no such file"), ("--stack", "plan.json", "Megatron-LM")]:
        base = {"--model": "simulate plan.json --topology machine.json --model",
                "--topology": "simulate plan.json --model model.json --topology"}.get(option, f"{FILES} {option}")
        base = base.replace("--costs costs.json --costs", "--costs")
        place = name.strip()[:40]
        yield wrong(f"{base} '{name}'", place, near)
    yield wrong("simulate tiny-gtp --model model.json --topology machine.json", "tiny-gtp", "tiny-gpt")
    yield wrong("simulate '' --model model.json --topology machine.json", "plans", "expected")
    yield wrong("simulate plan.json --model '' --topology machine.json", "--model", "expected")
    yield wrong("simulate plan.json --model model.json --topology ''", "--topology", "expected")
