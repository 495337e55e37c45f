"""Runs what a page shows: every command of its code blocks, one after the other in one folder.

  commands.py BUILD PAGE [PYTHON]
  commands.py --listed SOURCE CMAKELISTS    whether all pages with commands are tests

`console` blocks: a command stands behind "$ ", goes on where a line ends in a backslash or a here-document is open, and what
stands below it must be among what it prints, line by line, but for "...". `python` blocks are run as they are. `sh`, `cpp`, `cmake`,
`json` and `text` are not. A comment above a block says what else holds of it:

  <!-- exit 1 -->                 with which code its commands end; otherwise 0
  <!-- needs quintet-run -->      left out, and said so, where that was not built; `python`: the module
  <!-- slow -->                   left out unless QUINTET_SLOW is set
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RUN_KINDS, SHOWN_KINDS = ("console", "python"), ("sh", "cpp", "cmake", "json", "text")


def blocks(text):
    """Of each: the line it begins at, its kind, its lines, what the comment above says."""
    lines, at = text.splitlines(), 0
    while at < len(lines):
        fence = re.fullmatch(r"```(\w*)", lines[at])
        if not fence:
            at += 1
            continue
        end = lines.index("```", at + 1)
        said = re.fullmatch(r"<!-- (.*) -->", lines[at - 1]) if at else None
        yield at + 1, fence[1], lines[at + 1 : end], said[1] if said else ""
        at = end + 1


def commands(lines):
    """Of each: its text, the lines below it."""
    found, at = [], 0
    while at < len(lines):
        if not lines[at].startswith("$ "):
            found[-1][1].append(lines[at])
            at += 1
            continue
        command = [lines[at][2:]]
        here = re.search(r"<<'(\w+)'", command[0])
        while command[-1].endswith("\\") or (here and command[-1] != here[1]):
            at += 1
            command.append(lines[at])
        found.append(("\n".join(command), []))
        at += 1
    return found


def run_block(kind, lines, exit_code, folder, environment, python):
    """What is wrong with it, if anything."""
    steps = commands(lines) if kind == "console" else [("\n".join(lines), [])]
    for command, below in steps:
        if command.startswith("export PATH="):
            continue
        words = ["bash", "-c", command] if kind == "console" else [python, "-c", command]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != exit_code:
            return f"{command}\nended with {done.returncode}, expected {exit_code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
        for line in below:
            if line.strip() not in ("...", "") and line.rstrip() not in printed:
                return f"{command}\ndid not print\n{line}\nbut\n" + "\n".join(printed[:80])
    return None


def what_is_missing(said, build, python):
    for needed in re.findall(r"needs ([\w-]+)", said):
        if needed == "python" and not (python and (build / "python/quintet").is_dir()):
            return "the Python module was not built (Debian: pybind11-dev python3-dev)"
        if needed.startswith("quintet-") and not (build / needed).exists():
            return f"{needed} was not built"
    if "slow" in said and not os.environ.get("QUINTET_SLOW"):
        return "QUINTET_SLOW is not set, and it takes minutes"
    return None


def run_page(build, page, python):
    environment = {**os.environ, "PATH": f"{build}:/usr/bin:/bin", "PYTHONPATH": str(build / "python")}
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, kind, lines, said in blocks(page.read_text()):
            if kind not in RUN_KINDS:
                if kind not in SHOWN_KINDS:
                    sys.exit(f"{page}:{number}: a block of kind {kind!r}; there are {', '.join(RUN_KINDS + SHOWN_KINDS)}")
                continue
            missing = what_is_missing(said, build, python)
            if missing:
                print(f"{page}:{number}: Skipped\n{missing}", flush=True)  # as GoogleTest says it: quickstart lists these
                continue
            exit_code = int((re.search(r"exit (\d)", said) or [0, 0])[1])
            wrong = run_block(kind, lines, exit_code, folder, environment, python)
            if wrong:
                sys.exit(f"{page}:{number}: {wrong}")
            ran += 1
            print(f"{page}:{number}: fine", flush=True)
    if ran == 0:
        sys.exit(f"{page}: nothing was run")


def check_all_are_listed(source, listed):
    for page in (source / "README.md", *sorted((source / "docs").rglob("*.md"))):
        if any(kind in RUN_KINDS for _, kind, _, _ in blocks(page.read_text())):
            name = page.relative_to(source).with_suffix("").as_posix()
            if not re.search(rf"[ (]{re.escape(name)}[ )]", listed.read_text()):
                sys.exit(f"{page}: has commands and is no test of {listed}")


if sys.argv[1] == "--listed":
    check_all_are_listed(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
else:
    run_page(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
