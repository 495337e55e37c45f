#include "kernels/embedding.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Row of the token table, or -1 where the token belongs to another shard.
Index row_in_shard(std::int32_t token, const VocabularyShard& shard) {
  const std::int32_t row = token - shard.first;
  return row >= 0 && row < shard.size ? row : -1;
}

template <class Element>
QUINTET_LANES Lanes row_of(const ConstTensor& table, Index row, Index width, Index at, Index left,
                           Element* kind) {
  if (table.data == nullptr || row < 0) return Lanes{};
  return load(elements(table, kind) + row * width + at, left);
}

// Where the next token's row lies in a table, which no cache expects; null where there is none.
template <class Element>
QUINTET_LANES const Element* next_row(const EmbeddingForward& a, Index row, const Element* table) {
  if (table == nullptr || row + 1 >= a.rows) return nullptr;
  const Index next = row_in_shard(a.tokens[row + 1], a.shard);
  return next < 0 ? nullptr : table + next * a.width;
}

template <class Element>
QUINTET_FLAT void forward(const EmbeddingForward& a, Element* kind) {
  for (Index r = 0; r < a.rows; ++r) {
    const Index token = row_in_shard(a.tokens[r], a.shard);
    const Index position = a.position_table.data == nullptr ? -1 : a.positions[r];
    const Index type = a.type_table.data == nullptr ? -1 : a.types[r];
    const Element* const next = next_row(a, r, elements(a.token_table, kind));
    for_lanes(a.width, [&](Index at, Index left) {
      if (next != nullptr) __builtin_prefetch(next + at);
      const Lanes sum = row_of(a.token_table, token, a.width, at, left, kind) +
                        row_of(a.position_table, position, a.width, at, left, kind) +
                        row_of(a.type_table, type, a.width, at, left, kind);
      store(elements(a.output, kind) + r * a.width + at, sum, left);
    });
  }
}

template <class Element>
QUINTET_FLAT void add_row(const Element* gradient, Index width, Index row, float* table) {
  if (table == nullptr || row < 0) return;
  float* const to = table + row * width;
  for_lanes(width, [&](Index at, Index left) {
    store(to + at, load(to + at, left) + load(gradient + at, left), left);
  });
}

template <class Element>
void scatter(const EmbeddingGradient& a, Element* kind) {
  for (Index r = 0; r < a.rows; ++r) {
    const Element* const gradient = elements(a.output_gradient, kind) + r * a.width;
    add_row(gradient, a.width, row_in_shard(a.tokens[r], a.shard), a.token_gradient);
    if (a.position_gradient != nullptr)
      add_row(gradient, a.width, a.positions[r], a.position_gradient);
    if (a.type_gradient != nullptr) add_row(gradient, a.width, a.types[r], a.type_gradient);
  }
}

}  // namespace

void CpuKernels::embedding_forward(const EmbeddingForward& a, Stream&) {
  with_element(a.output.type, [&](auto* kind) { forward(a, kind); });
}

void CpuKernels::embedding_gradient(const EmbeddingGradient& a, Stream&) {
  with_element(a.output_gradient.type, [&](auto* kind) { scatter(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
