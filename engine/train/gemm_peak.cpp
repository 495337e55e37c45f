#include "engine/train/gemm_peak.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/device/buffer.h"

namespace quintet::engine {

namespace {

double seconds_on_cores() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The best of several stretches: what disturbs one, cold caches say, need not disturb all.
double rate_of(kernels::Kernels& kernels, DataType type, Index size, double within) {
  constexpr double stretch = 4e-3;  // seconds
  const Buffer left(size * size, type), right(size * size, type);
  Buffer product(size * size, type);
  kernels::Gemm gemm;
  gemm.rows = gemm.columns = gemm.depth = size;
  gemm.a = left.at();
  gemm.b = right.at();
  gemm.c = product.at();
  const double flops = 2.0 * static_cast<double>(size * size * size);
  kernels::Stream stream;
  kernels.gemm(gemm, stream);  // builds what it builds the first time
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  double best = 0;
  do {
    const double begin = seconds_on_cores();
    double done = 0, passed = 0;
    while (passed < stretch) {
      kernels.gemm(gemm, stream);
      done += flops;
      passed = seconds_on_cores() - begin;
    }
    best = std::max(best, done / passed);
  } while (std::chrono::duration<double>(Clock::now() - start).count() < within);
  return best;
}

}  // namespace

FlopRate gemm_peak(kernels::Kernels& kernels, DataType type, Seconds within) {
  double best = 0;
  for (const Index size : {128, 256, 512})
    best = std::max(best, rate_of(kernels, type, size, within.value / 3));
  return FlopRate{best};
}

FlopRate peak_of_rank(FlopRate rate, const CoreShare& share) {
  const double wanted = static_cast<double>(share.ranks) * share.threads;
  return rate * (share.threads * std::min(1.0, share.cores / wanted));
}

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace quintet::engine
