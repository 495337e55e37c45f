#include "engine/files/weights/save_weights.h"

#include <algorithm>
#include <cassert>

#include "engine/files/weights/hugging_face_names.h"
#include "engine/files/weights/safetensors_writer.h"

namespace quintet {
namespace {

// One tensor of the file, and those of ours that it is made of, from its first row on.
struct FileEntry {
  FileTensor file;
  std::vector<ParameterTensor> tensors;
};

std::vector<FileEntry> entries_of(const Model& model) {
  std::vector<FileEntry> entries;
  for (const ParameterTensor& tensor : tensors_of(model)) {
    const FileTensor file = file_tensor(model, tensor);
    const auto known = std::find_if(entries.begin(), entries.end(), [&](const FileEntry& entry) {
      return entry.file.names.front() == file.names.front();
    });
    if (known == entries.end())
      entries.push_back({file, {tensor}});
    else
      known->tensors.push_back(tensor);
  }
  return entries;
}

std::vector<float> transposed(const std::vector<float>& values, const Shape& shape) {
  const auto rows = static_cast<std::size_t>(shape[0]),
             columns = static_cast<std::size_t>(shape[1]);
  std::vector<float> turned(values.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      turned[column * rows + row] = values[row * columns + column];
  return turned;
}

Result<std::vector<std::byte>> content_of(const FileEntry& entry, const TensorSource& source,
                                          StoredType type) {
  std::vector<float> values;
  for (const ParameterTensor& tensor : entry.tensors) {
    const Result<std::vector<float>> part = source(tensor);
    if (!part) return part.error();
    assert(static_cast<std::int64_t>(part->size()) == elements(tensor.shape));
    values.insert(values.end(), part->begin(), part->end());
  }
  if (entry.file.orientation == Orientation::transposed)
    values = transposed(values, entry.file.shape);
  std::vector<std::byte> bytes(values.size() * size_of(type));
  from_floats(values, type, bytes);
  return bytes;
}

}  // namespace

std::optional<Error> save_weights(const std::filesystem::path& folder, const Model& model,
                                  const TensorSource& tensors, const SavedWeights& saved) {
  assert(holds_weights(saved.type));
  std::vector<TensorToWrite> written;
  for (const FileEntry& entry : entries_of(model)) {
    Shape shape = entry.file.shape;
    if (entry.file.orientation == Orientation::transposed) std::reverse(shape.begin(), shape.end());
    written.push_back(
        {entry.file.names.front(), saved.type, shape,
         [entry, tensors, type = saved.type] { return content_of(entry, tensors, type); }});
  }
  return write_weight_files(folder, written, saved.largest_file);
}

}  // namespace quintet
