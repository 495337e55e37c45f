// Rectangular parts of tensors, kept in row-major order (the last index is the fastest). Every way
// to split weights over ranks is a list of such parts of the same global tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quintet {

using Shape = std::vector<std::int64_t>;

struct Box {
  Shape offset, shape;
  bool operator==(const Box&) const = default;
};

std::int64_t elements(const Shape& shape);  // of a scalar ({}): 1
// Nothing when a size is negative or their product does not fit.
std::optional<std::int64_t> checked_elements(const Shape& shape);
std::string shape_text(const Shape& shape);  // "[2, 3]"

// All of a tensor of this shape.
Box whole(const Shape& shape);
// Whether it lies in a tensor of that shape.
bool lies_in(const Box& box, const Shape& shape);
// Nothing when they share no element. The same number of dimensions.
std::optional<Box> intersection(const Box& left, const Box& right);

// What is left of the boxes, which share no element, when `taken` is cut out of each.
std::vector<Box> without(const std::vector<Box>& boxes, const Box& taken);

// Elements of `part`, which lies in both boxes, from an array that holds one to an array that holds
// the other.
void copy_part(const Box& part, const Box& from, std::span<const std::byte> source, const Box& to,
               std::span<std::byte> target, std::size_t element_size);

// Elements first .. last - 1 of the box in row-major order, as boxes in that order: at most two per
// dimension and one. (A share of a flattened tensor, as ZeRO keeps it.)
std::vector<Box> boxes_of_range(const Box& box, std::int64_t first, std::int64_t last);

}  // namespace quintet
