// Random numbers by position instead of by sequence: the n-th number of a stream is the same
// whoever asks for it, so every layout of ranks sees the same weights, order and masks.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/philox.h"

namespace quintet {

// What the numbers are for: two streams of one seed never meet.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  bool operator==(const RandomStream&) const = default;
};

constexpr kernels::PhiloxWords random_words(const RandomStream& from, std::uint64_t index) {
  return kernels::philox(
      from.seed,
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
       static_cast<std::uint32_t>(from.stream), static_cast<std::uint32_t>(from.stream >> 32)});
}

constexpr std::uint64_t random_bits(const RandomStream& from, std::uint64_t index) {
  const kernels::PhiloxWords words = random_words(from, index);
  return std::uint64_t{words[0]} << 32 | words[1];
}

// 0 .. limit - 1; off from even by at most limit / 2^64 (Lemire, arXiv 1805.10941, without retry).
constexpr std::uint64_t random_below(const RandomStream& from, std::uint64_t index,
                                     std::uint64_t limit) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{random_bits(from, index)} * limit >> 64);
}

// 0 <= x < 1
constexpr double random_share(const RandomStream& from, std::uint64_t index) {
  return static_cast<double>(random_bits(from, index) >> 11) * 0x1p-53;
}

// Elements 4 * block .. 4 * block + 3 of a standard normal stream (Box and Muller 1958). The same
// on every rank of one machine; another libm may round the last bit otherwise. In fp32, whose
// functions take less time; models have many weights.
inline std::array<float, 4> random_normals(const RandomStream& from, std::uint64_t block) {
  const kernels::PhiloxWords words = random_words(from, block);
  std::array<float, 4> normals{};
  for (std::size_t pair = 0; pair < 4; pair += 2) {
    // Shifted off zero, whose logarithm is not finite.
    const float share = (static_cast<float>(words[pair]) + 0.5f) * 0x1p-32f;
    const float angle =
        2 * std::numbers::pi_v<float> * static_cast<float>(words[pair + 1]) * 0x1p-32f;
    const float radius = std::sqrt(-2 * std::log(share));
    normals[pair] = radius * std::cos(angle);
    normals[pair + 1] = radius * std::sin(angle);
  }
  return normals;
}

// A permutation of 0 .. count - 1 without a table: a Feistel network over the next power of four,
// walked until it lands inside (Black and Rogaway, CT-RSA 2002, "cycle walking").
inline std::uint64_t shuffled(const RandomStream& from, std::uint64_t index, std::uint64_t count) {
  const int half = (static_cast<int>(std::bit_width(count - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t mixed = left ^ (random_bits(from, right << 3 | round) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

}  // namespace quintet
