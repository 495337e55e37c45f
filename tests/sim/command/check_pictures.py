"""Pages and drawings of `quintet simulate` and `compare`, read by Python's parser of XML."""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

quintet = sys.argv[1]
svg = "{http://www.w3.org/2000/svg}"


def run(folder, *words):
    done = subprocess.run([quintet, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


def check(folder):
    toy = ["--model", "toy-pipeline", "--costs", "toy-pipeline", "-q"]
    for name, machine in (("one", "pipeline-4-20ms"), ("two", "pipeline-4-10ms")):
        run(folder, "simulate", "toy-pipeline-1f1b", "toy-pipeline-warm-up", "--topology", machine, *toy,
            "--html", name + ".html", "--svg", name)
        run(folder, "simulate", "toy-pipeline-1f1b", "--topology", machine, *toy, "--trace", name + ".json")
    run(folder, "compare", "one.json", "two.json", "--html", "both.html", "--svg", "both")
    files = sorted(pathlib.Path(folder).rglob("*.svg"))
    assert len(files) > 15, files
    for file in files:
        root = xml.parse(file).getroot()
        assert root.tag == svg + "svg", file
        assert root.find(svg + "title").text and root.find(svg + "desc").text, file
        ids = [each.get("id") for each in root.iter() if each.get("id")]
        assert len(ids) == len(set(ids)), (file, ids)
    for name in ("one", "two", "both"):
        root = xml.parse(pathlib.Path(folder) / (name + ".html")).getroot()
        ids = [each.get("id") for each in root.iter() if each.get("id")]
        assert len(ids) == len(set(ids)), (name, "ids are there twice")
        assert len(list(root.iter(svg + "svg"))) == len(list((pathlib.Path(folder) / name).iterdir())), name
    print(len(files), "drawings are XML")


with tempfile.TemporaryDirectory() as folder:
    check(folder)
