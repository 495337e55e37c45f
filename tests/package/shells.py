"""Types at real shells, presses the tabulator, and reads what became of the line. Usage: shells.py QUINTET"""
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = pathlib.Path(sys.argv[1]).resolve().parent
ENVIRONMENT = {**os.environ, "PATH": f"{FOLDER}:/usr/bin:/bin", "TERM": "dumb", "HOME": tempfile.mkdtemp(), "LANG": "C.UTF-8"}

# What is typed, and what stands there after the tabulator: one completion each, so that the shell takes it.
LINES = (
    ("quintet simu", "quintet simulate"),
    ("quintet help simu", "quintet help simulate"),
    ("quintet simulate toy-pipeline-w", "quintet simulate toy-pipeline-warm-up"),
    ("quintet simulate x --model llama-3-7", "quintet simulate x --model llama-3-70b"),
    ("quintet simulate x --topology pipeline-4-1", "quintet simulate x --topology pipeline-4-10ms"),
    ("quintet simulate x --costs h200", "quintet simulate x --costs h200-sxm-141gb"),
    ("quintet simulate x --unf", "quintet simulate x --unfolded"),
    ("quintet simulate --schedule gp", "quintet simulate --schedule gpipe"),
    ("quintet simulate --set parallelism.ten", "quintet simulate --set parallelism.tensor="),
    ("quintet simulate --set parallelism.schedule=zb-h1,int", "quintet simulate --set parallelism.schedule=zb-h1,interleaved"),
    ("quintet simulate --set host.nic.bandw", "quintet simulate --set host.nic.bandwidth="),
    ("quintet completion fi", "quintet completion fish"),
    ("quintet plan expl", "quintet plan explain"),
    ("quintet plan explain tiny-gpt-z", "quintet plan explain tiny-gpt-zero3"),
    ("quintet plan fields intra", "quintet plan fields intra_inter"),
    ("quintet topology selene", "quintet topology selene-a100"),
    ("quintet list topo", "quintet list topologies"),
)
OF_SIBLINGS = (("quintet run tiny-gpt-z", "quintet run tiny-gpt-zero3"), ("quintet run x --rank", "quintet run x --ranks"))
OF_WINDOW = (("quintet gui toy-pipeline-w", "quintet gui toy-pipeline-warm-up"),
             ("quintet gui --screens", "quintet gui --screenshot"))


def lines():
    return (LINES + (OF_SIBLINGS if (FOLDER / "quintet-run").exists() else ())
            + (OF_WINDOW if (FOLDER / "quintet-gui").exists() else ()))


def skip(reason):
    print(f"shells.py: Skipped\n{reason}", flush=True)  # as GoogleTest says it: quickstart lists these
    raise unittest.SkipTest(reason)


class Terminal:
    """A shell that somebody types at. After each line a mark says that it has done."""

    def __init__(self, words, setup):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(tempfile.mkdtemp())
            os.execvpe(words[0], words, ENVIRONMENT)
        self.marks = 0
        for line in setup:
            self.enter(line)

    def read_to(self, mark):
        seen, end = b"", time.monotonic() + 60
        while mark.encode() not in seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {mark!r} within a minute: {seen[-2000:]!r}")
            seen += os.read(self.terminal, 65536)
        return seen.decode(errors="replace")

    def enter(self, line):
        self.marks += 1
        os.write(self.terminal, f"{line}; echo don''e{self.marks}:\n".encode())
        return self.read_to(f"done{self.marks}:")

    def completed(self, line):
        """The line as it is after the tabulator, printed by the shell itself (Ctrl-A goes to its begin)."""
        os.write(self.terminal, line.encode() + b"\t")
        time.sleep(0.7)  # until then the shell shows nothing that could be waited for
        self.marks += 1
        os.write(self.terminal, b"\x01printf '<%s>' '\x05'; echo don''e" + f"{self.marks}:\n".encode())
        shown = self.read_to(f"done{self.marks}:")
        return shown[shown.rindex("<") + 1 : shown.rindex(">")].rstrip()

    def close(self):
        os.close(self.terminal)
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)


class Shells(unittest.TestCase):
    def types_at(self, words, setup):
        if not shutil.which(words[0]):
            skip(f"{words[0]} is not installed (Debian: {words[0]})")
        terminal = Terminal(words, setup)
        self.addCleanup(terminal.close)
        for typed, there in lines():
            with self.subTest(typed):
                self.assertEqual(terminal.completed(typed), there)

    def test_bash(self):
        setup = ["PS1='$ '", "bind 'set bell-style none'", "bind 'set enable-bracketed-paste off'", 'eval "$(quintet completion bash)"']
        self.types_at(["bash", "--norc", "-i"], setup)

    def test_zsh(self):
        setup = ["PS1='$ '", "unsetopt zle_bracketed_paste prompt_cr prompt_sp beep; bindkey -e",
                 "autoload -Uz compinit; compinit -u -D", "source <(quintet completion zsh)"]  # fmt: skip
        self.types_at(["zsh", "-f", "-i"], setup)

    def test_zsh_from_its_folder_of_completions(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        if shutil.which("zsh"):
            (folder / "_quintet").write_bytes(subprocess.check_output([sys.argv[1], "completion", "zsh"]))
        setup = ["PS1='$ '", "unsetopt zle_bracketed_paste prompt_cr prompt_sp beep; bindkey -e",
                 f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D"]  # fmt: skip
        self.types_at(["zsh", "-f", "-i"], setup)

    def test_fish(self):
        """fish says what it would offer; its terminal wants answers that a plain one does not give."""
        if not shutil.which("fish"):
            skip("fish is not installed (Debian: fish)")
        for typed, there in lines():
            with self.subTest(typed):
                line = f"quintet completion fish | source; complete -C '{typed}'"
                done = subprocess.run(["fish", "--no-config", "-c", line], capture_output=True, text=True, env=ENVIRONMENT)
                self.assertEqual(done.stderr, "")
                offered = [each.split("\t")[0] for each in done.stdout.splitlines()]
                self.assertEqual([typed[: typed.rindex(" ") + 1] + each for each in offered], [there])

    def test_fish_shows_what_offers_are(self):
        if not shutil.which("fish"):
            skip("fish is not installed (Debian: fish)")
        line = "quintet completion fish | source; complete -C 'quintet simulate --unf'"
        done = subprocess.run(["fish", "--no-config", "-c", line], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertEqual(done.stdout.strip(), "--unfolded\tSimulate every rank on its own (slow; equal result)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
