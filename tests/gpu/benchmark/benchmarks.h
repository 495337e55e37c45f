// The parts of gpu_benchmark. Each reports its figures one by one.
#pragma once

#include "kernels/device.h"
#include "tests/gpu/benchmark/timing.h"

namespace quintet::gpu_tests {

void benchmark_bandwidth(kernels::Device& device, Timer& timer);
void benchmark_gemm(kernels::Device& device, Timer& timer);
void benchmark_attention(kernels::Device& device, Timer& timer);
void benchmark_replicators(kernels::Device& device, Timer& timer);

}  // namespace quintet::gpu_tests
