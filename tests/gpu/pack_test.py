#!/usr/bin/env python3
"""tests/gpu/pack in a root with nothing but it, the C++ runtime and Python: every program starts there, and every
command says that there is no GPU. Needs leave to make namespaces, no root; where it may not, it says so and ends
with 77.

  pack_test.py BUILD_DIR [--root ROOT] [--pack ARCHIVE]

--root      a root that is there, such as one that debootstrap made: the pack is put into its /pack
--pack      an archive instead of the programs of BUILD_DIR
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
PYTHON = pathlib.Path("/usr/bin/python3")
COMMANDS = [["python3", "/pack/tests/gpu/run", "--call", str(number)] for number in range(1, 7)]
COMMANDS += [["python3", "/pack/tests/gpu/run"], ["python3", "/pack/tests/gpu/run", "--only", "loop,memcheck_rest"]]
NO_GPU_BY_RUN = 3
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/root"}


class Root:
    """`words` inside it: as root where we are, otherwise in a user namespace."""

    def __init__(self, folder):
        self.folder = folder
        self.enter = ["unshare", "--mount", "--pid", "--fork"] + ([] if os.geteuid() == 0 else ["--user", "--map-root-user"])

    def run(self, *words):
        # As in any container: programs look for what lies beside them in /proc, UCX for interfaces in /sys.
        mounts = "".join(f"mount --rbind /{name} '{self.folder}/{name}' && " for name in ("dev", "sys"))
        inside = f"mount -t proc proc '{self.folder}/proc' && {mounts}exec /usr/sbin/chroot '{self.folder}' \"$@\""
        return subprocess.run([*self.enter, "sh", "-c", inside, "sh", *words], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)


def libraries_of(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return re.findall(r"(?:=> |^\s+)(/\S+) \(", listed, re.MULTILINE)


def smallest_root(folder):
    """Python with its modules, the C++ runtime and a shell, copied from here."""
    version = subprocess.run([PYTHON, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout.strip()
    modules = pathlib.Path("/usr/lib") / version
    shutil.copytree(modules, folder / str(modules).lstrip("/"), ignore=shutil.ignore_patterns("test", "__pycache__", "*-packages"))
    runtime = libraries_of(shutil.which("cmake") or PYTHON)  # a C++ program
    wanted = [*runtime, *libraries_of(PYTHON)]
    for extension in (modules / "lib-dynload").glob("*.so"):
        wanted += libraries_of(extension)
    for library in {name for name in wanted if re.search(r"/(ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z|bz2|lzma|expat|ffi))[-.]", name)}:
        copy_to(folder, pathlib.Path(library))
    copy_to(folder, PYTHON)
    copy_to(folder, pathlib.Path("/usr/bin/env"))
    for name in ("proc", "sys", "dev", "tmp", "root"):
        (folder / name).mkdir(exist_ok=True)


def copy_to(folder, file):
    to = folder / str(file).lstrip("/")
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, to)


def put_pack(arguments, folder):
    pack = folder / "pack"
    shutil.rmtree(pack, ignore_errors=True)
    if arguments.pack:
        with tarfile.open(arguments.pack) as archive:
            archive.extractall(pack)
        return
    subprocess.run([sys.executable, HERE / "pack", arguments.build, "--folder", pack, "--if-built"], check=True)


def expect(root, words, code, *texts):
    done = root.run(*words)
    said = done.stdout + done.stderr
    right = done.returncode == code and all(text in said for text in texts)
    print(f"{'ok' if right else 'WRONG'}: {' '.join(words)}: {done.returncode}, {said.strip().splitlines()[0] if said.strip() else 'nothing'}")
    if not right:
        print(f"   expected {code} and {texts}; it said:\n{said}")
    return right


def expectations(root):
    """What must be said, command by command."""
    programs = {path.name for path in (root.folder / "pack/bin").iterdir()}
    answers = [expect(root, words, NO_GPU_BY_RUN, "no GPU: nvidia-smi") for words in COMMANDS]
    answers.append(expect(root, ["python3", "/pack/tests/gpu/run", "--list"], 0, "call 6: "))
    if "gpu_benchmark" in programs:
        answers.append(expect(root, ["/pack/bin/gpu_benchmark", "--find"], 3, "no GPU"))
    if "gpu_operator_test" in programs:
        answers.append(expect(root, ["/pack/bin/gpu_operator_test"], 0, "no GPU"))
    if {"quintet", "quintet-run"} <= programs:
        run = ["/pack/bin/quintet", "run", "--device", "gpu", "tiny-gpt-one", "--model", "tiny-gpt", "--data", "the-valley"]
        answers.append(expect(root, run, 2, "no GPU"))
        on_cpu = [*run[:2], *run[4:], "--steps", "2"]
        answers.append(expect(root, on_cpu, 0, "step 2/2"))
    if "quintet-calibrate" in programs:
        calibrate = ["/pack/bin/quintet", "calibrate", "--device", "gpu", "--topology", "h100-1", "--model", "tiny-gpt", "-o", "/tmp/costs.json"]
        answers.append(expect(root, calibrate, 1, "no GPU"))
        loop = ["python3", "/pack/tests/gpu/loop_check.py", "/pack/bin/quintet", "--out", "/tmp/loop", "--toy"]
        answers.append(expect(root, loop, 1, "no GPU"))
    answers.append(expect(root, ["python3", "/pack/tests/gpu/predicted_steps.py", "/pack/bin/quintet", "--table"], 0, "gpt2-1.5b"))
    return all(answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--pack", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Root(arguments.root or pathlib.Path(temporary))
        try:
            may = subprocess.run([*root.enter, "true"], capture_output=True, text=True)
        except OSError as failure:
            print(f"skipped: no unshare: {failure}")
            return SKIPPED
        if may.returncode != 0 or not PYTHON.exists():
            print(f"skipped: {may.stderr.strip() or f'there is no {PYTHON}'}")
            return SKIPPED
        if not arguments.root:
            smallest_root(root.folder)
        put_pack(arguments, root.folder)
        return 0 if expectations(root) else 1


if __name__ == "__main__":
    sys.exit(main())
