"""What the window cannot open, draw or write, without a display."""

from wrong.case import content, directory, put, window_kind, wrong

SESSION = {"quintet_session": 1, "scenario": {"model": "chain_model.json", "topology": "chain.json",
                                              "plan": "chain_plan.json", "costs": "chain_costs.json"}}
CHAIN = "gui chain_plan.json --model chain_model.json --topology chain.json --costs chain_costs.json"
OUT = "--export out --page calibration"
NAME = "mine.quintet-session.json"


def session(path="", value=None):
    """A session of which one field is another."""
    make = [content(NAME, SESSION)]
    if path:
        make.append(put(NAME, path, value))
    return make


@window_kind("window: options")
def options():
    yield wrong(f"{CHAIN} --export out --page topolgy", "--page", "calibration")
    yield wrong(f"{CHAIN} {OUT} --size 10x10", "--size", "1600x900")
    yield wrong(f"{CHAIN} {OUT} --size 1600", "--size", "1600x900")
    yield wrong(f"{CHAIN} {OUT} --formats gif", "--formats", "png, svg, csv")
    yield wrong(f"{CHAIN} {OUT} --appearance pink", "--appearance", "high-contrast")
    yield wrong(f"{CHAIN} {OUT} --set parallelism.tensr=2", "parallelism.tensr", "tensor")
    yield wrong(f"{CHAIN} {OUT} --hosts 0", "--hosts", "1")
    yield wrong(f"{CHAIN} {OUT} --fail host99/nic0", "host99", "host")
    yield wrong(f"{CHAIN} --exprt out", "--exprt", "--export")


@window_kind("window: files to open")
def files():
    yield wrong(f"gui nothing.json {OUT}", "nothing.json", "plan")
    yield wrong(f"gui text.txt {OUT}", "text.txt", "a session, a trace, a plan")
    yield wrong(f"gui machine.json {OUT}", "machine.json", "--topology")
    yield wrong(f"gui chain_plan.json --model nothing --topology chain.json {OUT}", "nothing", "model")
    yield wrong(f"{CHAIN} --recording text.txt {OUT}", "text.txt", "JSON")
    yield wrong(f"{CHAIN} --recording nothing.json {OUT}", "nothing.json", "no such file")


@window_kind("window: sessions")
def sessions():
    whole = '{"quintet_session": 1, "scenario": {"model": "chain_model.json", "topology": "chain.json"'
    for size in (25, 60, len(whole)):
        yield wrong(f"gui {NAME} {OUT}", NAME, ("JSON",), content(NAME, whole[:size]))
    yield wrong(f"gui {NAME} {OUT}", "quintet_session", "1", *session("quintet_session", 2))
    yield wrong(f"gui {NAME} {OUT}", "scenario.hosts", "1 to", *session("scenario.hosts", -3))
    yield wrong(f"gui {NAME} {OUT}", "topolgy", "topology", *session("scenario.topolgy", "x"))
    yield wrong(f"gui {NAME} {OUT}", "scenario.plan", "text", *session("scenario.plan", 7))
    yield wrong(f"gui {NAME} {OUT}", "gone.json", "plan", *session("scenario.plan", "gone.json"))
    yield wrong(f"gui {NAME} {OUT}", "parallelism.tensr", "tensor",
                *session("scenario.set", [{"field": "parallelism.tensr", "value": "2"}]))
    yield wrong(f"gui {NAME} {OUT}", "gone.json", "no such file", *session("recording", "gone.json"))


@window_kind("window: places to write")
def places():
    yield wrong(f"{CHAIN} --export plan.json", "plan.json", "folder")
    yield wrong(f"{CHAIN} --export /proc/pictures", "/proc", "folder")
    yield wrong(f"{CHAIN} --export ''", "--export", "expected FOLDER")
    yield wrong(f"{CHAIN} --screenshot nowhere/x.png", "nowhere/x.png", "folder")
    yield wrong(f"{CHAIN} --screenshot x.gif", "x.gif", ".png")
    yield wrong(f"{CHAIN} --screenshot shots", "shots", ".png", directory("shots"))
