// Random words by counter, 64 at a time, and what dropout makes of them (kernels/dropout.h).
#pragma once

#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

struct WordLanes {
  UnsignedLanes word[4];
};

QUINTET_LANES LongLanes widen(UnsignedLanes value) {
  return __builtin_convertvector(value, LongLanes);
}
QUINTET_LANES UnsignedLanes low(LongLanes value) {
  return __builtin_convertvector(value, UnsignedLanes);
}

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

// a0 b0 a1 b1 ... of the lower or the upper eight of each.
QUINTET_LANES UnsignedLanes zip_lower(UnsignedLanes a, UnsignedLanes b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
QUINTET_LANES UnsignedLanes zip_upper(UnsignedLanes a, UnsignedLanes b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}

constexpr Index random_chunk = 64;

struct RandomDraw {
  std::uint64_t seed, draw;
};

// Words of the 64 elements from one whose number is a multiple of 4: 16 counters of four words
// each.
QUINTET_LANES void fill_words(RandomDraw a, Index element, std::uint32_t* words) {
  const LongLanes block = static_cast<std::uint64_t>(element) / 4 +
                          widen(reinterpret_cast<UnsignedLanes>(lane_numbers()));
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
