#include "engine/files/storage/box.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace quintet {
namespace {

std::int64_t index_in(const Box& box, const Shape& point) {
  std::int64_t index = 0;
  for (std::size_t i = 0; i < point.size(); ++i)
    index = index * box.shape[i] + (point[i] - box.offset[i]);
  return index;
}

// To the next row of the part; false after the last.
bool next_row(const Box& part, Shape& point) {
  for (std::size_t i = point.size() - 1; i-- > 0;) {
    if (++point[i] < part.offset[i] + part.shape[i]) return true;
    point[i] = part.offset[i];
  }
  return false;
}

// `box` with its index `dimension` narrowed to first .. last - 1.
Box narrowed(Box box, std::size_t dimension, std::int64_t first, std::int64_t last) {
  box.offset[dimension] += first;
  box.shape[dimension] = last - first;
  return box;
}

void cut(const Box& box, std::size_t dimension, std::int64_t first, std::int64_t last,
         std::vector<Box>& boxes) {
  if (first >= last) return;
  if (dimension == box.shape.size()) return boxes.push_back(box);
  const auto rest = box.shape.begin() + static_cast<std::ptrdiff_t>(dimension) + 1;
  const std::int64_t inner = elements(Shape(rest, box.shape.end()));
  const std::int64_t row = first / inner;
  if (row == (last - 1) / inner)
    return cut(narrowed(box, dimension, row, row + 1), dimension + 1, first - row * inner,
               last - row * inner, boxes);
  const std::int64_t full_from = (first + inner - 1) / inner, full_to = last / inner;
  cut(narrowed(box, dimension, row, row + 1), dimension + 1, first - row * inner,
      (full_from - row) * inner, boxes);
  if (full_from < full_to) boxes.push_back(narrowed(box, dimension, full_from, full_to));
  if (full_to * inner < last)
    cut(narrowed(box, dimension, full_to, full_to + 1), dimension + 1, 0, last - full_to * inner,
        boxes);
}

}  // namespace

std::int64_t elements(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

std::optional<std::int64_t> checked_elements(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  return product;
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

Box whole(const Shape& shape) {
  return {Shape(shape.size(), 0), shape};
}

bool lies_in(const Box& box, const Shape& shape) {
  if (box.offset.size() != shape.size() || box.shape.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (box.offset[i] < 0 || box.shape[i] < 0 || box.offset[i] > shape[i] ||
        box.shape[i] > shape[i] - box.offset[i])
      return false;
  return true;
}

std::optional<Box> intersection(const Box& left, const Box& right) {
  assert(left.shape.size() == right.shape.size());
  Box common = left;
  for (std::size_t i = 0; i < left.shape.size(); ++i) {
    common.offset[i] = std::max(left.offset[i], right.offset[i]);
    common.shape[i] = std::min(left.offset[i] + left.shape[i], right.offset[i] + right.shape[i]) -
                      common.offset[i];
    if (common.shape[i] <= 0) return std::nullopt;
  }
  return common;
}

std::vector<Box> without(const std::vector<Box>& boxes, const Box& taken) {
  std::vector<Box> left;
  for (Box box : boxes) {
    const std::optional<Box> common = intersection(box, taken);
    if (!common) {
      left.push_back(std::move(box));
      continue;
    }
    // Slabs below and above along each dimension, then on with what lies between.
    for (std::size_t i = 0; i < box.shape.size(); ++i) {
      const std::int64_t below = common->offset[i] - box.offset[i];
      const std::int64_t above = below + common->shape[i];
      if (below > 0) left.push_back(narrowed(box, i, 0, below));
      if (above < box.shape[i]) left.push_back(narrowed(box, i, above, box.shape[i]));
      box = narrowed(box, i, below, above);
    }
  }
  return left;
}

void copy_part(const Box& part, const Box& from, std::span<const std::byte> source, const Box& to,
               std::span<std::byte> target, std::size_t element_size) {
  if (elements(part.shape) == 0) return;
  const std::size_t row = static_cast<std::size_t>(part.shape.empty() ? 1 : part.shape.back());
  Shape point = part.offset;
  do {
    const auto read = static_cast<std::size_t>(index_in(from, point)) * element_size;
    const auto written = static_cast<std::size_t>(index_in(to, point)) * element_size;
    assert(read + row * element_size <= source.size());
    assert(written + row * element_size <= target.size());
    std::memcpy(target.data() + written, source.data() + read, row * element_size);
  } while (!point.empty() && next_row(part, point));
}

std::vector<Box> boxes_of_range(const Box& box, std::int64_t first, std::int64_t last) {
  assert(first >= 0 && last <= elements(box.shape));
  std::vector<Box> boxes;
  cut(box, 0, first, last, boxes);
  return boxes;
}

}  // namespace quintet
