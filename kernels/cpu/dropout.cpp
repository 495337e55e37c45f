#include "kernels/dropout.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/random_words.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// `first` is the number of the row's first element in the whole tensor.
template <class Element>
void drop_row(const Dropout& a, Index first, const Element* input, Element* output) {
  const Keeping keep = keeping(a.probability);
  alignas(64) std::uint32_t words[random_chunk];
  for (Index base = first / 4 * 4; base < first + a.width; base += random_chunk) {
    fill_words({a.seed, a.draw}, base, words);
    const Index begin = base < first ? first : base;
    const Index end = base + random_chunk < first + a.width ? base + random_chunk : first + a.width;
    for_lanes(end - begin, [&](Index at, Index left) {
      const auto word = load_vector<UnsignedLanes>(words + (begin - base) + at, left);
      const Lanes value = load(input + (begin - first) + at, left) * keep.factor;
      const Lanes kept = select(word >= unsigned_lanes(keep.threshold), value, Lanes{});
      store(output + (begin - first) + at, kept, left);
    });
  }
}

template <class Element>
void drop(const Dropout& a, Element* kind) {
  const Index whole = a.whole_width == 0 ? a.width : a.whole_width;
  for (Index row = 0; row < a.rows; ++row)
    drop_row(a, (a.first_row + row) * whole + a.first_column,
             elements(a.input, kind) + row * a.width, elements(a.output, kind) + row * a.width);
}

}  // namespace

void CpuKernels::dropout(const Dropout& a, Stream&) {
  assert(a.probability >= 0.0F && a.probability < 1.0F);
  with_element(a.input.type, [&](auto* kind) { drop(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
