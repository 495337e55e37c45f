"""Places that cannot be written, of every option that writes."""

from wrong.case import ASK, FILES, content, directory, kind, link, mode, wrong

WRITERS = [  # a command, and an option of a file
    (FILES, "--trace"), (FILES, "--html"), (f"{ASK} --tensor 1", "-o"), ("topology machine.json", "--export"),
    ("compare step.json step2.json", "--html"), ("validate rows.csv", "--html"), ("validate rows.csv", "--residuals"),
    ("plan new --model gpt2 --topology dgx-h100-1 --global-batch 8", "-o"), ("fit gemms.csv --gpu h100-sxm-80gb", "-o")]


@kind("places of files that cannot be written")
def files():
    for command, option in WRITERS:
        shown = "--output" if option == "-o" else option
        yield wrong(f"{command} {option} hosts", "hosts", "is a directory")
        yield wrong(f"{command} {option} text.txt/x.json", "text.txt", ("directory",))
        yield wrong(f"{command} {option} /proc/x.json", "/proc", "another place")
        yield wrong(f"{command} {option} ''", shown, "expected FILE")
    for command, option in WRITERS[:4]:
        yield wrong(f"{command} {option} {'x' * 300}.json", option, ("too long", "another place"))
        yield wrong(f"{command} {option} loop/x.json", "loop", ("links", "another place"), link("loop", "loop"))
        yield wrong(f"{command} {option} shut/x.json", "shut", "Permission denied", directory("shut"), mode("shut", 0o555), as_nobody=True)


@kind("outputs onto inputs")
def onto_inputs():
    for command, option, file in [
            (FILES, "--trace", "plan.json"), (FILES, "--html", "model.json"), (FILES, "--trace", "costs.json"),
            (FILES, "--html", "./machine.json"), ("topology machine.json", "--export", "machine.json"),
            ("validate rows.csv", "--html", "rows.csv"), ("validate rows.csv", "--residuals", "rows.csv"),
            ("fit gemms.csv --gpu h100-sxm-80gb", "-o", "gemms.csv"), (FILES, "--trace t.json --html", "t.json")]:
        yield wrong(f"{command} {option} {file}", file, "another")


@kind("folders that cannot be written")
def folders():
    for command in [FILES, "compare step.json step2.json"]:
        yield wrong(f"{command} --svg plan.json", "--svg plan.json", "folder")
        yield wrong(f"{command} --svg plan.json/x", "plan.json", "folder")
        yield wrong(f"{command} --svg /proc/pictures", "/proc", "another place")
        yield wrong(f"{command} --svg ''", "--svg", "expected FOLDER")
        yield wrong(f"{command} --svg shut/pictures", "shut", "Permission denied", directory("shut"), mode("shut", 0o555), as_nobody=True)
    yield wrong("validate rows.csv --markdown page.md", "page.md", "<!-- end of scoreboard -->", content("page.md", "<!-- scoreboard -->\n"))
    yield wrong("validate rows.csv --markdown hosts", "hosts", "directory")
