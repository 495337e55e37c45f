"""Builds the GPU's part and its tests on a machine that has CUDA and CMake."""
import os
import pathlib
import shutil
import subprocess


class CannotBuild(Exception):
    pass


def googletest_sources(source):
    """Installed, or carried there in build/googletest. Without them gpu_operator_test is left out."""
    for place in (os.environ.get("QUINTET_GOOGLETEST"), source / "build/googletest", "/usr/src/googletest"):
        if place and pathlib.Path(place, "googletest/src/gtest-all.cc").exists():
            return [f"-DQUINTET_GOOGLETEST={pathlib.Path(place).resolve()}"]
    return []


def architecture(gpu):
    """90 -> 90a: Hopper's tensor cores want its own instructions."""
    number = gpu.facts["compute_cap"].replace(".", "")
    return {"90": "90a-real"}.get(number, f"{number}-real")


def built_here(source, gpu):
    if shutil.which("cmake") is None:
        raise CannotBuild("no BUILD_DIR was given, and CMake, to build here, is not on this machine")
    folder = source / "build/gpu_tests"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    configure = ["cmake", "-S", source, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release"]
    configure += ["-DQUINTET_ONLY_GPU_TESTS=ON", f"-DCMAKE_CUDA_ARCHITECTURES={architecture(gpu)}", *googletest_sources(source)]
    compile_all = ["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 1)]
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    with open(log, "w") as output:
        for command in (configure, compile_all):
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode != 0:
                tail = "\n".join(log.read_text().splitlines()[-20:])
                raise CannotBuild(f"the build failed; the end of {log}:\n{tail}")
    return folder
