"""Commands without files: what is listed, completed, explained; calibrate and loop before they measure."""

from wrong.case import content, kind, wrong


@kind("words of small commands")
def small():
    for words, place, remedy in [
            ("schema", "kind", "plan, topology, costs"), ("schema plans", "plans", "plan"), ("schema plan costs", "costs", "--help"),
            ("schema ''", "kind", "plan"), ("list model", "model", "models"), ("list models plans", "plans", "--help"),
            ("list --jason", "--jason", "--json"), ("list --folder=yes please", "please", "--help"), ("completion tcsh", "tcsh", "bash"),
            ("completion bash zsh", "zsh", "--help"), ("help nothing", "nothing", "there are simulate"), ("help simulate compare", "compare", "--help"),
            ("''", "\"\"", "simulate"), ("--", "no verb given", "simulate"), ("-", "\"-\"", "simulate"), ("simulate simulate", "simulate", "--model"),
            ("Simulate", "Simulate", "simulate"), ("--json simulate", "--json", "--help"),
            ("simulate --", "--model", "required"), ("simulate ---model x", "---model", "--model"), ("simulate --model", "--model", "FILE"),
            ("sim\u0000ulate".replace("\u0000", "\u200b"), "sim", "simulate"), ("x" * 10000, "x" * 40, "simulate"), ("$'a\\nb'", "a", "simulate"),
            ("run", "plan", "required"), ("loop --model tiny-gpt --topology box-4-1gbit extra", "extra", "--help")]:
        yield wrong(words, place, remedy)


@kind("calibrate")
def calibrate():
    on = "calibrate --topology box-4-1gbit -o here.json"
    for words, place, remedy in [
            ("calibrate -o here.json", "--topology", "required"), ("calibrate --topology box-4-1gbit", "--output", "required"),
            (f"{on} --steps 0", "--steps", "1 to 1000"), (f"{on} --steps 1001", "--steps", "1 to 1000"), (f"{on} --cores 0", "--cores", "1 to 4096"),
            (f"{on} --smallest 512 --largest 64", "--smallest", "--largest"), (f"{on} --length 0", "--length", "1 to 1048576"),
            (f"{on} --tokens 1e9", "--tokens", "1 to 16777216"), (f"{on} --ranks 65", "--ranks", "1 to 64"), (f"{on} --types fp64", "--types", "fp32"),
            (f"{on} --target 0", "--target", "0.1 to 100"), (f"{on} --target nan", "--target", "0.1 to 100"), (f"{on} --time 0", "--time", "1 to"),
            (f"{on} --time inf", "--time", "1 to"), (f"{on} --message-time -1", "--message-time", "0 to"), (f"{on} --kernels cuda", "--kernels", "reference"),
            (f"{on} --device tpu", "--device", "cpu"), (f"{on} --without-messages --without-operators", "--without-operators", "--without-messages"),
            (f"{on} --measured step.json", "--measured", "--plan"), (f"{on} --plan nowhere.json --model gpt2", "nowhere.json", "no such file"),
            (f"{on} --plan tiny-gpt-dp4", "--plan", "--model"), (f"{on} --model nowhere", "nowhere", "tiny-gpt"),
            (f"{on} --journal hosts", "hosts", "is a directory"), (f"{on} --journal nowhere/j", "nowhere", "mkdir"),
            ("calibrate --topology box-4-1gbit -o hosts", "hosts", "is a directory"), ("calibrate --topology box-4-1gbit -o no/here.json", "no/here.json", "mkdir"),
            ("calibrate --topology nowhere -o here.json", "nowhere", "box-4-1gbit"), (f"{on} --hosts 0", "--hosts", "--plan"),
            (f"{on} --set parallelism.tensor=2", "--set", "--plan"),
            (f"{on} --token-file t", "--token-file", "mpirun"), (f"{on} --rendezvous r", "--rendezvous", "mpirun"), (f"{on} --device gpu", "--device", "GPU")]:
        yield wrong(words, place, remedy)


@kind("loop")
def loop():
    on = "loop --model small.json --topology box-4-1gbit --length 16"
    for words, place, remedy in [
            ("loop --topology box-4-1gbit", "--model", "required"), ("loop --model tiny-gpt", "--topology", "required"),
            (f"{on} --plans nowhere.json", "nowhere.json", "no such file"), (f"{on} --plans tiny-gpt-dp5", "tiny-gpt-dp5", "tiny-gpt-dp4"),
            (f"{on} --ranks 0", "--ranks", "1 to 1048576"), (f"{on} --ranks 5", "--ranks", "places 4"), (f"{on} --sequences 0", "--sequences", "1 to"),
            ("loop --model small.json --topology box-4-1gbit --length 17", "--length", "positions are 16"), (f"{on} --steps 0", "--steps", "1 to"), (f"{on} --warm-up -1", "--warm-up", "1 to"),
            (f"{on} --time 0", "--time", "1 to"), (f"{on} --out text.txt", "text.txt", "folder"), (f"{on} --data nowhere.txt", "nowhere.txt", "no such file"),
            (f"{on} --keep-costs --costs nowhere.json", "nowhere.json", "no such file"), (f"{on} --costs plan.json", "plan.json", "is missing"),
            (f"{on} --kernels cuda", "--kernels", "reference"), (f"{on} --within -1", "--within", "0 to"), (f"{on} --svg text.txt", "--svg text.txt", "folder"),
            (f"{on} --html hosts", "--html hosts", "is a directory"), ("loop --model gpt9 --topology box-4-1gbit", "gpt9", "gpt2"),
            ("loop --model small.json --topology dgx-h100", "--topology", "--device cpu"), (f"{on} --plans broken.json", "broken.json", "line 1")]:
        yield wrong(words, place, remedy, content("broken.json", "{\"a\""))
