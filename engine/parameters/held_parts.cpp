#include "engine/parameters/held_parts.h"

#include <algorithm>
#include <cassert>

#include "engine/files/weights/slices.h"

namespace quintet::engine {

namespace {

struct Range {
  Index first = 0, last = 0;  // of the tensor's elements, as they lie
};

Range overlap(const LocalTensor& tensor, Index place, Index count) {
  return {std::max(place, tensor.offset) - tensor.offset,
          std::min(place + count, tensor.offset + tensor.count()) - tensor.offset};
}

Index columns_of(const Box& box) {
  return box.shape.back();
}

void add_listed(const LocalTensor& tensor, const Range& range, Index begin,
                std::vector<HeldPart>& parts) {
  for (RangePart& part : parts_of_range(tensor.parameter, range.first, range.last)) {
    const Index columns = columns_of(part.box);
    parts.push_back(
        {std::move(part.tensor), std::move(part.box), part.holding, begin + part.at, columns, 1});
  }
}

// Columns of the tensor as it lies that come from the slice: rows of the parameter.
Box turned_place(const LocalTensor& tensor, const Slice& slice) {
  return {{0, slice.at / tensor.rows}, {tensor.rows, slice.box.shape[0]}};
}

void add_turned(const LocalTensor& tensor, const Range& range, Index begin,
                std::vector<HeldPart>& parts) {
  const Box all = whole({tensor.rows, tensor.columns});
  for (const Box& piece : boxes_of_range(all, range.first, range.last))
    for (const Slice& slice : tensor.parameter.slices) {
      const Box place = turned_place(tensor, slice);
      const std::optional<Box> common = intersection(piece, place);
      if (!common) continue;
      const Index row = common->offset[0], column = common->offset[1];
      const Box box{{slice.box.offset[0] + column - place.offset[1], slice.box.offset[1] + row},
                    {common->shape[1], common->shape[0]}};
      parts.push_back({slice.tensor, box, slice.holding,
                       begin + row * tensor.columns + column - range.first, 1, tensor.columns});
    }
}

// In small tiles: one side's neighbours are the other's strangers.
template <class Move>
void for_each_element(const HeldPart& part, const Move& move) {
  constexpr Index tile = 32;
  const auto [rows, columns] = extent_of(part);
  for (Index first = 0; first < columns; first += tile)
    for (Index row = 0; row < rows; ++row)
      for (Index column = first; column < std::min(first + tile, columns); ++column)
        move(row * columns + column,
             part.first + row * part.row_stride + column * part.column_stride);
}

}  // namespace

std::vector<HeldPart> held_parts(const Section& section, Index place, Index count) {
  assert(place >= 0 && place + count <= section.count);
  std::vector<HeldPart> parts;
  for (const LocalTensor& tensor : section.tensors) {
    const Range range = overlap(tensor, place, count);
    if (range.first >= range.last) continue;
    const Index begin = tensor.offset + range.first - place;
    if (tensor.lies == Lies::turned)
      add_turned(tensor, range, begin, parts);
    else
      add_listed(tensor, range, begin, parts);
  }
  return parts;
}

Extent extent_of(const HeldPart& part) {
  return {part.box.shape.size() < 2 ? 1 : part.box.shape.front(), columns_of(part.box)};
}

HeldPart tile_of(const HeldPart& part, Index row, Index column, const Extent& extent) {
  HeldPart tile = part;
  tile.first += row * part.row_stride + column * part.column_stride;
  tile.box.offset.back() += column;
  tile.box.shape.back() = extent.columns;
  if (tile.box.shape.size() < 2) return tile;
  tile.box.offset.front() += row;
  tile.box.shape.front() = extent.rows;
  return tile;
}

bool lies_straight(const HeldPart& part) {
  const auto [rows, columns] = extent_of(part);
  return (columns == 1 || part.column_stride == 1) && (rows == 1 || part.row_stride == columns);
}

template <class Element>
void take_out(const HeldPart& part, const Element* stretch,
              std::type_identity_t<std::span<Element>> box) {
  assert(static_cast<Index>(box.size()) == elements(part.box.shape));
  for_each_element(
      part, [&](Index to, Index from) { box[static_cast<std::size_t>(to)] = stretch[from]; });
}

template <class Element>
void put_in(const HeldPart& part, std::type_identity_t<std::span<const Element>> box,
            Element* stretch) {
  assert(static_cast<Index>(box.size()) == elements(part.box.shape));
  for_each_element(
      part, [&](Index from, Index to) { stretch[to] = box[static_cast<std::size_t>(from)]; });
}

template void take_out(const HeldPart&, const float*, std::span<float>);
template void take_out(const HeldPart&, const kernels::Bfloat16*, std::span<kernels::Bfloat16>);
template void put_in(const HeldPart&, std::span<const float>, float*);
template void put_in(const HeldPart&, std::span<const kernels::Bfloat16>, kernels::Bfloat16*);

}  // namespace quintet::engine
