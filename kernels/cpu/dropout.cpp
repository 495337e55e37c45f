#include "kernels/dropout.h"

#include "kernels/cpu/cpu_kernels.h"
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

// One random word for each of 16 elements in a row of the whole tensor.
QUINTET_LANES UnsignedLanes words_at(const Dropout& a, Index element) {
  const LongLanes place =
      static_cast<std::uint64_t>(element) + widen(reinterpret_cast<UnsignedLanes>(lane_numbers()));
  const LongLanes block = place >> 2;
  const auto draw_low = static_cast<std::uint32_t>(a.draw);
  const auto draw_high = static_cast<std::uint32_t>(a.draw >> 32);
  const WordLanes words = philox_lanes(
      a.seed,
      {{low(block), low(block >> 32), unsigned_lanes(draw_low), unsigned_lanes(draw_high)}});
  const UnsignedLanes which = low(place) & 3;
  const UnsignedLanes low_half = which == 0 ? words.word[0] : words.word[1];
  const UnsignedLanes high_half = which == 2 ? words.word[2] : words.word[3];
  return which < 2 ? low_half : high_half;
}

template <class Element>
void drop(const Dropout& a, Element* kind) {
  const Index whole = a.whole_width == 0 ? a.width : a.whole_width;
  const auto threshold =
      unsigned_lanes(static_cast<std::uint32_t>(static_cast<double>(a.probability) * 0x1p32));
  const float factor = 1.0F / (1.0F - a.probability);
  for (Index row = 0; row < a.rows; ++row) {
    const Index first = (a.first_row + row) * whole + a.first_column;
    for_lanes(a.width, [&](Index at, Index left) {
      const Lanes value = load(elements(a.input, kind) + row * a.width + at, left) * factor;
      const Lanes kept = words_at(a, first + at) >= threshold ? value : Lanes{};
      store(elements(a.output, kind) + row * a.width + at, kept, left);
    });
  }
}

}  // namespace

void CpuKernels::dropout(const Dropout& a, Stream&) {
  assert(a.probability >= 0.0F && a.probability < 1.0F);
  with_element(a.input.type, [&](auto* kind) { drop(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
