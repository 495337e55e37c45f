#include "engine/saving/float8_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

struct Holder {
  Index position = 0, holders = 1;
};

Holder holder(const RankExecutorInput& input) {
  const Grid& grid = input.program.grid;
  const Index tensor_ranks = size_of(grid, Axis::tensor);
  return {coordinate(grid, input.rank, Axis::data) * tensor_ranks +
              coordinate(grid, input.rank, Axis::tensor),
          tensor_ranks * size_of(grid, Axis::data)};
}

std::string name_of_layer(int layer) {
  return fmt::format("float8_maxima/layers.{}", layer);
}

// A piece with rows `first` to `first + rows` of a layer's tensor.
Piece piece_of(int layer, const Shape& shape, Index first, Index rows) {
  Shape part = shape;
  part[0] = rows;
  return {name_of_layer(layer), StoredType::fp32, shape, {{first, 0, 0, 0}, part}};
}

// The largest of all rows.
std::vector<float> largest(const std::vector<float>& rows, std::size_t of_row) {
  std::vector<float> made(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(of_row));
  for (std::size_t at = of_row; at < rows.size(); ++at)
    made[at % of_row] = std::max(made[at % of_row], rows[at]);
  return made;
}

// The newest steps of each tensor, with nothing seen before them.
std::vector<float> of_length(const std::vector<float>& history, Index stored, Index length) {
  const Index tensors = static_cast<Index>(history.size()) / stored;
  const Index kept = std::min(stored, length);
  std::vector<float> made(static_cast<std::size_t>(tensors * length));
  for (Index tensor = 0; tensor < tensors; ++tensor)
    std::copy_n(history.begin() + (tensor + 1) * stored - kept, kept,
                made.begin() + (tensor + 1) * length - kept);
  return made;
}

std::optional<Error> restore_layer(Checkpoint& checkpoint, RankExecutor& executor, int section,
                                   int layer) {
  if (!checkpoint.holds(name_of_layer(layer))) return std::nullopt;
  const Shape shape = checkpoint.shape_of(name_of_layer(layer));
  if (shape.size() != 4 || shape[0] < 1 || shape[1] != layer_products || shape[2] != factors ||
      shape[3] < 1)
    return Error{checkpoint.folder().string() + ": \"" + name_of_layer(layer) + "\"",
                 "expected a shape of [ranks, 4 products, 3 factors, steps]"};
  const Holder mine = holder(executor.input());
  const bool same = shape[0] == mine.holders;
  const Piece piece = piece_of(layer, shape, same ? mine.position : 0, same ? Index{1} : shape[0]);
  std::vector<float> rows(static_cast<std::size_t>(elements(piece.box.shape)));
  if (auto wrong = checkpoint.read(piece, std::as_writable_bytes(std::span<float>(rows))))
    return wrong;
  const std::vector<float> row =
      largest(rows, rows.size() / static_cast<std::size_t>(piece.box.shape[0]));
  Float8Maxima& maxima = executor.float8_maxima();
  maxima.set_history(section, of_length(row, shape[3], maxima.length()));
  return std::nullopt;
}

}  // namespace

std::vector<Float8Row> float8_rows(RankExecutor& executor) {
  std::vector<Float8Row> rows;
  Float8Maxima& maxima = executor.float8_maxima();
  if (maxima.length() == 0) return rows;
  const Holder mine = holder(executor.input());
  const Shape shape{mine.holders, layer_products, factors, maxima.length()};
  const std::vector<Section>& sections = executor.layout().sections();
  for (std::size_t number = 0; number < sections.size(); ++number)
    if (sections[number].kind == SectionKind::layer)
      rows.push_back({piece_of(sections[number].layer, shape, mine.position, 1),
                      maxima.history(static_cast<int>(number))});
  return rows;
}

std::optional<Error> restore_float8_state(Checkpoint& checkpoint, RankExecutor& executor) {
  Float8Maxima& maxima = executor.float8_maxima();
  if (maxima.length() == 0) return std::nullopt;
  const std::vector<Section>& sections = executor.layout().sections();
  maxima.forget();
  for (std::size_t number = 0; number < sections.size(); ++number)
    if (sections[number].kind == SectionKind::layer)
      if (auto wrong =
              restore_layer(checkpoint, executor, static_cast<int>(number), sections[number].layer))
        return wrong;
  return std::nullopt;
}

}  // namespace quintet::engine
