// Shapes of attention, and memory for it, as its tests have them.
#pragma once

#include "tests/kernels/support.h"

namespace quintet::kernels::attention_world {

struct Case {
  std::string name;
  AttentionMask mask;
  Index query_heads, key_heads, head_size;
  std::vector<std::int32_t> query_starts, key_starts;
  Index window = 0;
  float dropout = 0.0F;

  Index queries() const { return query_starts.back(); }
  Index keys() const { return key_starts.back(); }
  Index query_size() const { return queries() * query_heads * head_size; }
  Index key_size() const { return keys() * key_heads * head_size; }
  Index sequences() const { return static_cast<Index>(query_starts.size()) - 1; }
};

inline constexpr std::uint64_t seed = 0x123456789ABCDEF0ULL, draw = 77;  // of the dropout
inline constexpr Index whole_keys = 152, first_row = 3000;

inline AttentionLayout shape_of(const Case& c) {
  AttentionLayout shape;
  shape.sequences = c.sequences();
  shape.query_starts = c.query_starts.data();
  shape.key_starts = c.key_starts.data();
  shape.query_heads = c.query_heads;
  shape.key_heads = c.key_heads;
  shape.head_size = c.head_size;
  shape.mask = c.mask;
  shape.window = c.window;
  shape.dropout = {c.dropout, seed, draw, first_row, 0, 0, whole_keys};
  shape.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.head_size)));
  return shape;
}

struct Memory {
  Floats query, key, value, upstream;
  Floats output, log_sum_exp, query_gradient, key_gradient, value_gradient;

  explicit Memory(const Case& c)
      : query(random_floats(c.query_size(), 1)),
        key(random_floats(c.key_size(), 2)),
        value(random_floats(c.key_size(), 3)),
        upstream(random_floats(c.query_size(), 4)),
        output(poisoned(c.query_size())),
        log_sum_exp(poisoned(c.queries() * c.query_heads)),
        query_gradient(poisoned(c.query_size())),
        key_gradient(poisoned(c.key_size())),
        value_gradient(poisoned(c.key_size())) {}
};

// Forward and backward.
template <class AnyMemory>
void run(Kernels& kernels, const AttentionLayout& shape, AnyMemory& m) {
  Stream stream;
  kernels.attention_forward(
      {shape, m.query.data(), m.key.data(), m.value.data(), m.output.data(), m.log_sum_exp.data()},
      stream);
  Floats workspace = poisoned(attention_backward_workspace(shape));
  kernels.attention_backward({shape, m.query.data(), m.key.data(), m.value.data(), m.output.data(),
                              m.upstream.data(), m.log_sum_exp.data(), m.query_gradient.data(),
                              m.key_gradient.data(), m.value_gradient.data(), workspace.data()},
                             stream);
}

}  // namespace quintet::kernels::attention_world
