// The elements with the smallest of random scores, without room for the scores: they are drawn anew
// in each pass, of which three find the largest score that is taken, twelve, twelve and eight bits
// at a time.
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/random_words.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// visit(element, score), in order.
template <class Visit>
void for_scores(const DrawPositions& a, Visit visit) {
  assert(a.first % random_chunk == 0);
  alignas(64) std::uint32_t words[random_chunk];
  for (Index begin = 0; begin < a.count; begin += random_chunk) {
    fill_words({a.seed, a.draw}, a.first + begin, words);
    const Index here = a.count - begin < random_chunk ? a.count - begin : random_chunk;
    for (Index at = 0; at < here; ++at) visit(begin + at, words[at]);
  }
}

// All scores below `score` are taken, and `equal` of those that are the same.
struct Last {
  std::uint32_t score = 0;
  Index equal = 0;
};

constexpr int digits[] = {12, 12, 8};

Last last_taken(const DrawPositions& a) {
  Index left = a.chosen;
  std::uint32_t known = 0;
  int shift = 32;
  for (const int bits : digits) {
    Index counts[1 << 12] = {};
    const int above = shift;
    shift -= bits;
    const std::uint32_t mask = (1U << bits) - 1;
    for_scores(a, [&](Index, std::uint32_t score) {
      const bool alike = above == 32 || score >> above == known >> above;
      if (alike) ++counts[(score >> shift) & mask];
    });
    std::uint32_t digit = 0;
    while (counts[digit] < left) left -= counts[digit++];
    known |= digit << shift;
  }
  return {known, left};
}

}  // namespace

void CpuKernels::draw_positions(const DrawPositions& a, Stream&) {
  assert(a.chosen <= a.count && a.count <= 0x7FFFFFFF);
  if (a.chosen == 0) return;
  Last last = last_taken(a);
  Index taken = 0;
  for_scores(a, [&](Index element, std::uint32_t score) {
    const bool ties = score == last.score && last.equal > 0;
    if (score >= last.score && !ties) return;
    if (ties) --last.equal;
    a.positions[taken++] = static_cast<std::int32_t>(element);
  });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
