"""Machine files: short ones, groups of hosts, every network's numbers, and machines too large to build."""

from wrong.case import LEFT_OUT, content, directory, kind, put, wrong

SHORT = {"like": "big.json", "name": "short"}


def shown(file, place, remedy, *make, words=""):
    return wrong(f"topology {file} {words}", place, remedy, *make)


@kind("machines like another")
def short():
    for change, place, remedy in [
            ({"like": "short.json"}, "like", "complete by itself"), ({"like": "nowhere.json"}, "nowhere.json", "no such file"),
            ({"like": 5}, "like", "text"), ({"like": ""}, "like", "file"), ({"like": None}, "like", "text"),
            ({"like": ["big.json"]}, "like", "text"), ({"like": "plan.json"}, "short.json: host", "hosts/dgx-h100.json"),
            ({"like": "hosts"}, "hosts", "directory"), ({"like": "https://a.example/b.json"}, "b.json", "no such file"),
            ({"nics": 0}, "nics", "1 to 1024"), ({"nics": 9}, "nics", "1 to 8"), ({"nics": "4"}, "nics", "whole number"),
            ({"nics": 2.5}, "nics", "whole number"), ({"nics": -1}, "nics", "1 to 1024"),
            ({"oversubscription": 0}, "oversubscription", "more than 0"),
            ({"oversubscription": "2:1"}, "oversubscription", "number"),
            ({"oversubscription": 1e99}, "oversubscription", "at most 4096"),
            ({"oversubscription": None}, "oversubscription", "number"),
            ({"hosts": 1.5}, "hosts", "whole number"), ({"hosts": 10**9}, "hosts", "1 to 131072"),
            ({"hosts": "all"}, "hosts", "whole number"), ({"network": {"famly": "torus"}}, "famly", "family"),
            ({"network": None}, "network", "object"), ({"name": LEFT_OUT, "nmae": "x"}, "nmae", "name"),
            ({"name": 5}, "name", "text")]:
        value = {key: each for key, each in {**SHORT, **change}.items() if each is not LEFT_OUT}
        yield shown("short.json", place, remedy, content("short.json", value))
    yield shown("one.json", "like", "complete by itself", content("one.json", {**SHORT, "like": "two.json"}),
                content("two.json", {**SHORT, "like": "one.json"}))
    deep = [content(f"m{i}.json", {"like": f"m{i + 1}.json", "name": "x"}) for i in range(200)]
    yield shown("m0.json", "like", "complete by itself", *deep)


@kind("groups of hosts")
def groups():
    group = {"host": "hosts/dgx-h100.json", "hosts": 2}
    for value, place, remedy in [
            ([], "host_groups", "1"), ({}, "host_groups", "array"), ("all", "host_groups", "array"),
            ([group] * 65, "host_groups", "64"), ([{"hosts": 2}], "host_groups[0].host", "hosts/dgx-h100.json"),
            ([{**group, "hosts": 0}], "host_groups[0].hosts", "1 to 131072"),
            ([group, {**group, "hosts": "2"}], "host_groups[1].hosts", "whole number"),
            ([group, {**group, "host": "hosts/nowhere.json"}], "host_groups[1].host", "no such file"),
            ([group, 5], "host_groups[1]", "object"), ([{**group, "count": 2}], "host_groups[0].count", "hosts"),
            ([group, {"host": "hosts", "hosts": 1}], "host_groups[1].host", "directory"),
            ([{**group, "hosts": 131072}] * 64, "network.tiers", "fewer hosts")]:
        change = [put("big.json", "host", LEFT_OUT), put("big.json", "hosts", LEFT_OUT), put("big.json", "host_groups", value)]
        yield shown("big.json", place, remedy, *change)
    yield shown("big.json", "host_groups", "host", put("big.json", "host_groups", [group]))
    yield shown("big.json", "hosts", "group", put("big.json", "host", LEFT_OUT), put("big.json", "hosts", LEFT_OUT),
                put("big.json", "host_groups", [group, {**group, "host": "hosts/dgx-a100.json"}]), words="--hosts 9")


@kind("hosts")
def hosts():
    file = "hosts/dgx-h100.json"
    for path, value, remedy in [
            ("gpu.count", 7.5, "whole number"), ("gpu.count", 1025, "1 to 1024"), ("gpu.sm_version", 9, "10 to 1000"),
            ("gpu.sms", 0, "1 to 1048576"), ("gpu.peaks", {}, "bf16"), ("gpu.peaks", {"bf16x": "1 TFLOP/s"}, "bf16"),
            ("gpu.peaks.bf16", "1 FLOP", "989.4 TFLOP/s"), ("gpu.memory", "80 GB/s", "80 GiB"),
            ("gpu.memory", "0 GB", "more than zero"), ("gpu.price", "3 €/h", "2.5 $/h"),
            ("gpu", LEFT_OUT, "is missing"), ("cpu", LEFT_OUT, "is missing"), ("cpu.vendor", "ibm", "intel, amd, arm"),
            ("cpu.sockets", 0, "1 to 64"), ("cpu.cores", 0.5, "whole number"),
            ("socket", LEFT_OUT, "is missing"), ("nvlink.switches", 65, "1 to 64"),
            ("nvlink.latency", "-1 us", "negative"), ("slots", 4, "cpu"), ("power", 10, "700 W"),
            ("source", "", "data sheet")]:
        yield wrong("topology big.json", path.split(".")[-1], remedy, put(file, path, value))


