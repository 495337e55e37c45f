"""Results of a call as one file to carry home, and into traces/recorded there."""
import json
import pathlib
import tarfile

RECORD, TABLE, LEFT_OUT = "gpu_run.json", "table.txt", "left_out.txt"
# What comes back from a lent machine is at most 16 MiB a file. Timelines shrink to a tenth and less.
MOST_BYTES = 120 << 20
PREDICTED, MEASURED = ".predicted.json", ".measured.json"


class Refused(Exception):
    pass


def write(records, path):
    """All files below `records`, the smallest first; what is too much is named in left_out.txt."""
    files = sorted((file for file in records.rglob("*") if file.is_file()), key=lambda file: file.stat().st_size)
    taken, size, left_out = [], 0, []
    for file in files:
        size += file.stat().st_size
        (taken if size <= MOST_BYTES else left_out).append(file)
    if left_out:
        names = "".join(f"{file.relative_to(records)}, {file.stat().st_size} bytes\n" for file in left_out)
        (records / LEFT_OUT).write_text(names)
        taken.append(records / LEFT_OUT)
    unfinished = path.with_name(path.name + ".part")
    with tarfile.open(unfinished, "w:gz", compresslevel=6) as archive:
        for file in taken:
            archive.add(file, file.relative_to(records))
    unfinished.replace(path)


def contents(path):
    """Name -> bytes of the plain files; nothing that leads out of the folder."""
    try:
        with tarfile.open(path) as archive:
            files = [member for member in archive.getmembers() if member.isfile()]
            for member in files:
                place = pathlib.PurePosixPath(member.name)
                if place.is_absolute() or ".." in place.parts:
                    raise Refused(f"{path}: {member.name} leads out of the archive")
            return {member.name: archive.extractfile(member).read() for member in files}
    except (OSError, tarfile.TarError) as failure:
        raise Refused(f"{path}: is no archive of tests/gpu/run: {failure}") from None


def take(path, into, measured_only):
    """Puts the archive's files into a folder of their own; the folder. Refused: it is none, or, if `measured_only`,
    came from a stand-in."""
    files = contents(path)
    if RECORD not in files:
        raise Refused(f"{path}: has no {RECORD}: it is no archive of tests/gpu/run")
    record = json.loads(files[RECORD])
    if measured_only and record.get("stand_in"):
        raise Refused(f"{path}: was made by a stand-in, {record['stand_in']}: no GPU was measured. Take it elsewhere by --into")
    gpu = record["gpu"]["name"].removeprefix("NVIDIA ").replace(" ", "-").lower()
    call = f"-call-{record['call']}" if record.get("call") else ""
    folder = into / f"{record['date'][:16].replace(':', '')}-{gpu}{call}"
    if folder.exists():
        raise Refused(f"{path}: {folder} is there already")
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def pairs(folder):
    """Predicted and measured timelines of the same step."""
    for measured in sorted(folder.rglob(f"*{MEASURED}")):
        predicted = measured.with_name(measured.name.removesuffix(MEASURED) + PREDICTED)
        if predicted.exists():
            yield predicted, measured
