// Random words by counter, 64 at a time, and what dropout makes of them (kernels/dropout.h).
#pragma once

#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

struct WordLanes {
  UnsignedLanes word[4];
};

#if defined(QUINTET_LANES_IN_PAIRS)
QUINTET_LANES LongHalf widen(UnsignedHalf value) {
  const auto whole = reinterpret_cast<__m256i>(value);
  return {reinterpret_cast<LongQuarter>(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(whole))),
          reinterpret_cast<LongQuarter>(_mm256_cvtepu32_epi64(_mm256_extracti128_si256(whole, 1)))};
}
QUINTET_LANES LongLanes widen(UnsignedLanes value) {
  return {widen(value.low), widen(value.high)};
}
QUINTET_LANES UnsignedHalf low(LongHalf value) {
  using Words = std::uint32_t __attribute__((vector_size(32)));
  return __builtin_shufflevector(reinterpret_cast<Words>(value.low),
                                 reinterpret_cast<Words>(value.high), 0, 2, 4, 6, 8, 10, 12, 14);
}
QUINTET_LANES UnsignedLanes low(LongLanes value) {
  return {low(value.low), low(value.high)};
}
// a0 b0 a1 b1 ... of the lower or the upper eight of each.
QUINTET_LANES UnsignedLanes zip(UnsignedHalf a, UnsignedHalf b) {
  return {__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
          __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)};
}
QUINTET_LANES UnsignedLanes zip_lower(UnsignedLanes a, UnsignedLanes b) {
  return zip(a.low, b.low);
}
QUINTET_LANES UnsignedLanes zip_upper(UnsignedLanes a, UnsignedLanes b) {
  return zip(a.high, b.high);
}
#else
QUINTET_LANES LongLanes widen(UnsignedLanes value) {
  return {__builtin_convertvector(__builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7),
                                  LongHalf),
          __builtin_convertvector(
              __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15), LongHalf)};
}
QUINTET_LANES UnsignedLanes low(LongLanes value) {
  return __builtin_shufflevector(bits_as<UnsignedLanes>(value.low),
                                 bits_as<UnsignedLanes>(value.high), 0, 2, 4, 6, 8, 10, 12, 14, 16,
                                 18, 20, 22, 24, 26, 28, 30);
}
// a0 b0 a1 b1 ... of the lower or the upper eight of each.
QUINTET_LANES UnsignedLanes zip_lower(UnsignedLanes a, UnsignedLanes b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
QUINTET_LANES UnsignedLanes zip_upper(UnsignedLanes a, UnsignedLanes b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}
#endif

// philox() of philox.h for 16 counters at once.
QUINTET_LANES WordLanes philox_lanes(std::uint64_t seed, WordLanes counter) {
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const LongLanes product0 = widen(counter.word[0]) * 0xD2511F53ULL;
    const LongLanes product1 = widen(counter.word[2]) * 0xCD9E8D57ULL;
    counter = {{low(product1 >> 32) ^ counter.word[1] ^ unsigned_lanes(key0), low(product1),
                low(product0 >> 32) ^ counter.word[3] ^ unsigned_lanes(key1), low(product0)}};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

constexpr Index random_chunk = 64;

struct RandomDraw {
  std::uint64_t seed, draw;
};

// Words of the 64 elements from one whose number is a multiple of 4: 16 counters of four words
// each.
QUINTET_LANES void fill_words(RandomDraw a, Index element, std::uint32_t* words) {
  const LongLanes block =
      static_cast<std::uint64_t>(element) / 4 + widen(bits_as<UnsignedLanes>(lane_numbers()));
  const auto draw_low = static_cast<std::uint32_t>(a.draw);
  const auto draw_high = static_cast<std::uint32_t>(a.draw >> 32);
  const WordLanes by_word = philox_lanes(
      a.seed,
      {{low(block), low(block >> 32), unsigned_lanes(draw_low), unsigned_lanes(draw_high)}});
  const UnsignedLanes even[2] = {zip_lower(by_word.word[0], by_word.word[2]),
                                 zip_upper(by_word.word[0], by_word.word[2])};
  const UnsignedLanes odd[2] = {zip_lower(by_word.word[1], by_word.word[3]),
                                zip_upper(by_word.word[1], by_word.word[3])};
  for (int half = 0; half < 2; ++half) {
    store_vector(words + 32 * half, zip_lower(even[half], odd[half]), lane_count);
    store_vector(words + 32 * half + 16, zip_upper(even[half], odd[half]), lane_count);
  }
}

// An element is kept when its word is at least the threshold.
struct Keeping {
  std::uint32_t threshold;
  float factor;
};

QUINTET_LANES Keeping keeping(float probability) {
  return {static_cast<std::uint32_t>(static_cast<double>(probability) * 0x1p32),
          1.0F / (1.0F - probability)};
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