@kind("networks")
def networks():
    for file, path, value, remedy in [
            ("big.json", "network.tiers", 4, "2 to 3"), ("big.json", "network.tiers", 1, "2 to 3"),
            ("big.json", "network.planes", 0, "1 to 16"), 
            ("big.json", "network.switch.ports", 1, "ports"), ("big.json", "network.switch.ports", 63, "ports"),
            ("big.json", "network.switch.ports", 2**31, "1048576"), 
            ("big.json", "network.hosts_per_leaf", 0, "1 to 1048576"), ("big.json", "network.trunk", LEFT_OUT, "is missing"),
            ("big.json", "network.host_link", "cable", "object"), ("big.json", "network.protocol", "ethernet", "roce"),
            ("big.json", "network.family", "dragonfly", "torus"), ("big.json", "network.family", 3, "torus"),
            ("big.json", "network.dimensions", [], "known are"),
            ("tree.json", "network.children", [8, 8], "parents"), ("tree.json", "network.hosts_per_leaf", 4, "known are"),
            ("torus.json", "network.dimensions", [], "three"),
            ("torus.json", "network.dimensions.0.size", 0, "1 to 131072"),
            ("torus.json", "network.dimensions.2.bandwidth", "0 GB/s", "more than zero"),
            ("torus.json", "network.switch.ports", 6, "7"), ("torus.json", "network.planes", 2, "known are"),
            ("torus.json", "oversubscription", -1, "more than 0"),
            ("chain.json", "network.devices.0.kind", "router", "network_switch"),
            ("chain.json", "network.devices.1.name", "stage0", "give it another"),
            ("chain.json", "network.devices.1.part", "no part", "parts"),
            ("chain.json", "network.devices.1.tier", 17, "1 to 16"), ("chain.json", "network.devices.0.host", 9, "host"),
            ("chain.json", "network.links.0.kind", "wifi", "nvlink"), ("chain.json", "network.links.0.latency", 0, "1.2 us"),
            ("chain.json", "network.links", {}, "array"), ("chain.json", "network.parts", [], "object"),
            ("chain.json", "network.grid", [2, 2], "three sizes"), ("chain.json", "network.grid", [2, 2, 2], "three sizes")]:
        place = [key for key in path.split(".") if not key.isdigit()][-1]
        yield wrong(f"topology {file}", place, remedy, put(file, path, value))
    for file, path, value, place, remedy in [
            ("big.json", "network.hosts_per_leaf", 33, "network.switch.ports", "33 ports down"),
            ("torus.json", "network.dimensions.0.size", 5, "torus.json: hosts", "5 x 4 x 4"),
            ("chain.json", "network.links.1.to", "host1/nic0", "network.links[1]", "joins a device with itself"),
            ("chain.json", "hosts", 5, "host4", "add a network or a link")]:
        yield wrong(f"topology {file}", place, remedy, put(file, path, value))


@kind("machines too large")
def large():
    for words, place, remedy in [
            ("big.json --hosts 131072", "network.tiers", "fewer hosts"), ("tree.json --hosts 131072", "network.tiers", "fewer hosts"),
            ("torus.json --hosts 131072", "hosts", "4 x 4 x 4"), ("big.json --hosts 1000000000000", "--hosts", "131072"),
            ("big.json --hosts 20000", "ports", "fewer hosts")]:
        yield wrong(f"topology {words}", place, remedy)
    yield wrong("topology torus.json", "hosts", "131072 x 131072 x 131072", put("torus.json", "network.dimensions.0.size", 131072),
                put("torus.json", "network.dimensions.1.size", 131072), put("torus.json", "network.dimensions.2.size", 131072))
    for path, value in [("children", [4096, 4096, 4096]), ("parents", [4096, 4096]), ("cables", [4096, 4096])]:
        tree = {"children": [8, 16], "parents": [1, 8], "cables": [8, 1], path: value}
        make = [put("tree.json", "network.tiers", LEFT_OUT), put("tree.json", "network.oversubscription", LEFT_OUT),
                *(put("tree.json", f"network.{key}", each) for key, each in tree.items())]
        yield wrong("topology tree.json", path, "1", *make)
    yield wrong("simulate plan.json --model model.json --topology big.json --hosts 131072", "network.tiers", "fewer hosts")


@kind("paths and questions of topology")
def questions():
    for words, place, remedy in [
            ("machine.json --path host0/gpu0 host0/gpu8", "host0/gpu8", "host0/gpu"),
            ("machine.json --path '' host0/gpu0", "--path", "FROM TO"),
            ("machine.json --path host0/gpu0 host0/gpu0 host0/gpu1", "--path", "expected 2 values"),
            ("machine.json --path leaf0 leaf1", "leaf0", "host0/gpu"), ("--path a b", "topology", "required"),
            ("machine.json chain.json", "chain.json", "--help"), ("machine.json --set parallelism.tensor=4", "parallelism", "machine"),
            ("big.json --slow host0/nic0=0.5 --export x.json", "--export", "as it is built"),
            ("hosts/dgx-a100.json", "hosts/dgx-a100.json", "host object"), ("plan.json", "plan.json", "host object")]:
        yield wrong(f"topology {words}", place, remedy)
    yield wrong("topology folder", "folder", "directory", directory("folder"))
