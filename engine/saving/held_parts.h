// What a rank keeps (a stretch of a section's elements, as they lie) as boxes of the model's
// tensors, which are the same for every layout.
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

struct HeldPart {
  std::string tensor;
  Shape tensor_shape;
  Box box;
  Holding holding = Holding::first;
  // Element (row, column) of the box is first + row * row_stride + column * column_stride of the
  // stretch. A vector is one row.
  Index first = 0, row_stride = 0, column_stride = 1;
  bool operator==(const HeldPart&) const = default;
};

// These parts cover the section's elements place .. place + count - 1. Padding is in none.
std::vector<HeldPart> held_parts(const Section& section, Index place, Index count);

// Between the stretch and the box's elements in row-major order; of fp32 or bf16, bit by bit.
template <class Element>
std::vector<std::byte> taken_out(const HeldPart& part, const Element* stretch);
template <class Element>
void put_in(const HeldPart& part, std::type_identity_t<std::span<const Element>> box,
            Element* stretch);

}  // namespace quintet::engine
