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

struct Source {
  StoredType type;
  std::span<const std::byte> data;

  void read(std::int64_t first, std::span<float> values) const {
    const std::size_t size = size_of(type);
    to_floats(type, data.subspan(static_cast<std::size_t>(first) * size, values.size() * size),
              values);
  }
};

void read_as_ours(const Source& source, const Rows& part, std::int64_t columns,
                  std::span<float> values) {
  if (part.columns == columns) return source.read(part.first_row * columns, values);
  const auto length = static_cast<std::size_t>(part.columns);
  for (std::int64_t row = 0; row < part.rows; ++row)
    source.read((part.first_row + row) * columns + part.first_column,
                values.subspan(static_cast<std::size_t>(row) * length, length));
}

// The file's rows are our columns.
void read_transposed(const Source& source, const Rows& part, std::int64_t rows,
                     std::span<float> values) {
  std::vector<float> column(static_cast<std::size_t>(part.rows));
  const auto columns = static_cast<std::size_t>(part.columns);
  for (std::size_t i = 0; i < columns; ++i) {
    source.read((part.first_column + static_cast<std::int64_t>(i)) * rows + part.first_row, column);
    for (std::size_t row = 0; row < column.size(); ++row) values[row * columns + i] = column[row];
  }
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

std::optional<Error> load_slice(const WeightFiles& files, const Model& model, const Slice& slice,
                                std::span<float> values) {
  const FileTensor wanted = file_tensor(model, slice.tensor);
  const Result<std::string> name = name_in(files, wanted);
  if (!name) return name.error();
  if (const std::optional<Error> problem = problem_with(files, *name, wanted)) return problem;
  const Source source{files.tensor(*name).type, files.data(*name)};
  Rows part = rows_of(slice.box);
  part.first_row += wanted.first_row;
  if (wanted.orientation == Orientation::transposed)
    read_transposed(source, part, wanted.shape[0], values);
  else
    read_as_ours(source, part, wanted.shape.size() == 2 ? wanted.shape[1] : 1, values);
  return std::nullopt;
}

}  // namespace

std::optional<Error> load_parameter(const WeightFiles& files, const Model& model,
                                    const Parameter& parameter, std::span<float> values) {
  assert(static_cast<std::int64_t>(values.size()) == elements(parameter.shape));
  std::fill(values.begin(), values.end(), 0.0f);
  for (const Slice& slice : parameter.slices) {
    const std::span<float> part = values.subspan(
        static_cast<std::size_t>(slice.at), static_cast<std::size_t>(elements(slice.box.shape)));
    if (const std::optional<Error> error = load_slice(files, model, slice, part)) return error;
  }
  return std::nullopt;
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
