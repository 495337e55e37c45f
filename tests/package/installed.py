"""Installs what was built into a folder, moves that, and uses it as others do, without environment variables.

  installed.py BUILD SOURCE [PYTHON]    PYTHON: that the module was built for
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

BUILD, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PYTHON = sys.argv[3] if len(sys.argv) > 3 else ""
PROGRAMS = ("quintet", "quintet-run", "quintet-calibrate", "quintet-fit", "quintet-gui")
BARE = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
README = ("simulate", "llama-3-70b-1024-h100-tp8-pp4", "--model", "llama-3-70b", "--topology", "dgx-h100-1024")


def skip(reason):
    print(f"installed.py: Skipped\n{reason}", flush=True)  # as GoogleTest says it: quickstart lists these
    raise unittest.SkipTest(reason)


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=BARE, **more)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def setUpModule():
    global ROOT, PREFIX
    ROOT = tempfile.mkdtemp(prefix="quintet-installed-")
    run("cmake", "--install", BUILD, "--prefix", f"{ROOT}/first", cwd=ROOT)
    PREFIX = pathlib.Path(ROOT) / "moved here"
    os.rename(f"{ROOT}/first", PREFIX)


def tearDownModule():
    shutil.rmtree(ROOT)


def library_folder():
    return next(PREFIX.glob("lib/**/libquintet.so")).parent


class Files(unittest.TestCase):
    def test_are_where_they_belong(self):
        for name in ("bin/quintet", "include/quintet/quintet.h", "share/quintet/topologies/hosts",
                     "share/quintet/traces/models/gpt2/config.json", "share/quintet/schema/plan.schema.json",
                     "share/quintet/traces/residuals.json", "share/quintet/traces/prices.json", "share/doc/quintet/copyright", "share/doc/quintet/README.md",
                     "share/doc/quintet/docs/schema/simulate.json", "share/man/man1",
                     "share/bash-completion/completions/quintet", "share/zsh/vendor-completions/_quintet",
                     "share/fish/vendor_completions.d/quintet.fish"):  # fmt: skip
            self.assertTrue((PREFIX / name).exists(), name)

    def test_no_folder_is_empty(self):
        for folder, folders, files in os.walk(PREFIX):
            self.assertTrue(folders or files, folder)

    def test_no_header_of_ours_beyond_the_public_ones(self):
        installed = {file.relative_to(PREFIX / "include/quintet").as_posix()
                     for file in (PREFIX / "include").rglob("*") if file.is_file()}  # fmt: skip
        self.assertEqual(installed, {file.name for file in (SOURCE / "sim/api/quintet").glob("*.h")})

    def test_links_in_the_documents_lead_somewhere(self):
        docs = PREFIX / "share/doc/quintet"
        for page in (docs / "README.md", *(docs / "docs").rglob("*.md")):
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                there = (page.parent / target).resolve()
                source = SOURCE / there.relative_to(docs.resolve())
                self.assertTrue(there.exists() or source.suffix in (".h", ".cpp"), f"{page}: {target}")

    def test_the_library_shows_nothing_but_its_own(self):
        if not shutil.which("nm"):
            skip("nm is not installed (Debian: binutils)")
        shown = run("nm", "-DC", "--defined-only", library_folder() / "libquintet.so")
        internal = [line for line in shown.splitlines()
                    if " quintet::" in line and "quintet::api::" not in line]  # fmt: skip
        self.assertEqual(internal, [])
        self.assertIn("quintet::api::predict", shown)


class Command(unittest.TestCase):
    def test_finds_its_files_wherever_it_lies(self):
        self.assertIn("8761.1 ms", run(PREFIX / "bin/quintet", *README, cwd="/"))

    def test_by_a_link_too(self):
        link = pathlib.Path(ROOT) / "link"
        link.symlink_to(PREFIX / "bin/quintet")
        self.assertIn(str(PREFIX), run(link, "list", "costs", "--json"))

    def test_lists_what_is_beside_it(self):
        files = re.findall(r'"file": "([^"]+)"', run(PREFIX / "bin/quintet", "list", "--json"))
        self.assertGreater(len(files), 50)
        for file in files:
            self.assertTrue(file.startswith(str(PREFIX)), file)

    def test_its_siblings_are_beside_it(self):
        for verb, program in (("run", "quintet-run"), ("calibrate", "quintet-calibrate"), ("fit", "quintet-fit"),
                              ("gui", "quintet-gui"), ("replay", "quintet-replay")):
            if (BUILD / program).exists():
                self.assertIn("Example", run(PREFIX / "bin/quintet", verb, "--help"))

    def test_says_what_it_is(self):
        lines = run(PREFIX / "bin/quintet", "--version").splitlines()
        self.assertRegex(lines[0], r"^quintet \d+\.\d+\.\d+$")
        self.assertRegex(lines[1], r"^commit   ([0-9a-f]{7,}\+?|not known)$")
        for part in ("CUDA", "NCCL", "UCX", "oneDNN"):
            self.assertIn(part, lines[3] + lines[4])
        # UCX is in it exactly if what needs UCX was built.
        self.assertEqual("UCX" in lines[3], (BUILD / "quintet-run").exists())


class Window(unittest.TestCase):
    """What a desktop finds of the window, where that was built."""

    def setUp(self):
        if not (BUILD / "quintet-gui").exists():
            skip("quintet-gui was not built (Debian: qt6-base-dev qt6-svg-dev)")

    def test_the_desktop_file_starts_what_is_installed(self):
        entries = dict(line.split("=", 1) for line in
                       (PREFIX / "share/applications/quintet.desktop").read_text().splitlines()[1:])  # fmt: skip
        self.assertTrue((PREFIX / "bin" / entries["Exec"].split()[0]).exists())
        self.assertTrue((PREFIX / f"share/icons/hicolor/scalable/apps/{entries['Icon']}.svg").exists())
        mime = ElementTree.parse(PREFIX / "share/mime/packages/quintet.xml").getroot()
        kinds = {each.get("type") for each in mime if each.tag.endswith("mime-type")}
        self.assertEqual({each for each in entries["MimeType"].split(";") if each}, kinds)

    def test_tools_of_desktops_find_nothing_wrong(self):
        tools = (("desktop-file-validate", (), "applications/quintet.desktop", "desktop-file-utils"),
                 ("appstreamcli", ("validate", "--no-net"), "metainfo/quintet.metainfo.xml", "appstream"))
        for tool, words, file, package in tools:
            if not shutil.which(tool):
                skip(f"{tool} is not installed (Debian: {package})")
            said = subprocess.run([tool, *words, PREFIX / "share" / file], capture_output=True, text=True).stdout
            # A component without a domain of its own is warned of; errors begin so.
            self.assertNotRegex(said, r"(?m)^E:|error:")

    def test_it_draws_without_a_display(self):
        folder = pathlib.Path(ROOT) / "pictures"
        files = run(PREFIX / "bin/quintet", "gui", "--export", folder, "--page", "calibration", "--formats", "svg,csv")
        self.assertGreater(len(files.split()), 1)
        for file in files.split():
            self.assertGreater(pathlib.Path(file).stat().st_size, 100, file)


class Pages(unittest.TestCase):
    def pages(self):
        return sorted((PREFIX / "share/man/man1").iterdir())

    def test_there_is_one_per_command(self):
        help_text = run(PREFIX / "bin/quintet", "--help")
        verbs = re.findall(r"^  ([a-z]+)  +\S", help_text[help_text.index("Subcommands") :], re.M)
        self.assertGreater(len(verbs), 8)
        names = {page.name.split(".")[0] for page in self.pages()}
        self.assertEqual(names, {"quintet"} | {f"quintet-{verb}" for verb in verbs})

    def test_they_have_every_option_of_help(self):
        for page in self.pages():
            verb = page.name.split(".")[0][len("quintet-") :]
            missing = {"run": "run", "calibrate": "run", "loop": "run", "gui": "gui", "replay": "replay"}.get(verb, "fit")
            if not verb or not (BUILD / f"quintet-{missing}").exists():
                continue
            text = gzip.decompress(page.read_bytes()).decode().replace("\\-", "-")
            help_text = run(PREFIX / "bin/quintet", "help", verb)
            options = [name for names in re.findall(r"^  (-\S+)", help_text, re.M) for name in names.split(",")]
            self.assertIn("--help", options)
            for option in options:
                self.assertIn(f"\\fB{option}\\fR", text, page.name)

    def test_mandoc_finds_nothing_wrong(self):
        if not shutil.which("mandoc"):
            skip("mandoc is not installed (Debian: mandoc)")
        for page in self.pages():
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
            self.assertEqual(done.stdout, "", page.name)

    def test_groff_finds_nothing_wrong(self):
        if not shutil.which("groff"):
            skip("groff is not installed (Debian: groff)")
        for page in self.pages():
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=gzip.decompress(page.read_bytes()),
                                  capture_output=True)  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, b""), page.name)

    def test_man_shows_them(self):
        if not shutil.which("man"):
            skip("man is not installed (Debian: man-db)")
        shown = run("man", "-l", PREFIX / "share/man/man1/quintet-simulate.1.gz")
        self.assertIn("Predict a training step", shown)


class OthersProjects(unittest.TestCase):
    def test_a_cmake_project_predicts(self):
        build = f"{ROOT}/outside"
        run("cmake", "-G", "Ninja", "-S", SOURCE / "tests/api/outside", "-B", build, f"-DCMAKE_PREFIX_PATH={PREFIX}",
            "-DCMAKE_BUILD_TYPE=Release")  # fmt: skip
        run("cmake", "--build", build)
        lines = run(f"{build}/outside").splitlines()
        self.assertTrue(lines[0].startswith("8761.1 ms, "), lines)
        self.assertEqual(lines[1], "plan: parallelism.sequence_length")

    def test_its_headers_need_no_others(self):
        for header in (PREFIX / "include/quintet").glob("*.h"):
            run("c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", PREFIX / "include",
                "-include", header, "-x", "c++", "/dev/null")  # fmt: skip

    def test_python_predicts(self):
        packages = PREFIX / "lib/python3/dist-packages"
        if not packages.exists():
            skip("the Python module was not built (Debian: pybind11-dev python3-dev)")
        line = (f"import sys; sys.path.insert(0, {str(packages)!r}); import quintet; "
                "print(quintet.predict(*sys.argv[1:]).json(), end=''); "
                "assert quintet.data_folder().startswith(sys.path[0].split('/lib/')[0]), quintet.data_folder()")  # fmt: skip
        plan, model, machine = README[1], README[3], README[5]
        self.assertEqual(run(PYTHON, "-c", line, model, plan, machine, cwd="/"),
                         run(PREFIX / "bin/quintet", *README, "--json", "-q", cwd="/"))  # fmt: skip


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
