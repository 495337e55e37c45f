#include "engine/files/weights/load_weights.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "engine/files/weights/hugging_face_names.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

// A matrix; a vector is one column.
struct Rows {
  std::int64_t first_row, rows, first_column, columns;
};

Rows rows_of(const Box& box) {
  const bool matrix = box.shape.size() == 2;
  return {box.offset[0], box.shape[0], matrix ? box.offset[1] : 0, matrix ? box.shape[1] : 1};
}

// Runs of elements of a tensor in a file, each `length` long, `stride` after each other.
struct Runs {
  std::int64_t first = 0, stride = 0, count = 0, length = 0;
};

// The whole box in one piece where its rows follow each other.
Runs joined(const Runs& runs) {
  if (runs.stride != runs.length && runs.count != 1) return runs;
  return {runs.first, runs.count * runs.length, 1, runs.count * runs.length};
}

// All runs are announced first, so that a disk or a network has many of them to do at once.
std::optional<Error> read_runs(const WeightFiles& files, const std::string& name, const Runs& runs,
                               std::span<float> values) {
  const StoredType type = files.tensor(name).type;
  const std::size_t size = size_of(type), bytes = static_cast<std::size_t>(runs.length) * size;
  const auto place = [&](std::int64_t run) {
    return static_cast<std::size_t>(runs.first + run * runs.stride) * size;
  };
  for (std::int64_t run = 0; run < runs.count; ++run) files.announce(name, place(run), bytes);
  std::vector<std::byte> stored(bytes);
  for (std::int64_t run = 0; run < runs.count; ++run) {
    if (auto wrong = files.read(name, place(run), stored)) return wrong;
    to_floats(type, stored,
              values.subspan(static_cast<std::size_t>(run * runs.length),
                             static_cast<std::size_t>(runs.length)));
  }
  return std::nullopt;
}

std::optional<Error> read_as_ours(const WeightFiles& files, const std::string& name,
                                  const Rows& part, std::int64_t columns, std::span<float> values) {
  const std::int64_t first = part.first_row * columns + part.first_column;
  return read_runs(files, name, joined({first, columns, part.rows, part.columns}), values);
}

// The file's rows are our columns.
std::optional<Error> read_transposed(const WeightFiles& files, const std::string& name,
                                     const Rows& part, std::int64_t rows, std::span<float> values) {
  std::vector<float> listed(values.size());
  const std::int64_t first = part.first_column * rows + part.first_row;
  if (auto wrong = read_runs(files, name, joined({first, rows, part.columns, part.rows}), listed))
    return wrong;
  constexpr std::int64_t tile = 32;
  for (std::int64_t from = 0; from < part.columns; from += tile)
    for (std::int64_t row = 0; row < part.rows; ++row)
      for (std::int64_t column = from; column < std::min(from + tile, part.columns); ++column)
        values[static_cast<std::size_t>(row * part.columns + column)] =
            listed[static_cast<std::size_t>(column * part.rows + row)];
  return std::nullopt;
}

Shape shape_in_file(const FileTensor& wanted) {
  Shape shape = wanted.shape;
  if (wanted.orientation == Orientation::transposed) std::reverse(shape.begin(), shape.end());
  return shape;
}

Result<std::string> name_in(const WeightFiles& files, const FileTensor& wanted) {
  for (const std::string& name : wanted.names)
    if (files.holds(name)) return name;
  return Error{files.name(), "has no tensor " + in_quotes(wanted.names.front())};
}

std::optional<Error> problem_with(const WeightFiles& files, const std::string& name,
                                  const FileTensor& wanted) {
  const TensorEntry& tensor = files.tensor(name);
  if (tensor.shape != shape_in_file(wanted))
    return Error{files.place_of(name), "has the shape " + shape_text(tensor.shape) +
                                           ", the model wants " +
                                           shape_text(shape_in_file(wanted))};
  if (!holds_weights(tensor.type))
    return Error{files.place_of(name), "is kept in " + std::string(name_of(tensor.type)) +
                                           "; F32, BF16 and F16 are accepted"};
  return std::nullopt;
}

}  // namespace

std::optional<Error> load_box(const WeightFiles& files, const Model& model,
                              const ParameterTensor& tensor, const Box& box,
                              std::span<float> values) {
  assert(lies_in(box, tensor.shape));
  assert(static_cast<std::int64_t>(values.size()) == elements(box.shape));
  const FileTensor wanted = file_tensor(model, tensor);
  const Result<std::string> name = name_in(files, wanted);
  if (!name) return name.error();
  if (const std::optional<Error> problem = problem_with(files, *name, wanted)) return problem;
  Rows part = rows_of(box);
  part.first_row += wanted.first_row;
  if (wanted.orientation == Orientation::transposed)
    return read_transposed(files, *name, part, wanted.shape[0], values);
  return read_as_ours(files, *name, part, wanted.shape.size() == 2 ? wanted.shape[1] : 1, values);
}

std::vector<std::string> names_not_read(const WeightFiles& files, const Model& model) {
  std::set<std::string> read;
  for (const ParameterTensor& tensor : tensors_of(model))
    for (const std::string& name : file_tensor(model, tensor).names) read.insert(name);
  std::vector<std::string> left;
  for (const std::string& name : files.names())
    if (!read.contains(name) && !needs_no_reading(model, name)) left.push_back(name);
  return left;
}

}  // namespace quintet
