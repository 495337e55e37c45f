// Implementations to test by name, small random tensors, naive calculus in double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace quintet::kernels {

// What kernels of an update read of a step that is the given one, at that rate. Of its own memory:
// what is moved to a GPU is moved whole.
inline std::unique_ptr<UpdateNumbers> update_numbers(Kernels& kernels, Stream& stream,
                                                     std::int64_t step, float rate, float beta1,
                                                     float beta2) {
  auto numbers = std::make_unique<UpdateNumbers>();
  numbers->updates = step - 1;
  kernels.begin_update({&rate, nullptr, {}, beta1, beta2, numbers.get()}, stream);
  return numbers;
}

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

inline std::size_t size_of(Index count) {
  return static_cast<std::size_t>(count);
}

// An output before it is written: what is left of it shows.
inline Floats poisoned(Index count) {
  return Floats(size_of(count), std::numeric_limits<float>::quiet_NaN());
}

inline Floats random_floats(Index count, unsigned seed, float deviation = 1.0F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, deviation);
  Floats made(size_of(count));
  for (float& value : made) value = normal(random);
  return made;
}

inline Doubles wide(const Floats& values) {
  return {values.begin(), values.end()};
}

inline double dot(const Doubles& left, const Doubles& right) {
  double sum = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] * right[i];
  return sum;
}

// |found - expected| / |expected| by the Euclidean norm; NaN when something was not written.
template <class Found, class Expected>
double relative_error(const std::vector<Found>& found, const std::vector<Expected>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double e = static_cast<double>(expected[i]);
    const double d = static_cast<double>(found[i]) - e;
    difference += d * d;
    size += e * e;
  }
  return size == 0.0 ? std::sqrt(difference) : std::sqrt(difference / size);
}

// Every n-th element, at most `sample_limit` of them.
inline constexpr std::size_t sample_limit = 40;

template <class Value>
std::vector<Value> sample(const std::vector<Value>& values) {
  const std::size_t stride = values.size() / sample_limit + 1;
  std::vector<Value> made;
  for (std::size_t i = 0; i < values.size(); i += stride) made.push_back(values[i]);
  return made;
}

// Elements `stride` apart of the gradient of function(x), by central differences, whose error is
// step^2 times the third derivative.
inline Doubles differences(const std::function<double(const Doubles&)>& function, Doubles x,
                           std::size_t stride) {
  constexpr double step = 1e-4;
  Doubles gradient;
  for (std::size_t i = 0; i < x.size(); i += stride) {
    const double middle = x[i];
    x[i] = middle + step;
    const double above = function(x);
    x[i] = middle - step;
    gradient.push_back((above - function(x)) / (2.0 * step));
    x[i] = middle;
  }
  return gradient;
}

inline Doubles numeric_gradient(const std::function<double(const Doubles&)>& function,
                                const Doubles& x) {
  return differences(function, x, 1);
}

// sample() of the gradient, for functions too slow to move every element.
inline Doubles sampled_gradient(const std::function<double(const Doubles&)>& function,
                                const Doubles& x) {
  return differences(function, x, x.size() / sample_limit + 1);
}

inline std::vector<std::uint32_t> bits_of(const Floats& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(__builtin_bit_cast(std::uint32_t, value));
  return bits;
}

inline Floats part_of(const Floats& values, Index first, Index count) {
  const auto begin = values.begin() + first;
  return {begin, begin + count};
}

inline std::vector<Bfloat16> narrow(Kernels& kernels, const Floats& values) {
  Stream stream;
  std::vector<Bfloat16> made(values.size());
  kernels.cast({static_cast<Index>(values.size()), values.data(), made.data()}, stream);
  return made;
}

inline Floats widened(Kernels& kernels, const std::vector<Bfloat16>& values) {
  Stream stream;
  Floats made(values.size());
  kernels.cast({static_cast<Index>(values.size()), values.data(), made.data()}, stream);
  return made;
}

inline std::vector<Bfloat16> poisoned_bf16(Index count) {
  return std::vector<Bfloat16>(size_of(count), Bfloat16{0x7FC0});
}

// fp32 kernels against double; bf16 against fp32 (8 bits of fraction).
inline constexpr double fp32_tolerance = 2e-6;
inline constexpr double gradient_tolerance = 1e-5;
inline constexpr double bf16_tolerance = 1e-2;

// In which order an implementation's products sum; the strictest promise first.
enum class Sums {
  in_blocks,      // gemm.h's
  split_exactly,  // another, that a split over rows or columns does not change
  any,            // it may change with the shape
};

struct Implementation {
  std::string name;
  std::function<std::unique_ptr<Kernels>()> make;  // empty where it does not run here
  Sums sums = Sums::in_blocks;
};

inline void PrintTo(const Implementation& implementation, std::ostream* to) {
  *to << implementation.name;
}

// Those of this test program: the CPU's, or the GPU's, on the emulator or on a GPU (tests/gpu).
std::vector<Implementation> implementations();

// Runs each test on each implementation, or says that it does not run here.
class Operators : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    if (GetParam().make) kernels_ = GetParam().make();
    if (kernels_ == nullptr)
      GTEST_SKIP() << GetParam().name << " is not in this build or not for this CPU";
  }

  std::unique_ptr<Kernels> kernels_;
  Stream stream_;
};

// Those whose products promise these sums, or more.
inline std::vector<Implementation> implementations_that_sum(Sums sums) {
  std::vector<Implementation> all = implementations();
  std::erase_if(all, [&](const Implementation& each) { return each.sums > sums; });
  return all;
}

#define QUINTET_ON_IMPLEMENTATIONS(suite, which)                \
  INSTANTIATE_TEST_SUITE_P(On, suite, testing::ValuesIn(which), \
                           [](const auto& instance) { return instance.param.name; })
#define QUINTET_ON_EVERY_IMPLEMENTATION(suite) QUINTET_ON_IMPLEMENTATIONS(suite, implementations())

}  // namespace quintet::kernels
