// What a rank keeps (a stretch of a section's elements, as they lie) as boxes of the model's
// tensors, which are the same for every layout.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

struct HeldPart {
  ParameterTensor tensor;
  Box box;
  Holding holding = Holding::first;
  // Element (row, column) of the box is first + row * row_stride + column * column_stride of the
  // stretch. A vector is one row.
  Index first = 0, row_stride = 0, column_stride = 1;
  bool operator==(const HeldPart&) const = default;
};

// These parts cover the section's elements place .. place + count - 1. Padding is in none.
std::vector<HeldPart> held_parts(const Section& section, Index place, Index count);

// Rows and columns of a part's box. A vector is one row.
struct Extent {
  Index rows = 1, columns = 0;
};
Extent extent_of(const HeldPart& part);
// Rows and columns from there on, of the same stretch.
HeldPart tile_of(const HeldPart& part, Index row, Index column, const Extent& extent);
// Whether the box's elements lie in the stretch as in the box: one after the other.
bool lies_straight(const HeldPart& part);

// Between the stretch and the box's elements in row-major order; of fp32 or bf16, bit by bit.
template <class Element>
void take_out(const HeldPart& part, const Element* stretch,
              std::type_identity_t<std::span<Element>> box);
template <class Element>
void put_in(const HeldPart& part, std::type_identity_t<std::span<const Element>> box,
            Element* stretch);

}  // namespace quintet::engine
