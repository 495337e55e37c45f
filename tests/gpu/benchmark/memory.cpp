#include "tests/gpu/benchmark/memory.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

namespace quintet::gpu_tests {

namespace {

using namespace kernels;

constexpr std::size_t block_size = 1 << 20;  // numbers that are drawn; then they repeat

std::vector<float> normal_block() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> made(block_size);
  std::generate(made.begin(), made.end(), [&] { return normal(random); });
  return made;
}

Bfloat16 upper_half(float value) {
  return {static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, value) >> 16)};
}

}  // namespace

Memory::~Memory() {
  device_.synchronise(stream_);
  for (void* const memory : taken_) device_.free(memory);
  device_.destroy(stream_);
}

void* Memory::take(std::size_t bytes) {
  void* const memory = device_.allocate(bytes);
  if (memory == nullptr)
    throw std::runtime_error("the GPU has no " + std::to_string(bytes >> 20) + " MiB left");
  taken_.push_back(memory);
  return memory;
}

// The block once from the host, then what is there doubles.
template <class Value>
Value* Memory::filled(Index count, const std::vector<Value>& block) {
  const std::size_t all = static_cast<std::size_t>(count);
  auto* const memory = static_cast<Value*>(take(std::max<std::size_t>(all * sizeof(Value), 16)));
  std::size_t there = std::min(all, block.size());
  device_.copy(memory, block.data(), there * sizeof(Value), stream_);
  while (there < all) {
    const std::size_t next = std::min(there, all - there);
    device_.copy(memory + there, memory, next * sizeof(Value), stream_);
    there += next;
  }
  device_.synchronise(stream_);
  return memory;
}

Bfloat16* Memory::bfloat16s(Index count) {
  std::vector<Bfloat16> block;
  for (const float value : normal_block()) block.push_back(upper_half(value));
  return filled(count, block);
}

float* Memory::floats(Index count) {
  return filled(count, normal_block());
}

float* Memory::positive_floats(Index count) {
  std::vector<float> block = normal_block();
  for (float& value : block) value = std::abs(value) + 0.1F;
  return filled(count, block);
}

std::int32_t* Memory::integers(Index count, std::int32_t end) {
  std::mt19937 random(2);
  std::uniform_int_distribution<std::int32_t> uniform(0, end - 1);
  std::vector<std::int32_t> block(block_size);
  std::generate(block.begin(), block.end(), [&] { return uniform(random); });
  return filled(count, block);
}

std::int32_t* Memory::integers(const std::vector<std::int32_t>& values) {
  return filled(static_cast<Index>(values.size()), values);
}

float* Memory::number(float value) {
  return filled(1, std::vector<float>{value});
}

double* Memory::doubles(Index count) {
  return filled(count, std::vector<double>(64, 1.0));
}

}  // namespace quintet::gpu_tests
