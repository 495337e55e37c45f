"""Unusual bytes, JSON's structure, and what is no regular file, at every place that reads one."""

from wrong.case import (ASK, COPIES, FILES, SOURCE, content, directory, fifo, gone, kind, link, mode, replaced, sparse,
                        wrong)

READ_BY = {  # a file, and a command that reads it
    "plan.json": FILES, "model.json": FILES, "machine.json": FILES, "costs.json": FILES,
    "hosts/dgx-a100.json": FILES, "prices.json": f"{ASK} --tensor 1 --money --prices prices.json",
    "stack.json": f"{FILES} --stack stack.json", "step.json": "compare step.json step2.json",
    "rows.csv": "validate rows.csv", "gemms.csv": "fit gemms.csv --gpu h100-sxm-80gb -o mine.json"}
JSON = [file for file in READ_BY if file.endswith("json")]


def encoded(file, encoding, begin=b""):
    def change(folder):
        text = (folder / file).read_text()
        (folder / file).write_bytes(begin + text.encode(encoding))
    return change


@kind("bytes of other encodings")
def encodings():
    for file in JSON:
        yield wrong(READ_BY[file], file, ("line 1", "UTF-8"), encoded(file, "utf-16"))
    for file in ["rows.csv", "gemms.csv"]:
        yield wrong(READ_BY[file], file, "UTF-8", encoded(file, "utf-16"))
    for file in ["plan.json", "machine.json"]:
        yield wrong(READ_BY[file], file, "UTF-8", encoded(file, "utf-32"))
        yield wrong(READ_BY[file], file, "line", encoded(file, "utf-8", b"\xef\xbb\xbf\xef\xbb\xbf"))
    for file, old, new in [("plan.json", b"gpt2", b"gpt\xff2"), ("machine.json", b"A single", b"\xc3\x28 single"),
                           ("costs.json", b"NVIDIA", b"\xe9NVIDIA"), ("model.json", b"gpt2", b"gpt2\xed\xa0\x80")]:
        yield wrong(READ_BY[file], file, "UTF-8", replaced(file, old, new))
    for file, new in [("plan.json", b"gpt\x002"), ("plan.json", b"gpt\n2"), ("plan.json", b"gpt\t2")]:
        yield wrong(READ_BY[file], file, "line 2", replaced(file, b"gpt2", new))


@kind("structure of JSON")
def structure():
    for file in ["model.json", "machine.json", "costs.json", "prices.json", "stack.json"]:
        yield wrong(READ_BY[file], file, "nested deeper than", content(file, "{\"name\":" * 5000 + "1" + "}" * 5000))
        yield wrong(READ_BY[file], file, "twice", replaced(file, b"{", b"{\"name\": \"a\", \"name\": \"a\","))
        yield wrong(READ_BY[file], file, "object", content(file, "null"))
        yield wrong(READ_BY[file], file, "line 1", content(file, "{\"name\": NaN}"))
    for text, remedy in [("{\"parallelism\": {\"tensor\": 1,}}", "line 1"), ("{} {}", "line 1"), ("{'parallelism': {}}", "line 1"),
                         ("{\"parallelism\": {\"tensor\": 01}}", "line 1"), ("{\"parallelism\": {\"tensor\": +1}}", "line 1"),
                         ("{\"parallelism\": {\"tensor\": .5}}", "line 1"), ("{\"parallelism\": {\"tensor\": 1" + "0" * 400 + "}}", "number overflow"),
                         ("{\"parallelism\": {\"tensor\": 1e-400, \"sequence_length\": 8}}", "tensor"), ("{\"parallelism\": {\"tensor\": -0.0, \"sequence_length\": 8}}", "tensor"),
                         ("{\"\": 1}", "unknown key"), ("{\"\\u0000\": 1}", "unknown key"), ("{\"\\ud800\": 1}", "line 1"), ("{\"parallelism\": tRue}", "line 1"),
                         ("{\"parallelism\": \"" + "x" * 2_000_000 + "\"}", "object"), ("parallelism:\n  tensor: 4\n", "JSON"),
                         ("{\"parallelism\": {\"sequence_length\": 8, \"order\": [" + "\"tensor\"," * 100_000 + "\"data\"]}}", "order")]:
        yield wrong(FILES, "plan.json", remedy, content("plan.json", text))


@kind("directories, pipes and loops for files")
def no_files():
    for file, command in READ_BY.items():
        yield wrong(command, file, "config.json" if file == "model.json" else "directory", directory(file))
        yield wrong(command, file, "regular file", fifo(file))
    for file in ["model.json", "machine.json", "costs.json", "stack.json", "rows.csv"]:
        yield wrong(READ_BY[file], file, "symbolic link", link(file, file.rsplit("/")[-1]))
    for file in ["plan.json", "costs.json", "prices.json", "step.json"]:
        yield wrong(READ_BY[file], file, "regular file", link(file, "/dev/zero"))
    for name in ["/proc/self/mem", "/dev/stdin", "/proc/self/environ", "/dev/tty"]:
        yield wrong(FILES.replace("plan.json", name), name, "cannot be read" if name.endswith("mem") else "file")


@kind("empty, missing and very large files")
def sizes():
    for file, command in READ_BY.items():
        yield wrong(command, file, "CSV with a header line" if file == "gemms.csv" else "empty", content(file, ""))
        yield wrong(command, file, "no such file", gone(file))
    for file in ["model.json", "machine.json", "costs.json", "prices.json", "stack.json"]:
        yield wrong(READ_BY[file], file, "at most", sparse(file, 3_000_000_000))
    for file in ["step.json", "rows.csv", "gemms.csv"]:
        yield wrong(READ_BY[file], file, "quintet simulate --trace" if file == "step.json" else "at most", sparse(file, 50_000_000_000))


@kind("files that may not be read")
def unreadable():
    for file, command in READ_BY.items():
        if "hosts/" not in file:
            yield wrong(command, file, "Permission denied", mode(file, 0), as_nobody=True)
    yield wrong(FILES, "hosts", "Permission denied", mode("hosts", 0), as_nobody=True)


assert SOURCE.is_dir() and COPIES
