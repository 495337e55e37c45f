#include "engine/train/gemm_peak.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <random>
#include <stdexcept>
#include <vector>

#include "engine/device/await_end.h"
#include "engine/device/buffer.h"
#include "engine/files/storage/half_floats.h"

namespace quintet::engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds longest_wait{60};

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

constexpr Index first_size = 128, last_size = 8192;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Between -1 and 1; the same few rows again and again.
std::vector<std::byte> numbers(DataType type, Index count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(static_cast<double>(count) * size_of(type).value));
  for (Index i = 0; i < count; ++i) {
    const float number = value(random);
    const std::uint16_t half = bf16_of(number);
    const auto place = static_cast<std::size_t>(i);
    if (type == DataType::bf16)
      std::memcpy(bytes.data() + place * sizeof half, &half, sizeof half);
    else
      std::memcpy(bytes.data() + place * sizeof number, &number, sizeof number);
  }
  return bytes;
}

// A square matrix of the largest size that is asked for.
class Matrix {
 public:
  Matrix(kernels::Device& device, DataType type, Index size, const kernels::Stream& stream)
      : device_(device), type_(type) {
    const std::vector<std::byte> some = numbers(type, first_size * first_size);
    const auto times = static_cast<std::size_t>((size / first_size) * (size / first_size));
    memory_ = static_cast<std::byte*>(device.allocate(some.size() * times));
    for (std::size_t part = 0; memory_ != nullptr && part < times; ++part)
      device.copy(memory_ + part * some.size(), some.data(), some.size(), stream);
    await_end(device, stream, longest_wait, "a copy of a matrix");
  }
  ~Matrix() {
    if (memory_ != nullptr) device_.free(memory_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  explicit operator bool() const { return memory_ != nullptr; }
  kernels::Tensor at() const { return {memory_, kernel_type(type_)}; }

 private:
  kernels::Device& device_;
  DataType type_;
  std::byte* memory_ = nullptr;
};

class Measuring {
 public:
  Measuring(kernels::Device& device, DataType type, double within)
      : device_(device),
        type_(type),
        within_(within),
        kernels_(device.make_kernels()),
        stream_(device.make_stream()) {}
  ~Measuring() { device_.destroy(stream_); }

  double best() {
    double best = 0;
    for (Index size = first_size; size <= last_size; size *= 2) {
      const Matrix a(device_, type_, size, stream_), b(device_, type_, size, stream_),
          c(device_, type_, size, stream_);
      if (!a || !b || !c) break;
      seconds_of(size, a, b, c, 1);  // makes what it makes the first time
      const double once = seconds_of(size, a, b, c, 1);
      const int times = std::max(1, static_cast<int>(within_ / 4 / once));
      const double flops = 2.0 * static_cast<double>(size * size * size);
      best = std::max(best, flops * times / seconds_of(size, a, b, c, times));
      if (8 * once > within_ / 4) break;  // what the next size would take
    }
    return best;
  }

 private:
  double seconds_of(Index size, const Matrix& a, const Matrix& b, const Matrix& c, int times) {
    kernels::Gemm gemm;
    gemm.rows = gemm.columns = gemm.depth = size;
    gemm.a = a.at();
    gemm.b = b.at();
    gemm.c = c.at();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) kernels_->gemm(gemm, stream_);
    await_end(device_, stream_, longest_wait, "matrix products");
    return seconds_since(start);
  }

  kernels::Device& device_;
  DataType type_;
  double within_;
  std::unique_ptr<kernels::Kernels> kernels_;
  kernels::Stream stream_;
};

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

FlopRate device_gemm_peak(kernels::Device& device, DataType type, Seconds within) {
  return FlopRate{Measuring(device, type, within.value).best()};
}

Result<FlopRate> peak_of_rank(const RankProcessor& processor, const CoreShare& share) try {
  constexpr Seconds within{0.2};
  if (processor.device != nullptr)
    return device_gemm_peak(*processor.device, processor.type, within);
  return peak_of_rank(gemm_peak(*processor.kernels, processor.type, within), share);
} catch (const std::runtime_error& failure) {
  return Error{"device", failure.what()};
}

}  // namespace quintet::engine
