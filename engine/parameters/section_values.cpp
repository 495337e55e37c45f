#include "engine/parameters/section_values.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "engine/parameters/held_parts.h"
#include "sim/base/parallel.h"

namespace quintet::engine {

namespace {

// Whole rows where they follow each other. A tensor that lies turned is cut into about as many rows
// as columns: files are read along one of the two, and a run should be long whichever it is.
Extent tile_extent(const HeldPart& part, Index elements) {
  const Extent all = extent_of(part);
  if (lies_straight(part)) {
    const Index columns = std::min(all.columns, elements);
    return {columns < all.columns ? 1 : std::clamp(elements / columns, Index{1}, all.rows),
            columns};
  }
  const auto side = static_cast<Index>(std::sqrt(static_cast<double>(elements)));
  const Index rows = std::min(all.rows, std::max(side, elements / all.columns));
  return {rows, std::min(all.columns, std::max(Index{1}, elements / rows))};
}

void add_tiles(const HeldPart& part, Index elements, std::vector<HeldPart>& tiles) {
  const Extent all = extent_of(part), most = tile_extent(part, elements);
  for (Index row = 0; row < all.rows; row += most.rows)
    for (Index column = 0; column < all.columns; column += most.columns)
      tiles.push_back(tile_of(
          part, row, column,
          {std::min(most.rows, all.rows - row), std::min(most.columns, all.columns - column)}));
}

std::optional<Error> fill_tile(const HeldPart& tile, std::span<float> stretch,
                               const BoxSource& source) {
  const auto count = static_cast<std::size_t>(elements(tile.box.shape));
  if (lies_straight(tile))
    return source(tile.tensor, tile.box,
                  stretch.subspan(static_cast<std::size_t>(tile.first), count));
  std::vector<float> box(count);
  if (auto wrong = source(tile.tensor, tile.box, box)) return wrong;
  put_in(tile, box, stretch.data());
  return std::nullopt;
}

}  // namespace

std::optional<Error> fill(const Section& section, Index place, std::span<float> stretch,
                          const Filling& how) {
  std::vector<HeldPart> tiles;
  Index filled = 0;
  for (const HeldPart& part : held_parts(section, place, static_cast<Index>(stretch.size()))) {
    filled += elements(part.box.shape);
    add_tiles(part, how.tile, tiles);
  }
  if (filled < static_cast<Index>(stretch.size())) std::fill(stretch.begin(), stretch.end(), 0.0F);
  std::mutex telling;
  std::optional<Error> first;
  const int threads = std::min(how.threads, static_cast<int>(tiles.size()));
  for_each_index(tiles.size(), threads, [&](std::size_t number) {
    auto wrong = fill_tile(tiles[number], stretch, how.source);
    if (!wrong) return;
    const std::lock_guard lock(telling);
    if (!first) first = std::move(wrong);
  });
  return first;
}

}  // namespace quintet::engine
