"""quintet search as it is used: killed again and again and gone on with, on several threads, shared
by several processes, asked for spaces that are none. All answers are equal byte by byte."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program, tree = sys.argv[1:]
quintet = [program, "search", "--model", "gpt2", "--topology", "dgx-h100", "--hosts", "1", "--global-batch", "32",
           "--sequence", "1024"]
quick = quintet + ["--fluid", "10", "--top", "5", "--brief"]
environment = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_", "PMI_", "SLURM_"))}


def said(arguments, code=0, **more):
    done = subprocess.run(arguments, capture_output=True, text=True, env={**environment, **more})
    if done.returncode != code:
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done.stderr if code else done.stdout


def same(what, text, expected):
    if text != expected:
        sys.exit(f"{what}: differs\n{text}\n--- expected\n{expected}")


def kill_again_and_again(state, expected):
    """SIGKILL after longer and longer times, until it ends by itself."""
    kills, patience = 0, 0.02
    while True:
        run = subprocess.Popen(quick + ["--state", state, "--threads", "2", "-q"], stdout=subprocess.PIPE, text=True,
                               env=environment)
        try:
            out, _ = run.communicate(timeout=patience)
            break
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.communicate()
            kills, patience = kills + 1, patience * 1.5
    if run.returncode != 0 or kills == 0:
        sys.exit(f"exit {run.returncode} after {kills} kills")
    same(f"killed {kills} times", out, expected)


def interrupted(folder):
    """Ctrl-C: the best so far, and a state that goes on."""
    state = os.path.join(folder, "interrupted.json")
    run = subprocess.Popen(quintet + ["--free", "ccl", "--exact", "fluid", "--brief", "--json", "--state", state,
                                      "--threads", "1", "-q"], stdout=subprocess.PIPE, text=True, env=environment)
    deadline = time.time() + 60
    while time.time() < deadline:
        time.sleep(0.2)
        if os.path.exists(state) and json.load(open(state))["phase"] not in ("probing", "estimating"):
            break
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    answer = json.loads(out)
    if run.returncode != 0 or not answer["plans"] or answer["phase"] == "done" or answer["proven"] != "nothing":
        sys.exit(f"interrupted: exit {run.returncode}: {out[:500]}")


def shared(folder, expected):
    if shutil.which("mpirun") is None:
        print("no mpirun here: not tested")
    else:
        parts = os.path.join(folder, "mpi")
        launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "3"]
        same("mpirun -np 3", said(launch + quick + ["--state", parts, "--threads", "1", "-q"]), expected)
        same("--merge", said(quick + ["--merge", "--state", parts]), expected)
    # An array: whoever ends last prints.
    parts = os.path.join(folder, "array")
    outs = [said(quick + ["--state", parts, "-q"], SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_MIN="1",
                 SLURM_ARRAY_TASK_COUNT="4") for task in (2, 1, 4, 3)]
    same("a Slurm array", "".join(outs), expected)


def refused():
    for options, words in [
            (["--tensor", "5"], "5 ranks"),
            (["--pipeline", "8..1"], "range"),
            (["--set", "parallelism.tensorr=1,2"], "parallelism.tensor"),
            (["--free", "weather"], "--list-fields"),
            (["--fix", "parallelism.tensor=1,2"], "several values"),
            (["--tensor", "1,2", "--fix", "parallelism.tensor=1"], "same field"),
            (["--budget", "0 $"], "more than 0 $"),
            (["--budget=-3 $"], "expected an amount"),
            (["--budget", "1 $"], "budget is"),
            (["--budget", "1 M$/run"], "--tokens"),
            (["--deadline", "3 d"], "--tokens"),
            (["--objective", "money", "--set", "prices.electricity.usual=-1 $"], "prices"),
            (["--set", "network.hash_seed=1..100000", "--set", "network.mtu=256,512",
              "--set", "network.spray_efficiency=0.1,0.2,0.3", "--set", "host_net.queue_pairs=1..64"],
             "give fewer values"),
            (["--set", "parallelism.sequence_length=512,1024"], "sequence")]:
        error = said(quick + options, 2)
        if words not in error:
            sys.exit(f"{options}: {error!r} lacks {words!r}")
    # The question differs: what was saved is not taken for it.
    # Nothing fits: a step that no budget of time allows.
    error = said(quick + ["--tokens", "1T", "--deadline", "1 s"], 1)
    if "deadline" not in error:
        sys.exit(error)


with tempfile.TemporaryDirectory() as folder:
    expected = said(quick)
    for threads in ("1", "2", "4"):
        same(threads + " threads", said(quick + ["--threads", threads]), expected)
    state = os.path.join(folder, "state.json")
    kill_again_and_again(state, expected)
    same("of a search that is done", said(quick + ["--state", state]), expected)
    error = said(quick + ["--state", state, "--tensor", "1,2"], 2)
    if "another search" not in error:
        sys.exit(error)
    interrupted(folder)
    shared(folder, expected)
    refused()
    plans = os.path.join(folder, "plans")
    answer = json.loads(said(quick + ["--json", "-o", plans]))
    files = sorted(os.listdir(plans))
    if files != sorted(plan["name"] + ".json" for plan in answer["plans"]):
        sys.exit(str(files))
    one = json.loads(said([program, "simulate", os.path.join(plans, files[0]), "--model", "gpt2", "--topology", "dgx-h100",
                           "--hosts", "1", "--json", "-q"]))
    if abs(one["summary"][0]["step_s"] - answer["plans"][0]["step_s"]) > 1e-9:
        sys.exit("simulate says another time of the first plan")
    try:
        import jsonschema
        jsonschema.Draft202012Validator(json.load(open(os.path.join(tree, "docs/schema/search.json")))).validate(answer)
    except ImportError:
        print("no jsonschema here: its schema is not tested")
print("all equal")
