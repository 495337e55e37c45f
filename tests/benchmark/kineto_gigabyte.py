#!/usr/bin/env python3
"""Reads a Kineto trace of a gigabyte: how fast, and in how much memory.

  tests/benchmark/kineto_gigabyte.py BUILD_DIRECTORY [--megabytes 1000] [--keep FILE] [--program PROGRAM]

Makes the trace as PyTorch's profiler writes it (libkineto/src/output_json.cpp): operators that nest, with
shapes; a launch and its kernel with all arguments for every fourth of them; arrows; collectives on a
stream of their own; calls that say nothing. Reads it with tests/benchmark/kineto_reading.cpp on one core.
Aim (issue 19): 250 MB/s and more, 500 MB resident and less. Needs nothing but Python 3.
"""

import argparse
import pathlib
import subprocess
import tempfile

HEAD = """
{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85017493504,
      "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132
    }
  ],
  "record_shapes": 1,
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1711964646000000000,
  "traceEvents": ["""
TAIL = """
  {
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": 4458677117099.727
  }
  ],
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8, "pg_count": 1, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 8, "ranks": [0, 1, 2, 3, 4, 5, 6, 7]}], "nccl_version": "2.21.5"},
  "traceName": "/tmp/trace.json"
}
"""
OPERATION = """
  {{
    "ph": "X", "cat": "cpu_op", "name": "{name}", "pid": 2910249, "tid": 2910249,
    "ts": {ts:.3f}, "dur": {dur:.3f},
    "args": {{
      "External id": {external},"Record function id": {record}, "Sequence number": {sequence}, "Fwd thread id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["c10::BFloat16", "c10::BFloat16", ""], "Input Strides": [[4096, 1], [1, 4096], []], "Input Dims": {dims}, "Ev Idx": {record}
    }}
  }},"""
LAUNCH = """
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 2910249, "tid": 2910249,
    "ts": {ts:.3f}, "dur": 5.120,
    "args": {{
      "External id": {external}, "cbid": 211, "correlation": {correlation}
    }}
  }},
  {{
    "ph": "s", "id": {correlation}, "pid": 2910249, "tid": 2910249, "ts": {ts:.3f},
    "cat": "ac2g", "name": "ac2g"
  }},"""
KERNEL = """
  {{
    "ph": "X", "cat": "kernel", "name": "{name}", "pid": 0, "tid": {stream},
    "ts": {ts:.3f}, "dur": {dur:.3f},
    "args": {{
      "External id": {external}, "queued": 0, "device": 0, "context": 1, "stream": {stream}, "correlation": {correlation}, "registers per thread": 40, "shared memory": 400, "blocks per SM": 4.740741, "warps per SM": 75.851852, "grid": [512, 1, 1], "block": [512, 1, 1], "est. achieved occupancy %": 75{more}
    }}
  }},
  {{
    "ph": "f", "id": {correlation}, "pid": 0, "tid": {stream}, "ts": {ts:.3f},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},"""
CALL = """
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaStreamIsCapturing", "pid": 2910249, "tid": 2910249,
    "ts": {ts:.3f}, "dur": 0.930,
    "args": {{
      "External id": {external}, "cbid": 317, "correlation": {correlation}
    }}
  }},
  {{
    "ph": "f", "id": {correlation}, "pid": 2910249, "tid": 2910249, "ts": {ts:.3f},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},"""
COLLECTIVE = (', "Collective name": "allreduce", "In msg nelems": 6637568, "Out msg nelems": 6637568, "Group size": 8, '
              '"dtype": "BFloat16", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", '
              '"Process Group Description": "default_pg", "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]", "Seq": {seq}')
OPERATORS = ["aten::linear", "aten::matmul", "aten::mm", "aten::add_", "aten::native_layer_norm", "aten::gelu"]
KERNELS = [
    "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, float, "
    "at::native::binary_internal::MulFunctor<float> >, at::detail::Array<char*, 2> >(int, "
    "at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, "
    "at::detail::Array<char*, 2>)",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t> >(Flash_fwd_params)",
]


def layers(first):
    """Events of one layer after another: four operators, a call, a launch and a kernel."""
    number, correlation, time = first, first, 4458676416788.066
    while True:
        text = []
        for nested in range(4):
            number += 1
            dims = f"[[{8 * (1 + number % 7)}, 4096], [4096, {1024 * (1 + number % 3)}], []]"
            text.append(OPERATION.format(name=OPERATORS[number % len(OPERATORS)], ts=time + nested,
                                         dur=40 - 4 * nested, external=number, record=number,
                                         sequence=number // 4, dims=dims))
        text.append(CALL.format(ts=time + 5, external=number, correlation=correlation + 1))
        text.append(LAUNCH.format(ts=time + 8, external=number, correlation=correlation + 2))
        collective = number % 256 == 0
        text.append(KERNEL.format(
            name="ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)" if collective
            else KERNELS[number // 4 % len(KERNELS)], stream=40 if collective else 7, ts=time + 20,
            dur=41.407, external=number, correlation=correlation + 2,
            more=COLLECTIVE.format(seq=number) if collective else ""))
        correlation += 2
        time += 60.123
        yield "".join(text)


def write_trace(file, size):
    written = file.write(HEAD)
    for layer in layers(1):
        written += file.write(layer)
        if written >= size:
            break
    file.write(TAIL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--keep", type=pathlib.Path, help="write the trace there and leave it")
    parser.add_argument("--program", type=pathlib.Path, help="instead of BUILD's kineto_reading")
    arguments = parser.parse_args()
    program = arguments.program or arguments.build / "tests" / "benchmark" / "kineto_reading"
    with tempfile.TemporaryDirectory(prefix="kineto", dir="/tmp") as folder:
        path = arguments.keep or pathlib.Path(folder) / "trace.json"
        with open(path, "w", buffering=1 << 20) as file:
            write_trace(file, arguments.megabytes * 10**6)
        subprocess.run(["taskset", "--cpu-list", "0", program, path], check=True)


if __name__ == "__main__":
    main()
