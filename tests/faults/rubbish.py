"""Strangers who connect to the ranks of a run and say nonsense: what the programs beside this share."""

import os
import pathlib
import subprocess
import sys

# Says nothing, noise, UCX's magic number and noise (which ended a process that let UCX listen), or the
# beginning of a rank's hello and noise; holds two hundred connections at a time. Prints how many stood.
STRANGER = r"""
import random, socket, struct, sys, time
chance, until = random.Random(int(sys.argv[1])), time.monotonic() + float(sys.argv[2])
count, own, doors, held = 0, sys.argv[3], [door.split(":") for door in sys.argv[4:]], []
while time.monotonic() < until:
    for host, port in doors:
        s = socket.socket()
        s.settimeout(0.2)
        try:
            if own:
                s.bind((own, 0))
            s.connect((host, int(port)))
            count += 1
            noise = bytes(chance.randrange(256) for _ in range(chance.randrange(300)))
            s.send([b"", noise, struct.pack("<Q", 0xCAFEBABE12345678) + noise,
                    struct.pack("<I", 1) + noise][chance.randrange(4)])
        except OSError:
            pass
        held.append(s)
        held = held[-200:]
    time.sleep(0.005)
print(count)
"""


def start_stranger(seed, seconds, own_address, doors, before=()):
    """For so long; own_address "": whichever the system takes. `before`: words that begin the command."""
    return subprocess.Popen([*before, sys.executable, "-c", STRANGER, str(seed), str(seconds),
                             own_address, *doors], stdout=subprocess.PIPE, text=True)


def doors_of(process):
    """What a rank's process listens on, "address:port" each."""
    sockets = set()
    for number in os.listdir(f"/proc/{process}/fd"):
        try:
            target = os.readlink(f"/proc/{process}/fd/{number}")
        except OSError:
            continue
        if target.startswith("socket:["):
            sockets.add(target[8:-1])
    doors = []
    for line in pathlib.Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and words[9] in sockets:
            host, port = words[1].split(":")
            address = ".".join(str(byte) for byte in reversed(bytes.fromhex(host)))
            doors.append(f"{address}:{int(port, 16)}")
    return doors
