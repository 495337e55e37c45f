#include "engine/files/weights/safetensors_writer.h"

#include <array>
#include <cassert>
#include <cstdio>
#include <cstring>

#include "engine/files/storage/durable_file.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

using Json = JsonValue;

std::size_t bytes_of(const TensorToWrite& tensor) {
  return static_cast<std::size_t>(elements(tensor.shape)) * size_of(tensor.type);
}

std::string header_of(const std::vector<TensorToWrite>& tensors, const Metadata& metadata) {
  Json json = Json::object();
  if (!metadata.empty()) json["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    const std::size_t end = offset + bytes_of(tensor);
    json[tensor.name] = {{"dtype", name_of(tensor.type)},
                         {"shape", tensor.shape},
                         {"data_offsets", std::array{offset, end}}};
    offset = end;
  }
  std::string text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string start(sizeof length, '\0');
  std::memcpy(start.data(), &length, sizeof length);
  return start + text;
}

using Tensors = std::vector<TensorToWrite>;

// As many per file as fit, at least one.
std::vector<Tensors> distributed(const Tensors& tensors, Bytes largest_file) {
  std::vector<Tensors> files(1);
  double filled = 0;
  for (const TensorToWrite& tensor : tensors) {
    const auto size = static_cast<double>(bytes_of(tensor));
    if (!files.back().empty() && filled + size > largest_file.value) {
      files.emplace_back();
      filled = 0;
    }
    files.back().push_back(tensor);
    filled += size;
  }
  return files;
}

std::string name_of_shard(std::size_t number, std::size_t count) {
  char name[64];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", number + 1, count);
  return name;
}

std::optional<Error> write_index(const std::filesystem::path& folder,
                                 const std::vector<Tensors>& files) {
  std::size_t total = 0;
  Json map = Json::object();
  for (std::size_t i = 0; i < files.size(); ++i)
    for (const TensorToWrite& tensor : files[i]) {
      total += bytes_of(tensor);
      map[tensor.name] = name_of_shard(i, files.size());
    }
  const Json index{{"metadata", {{"total_size", total}}}, {"weight_map", map}};
  Result<DurableFile> out = DurableFile::create(folder / "model.safetensors.index.json");
  if (!out) return out.error();
  if (const std::optional<Error> error = out->write(index.dump(2) + "\n")) return error;
  return out->finish();
}

// "pt": the conventions of PyTorch, which transformers asks for.
const Metadata format_of_transformers{{"format", "pt"}};

}  // namespace

std::optional<Error> write_safetensors(const std::filesystem::path& file,
                                       const std::vector<TensorToWrite>& tensors,
                                       const Metadata& metadata) {
  Result<DurableFile> out = DurableFile::create(file);
  if (!out) return out.error();
  if (const std::optional<Error> error = out->write(header_of(tensors, metadata))) return error;
  for (const TensorToWrite& tensor : tensors) {
    const Result<std::vector<std::byte>> content = tensor.content();
    if (!content) return content.error();
    assert(content->size() == bytes_of(tensor));
    if (const std::optional<Error> error = out->write(*content)) return error;
  }
  return out->finish();
}

std::optional<Error> write_weight_files(const std::filesystem::path& folder,
                                        const std::vector<TensorToWrite>& tensors,
                                        Bytes largest_file) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Error{folder.string(), "cannot be created: " + failure.message()};
  const std::vector<Tensors> files = distributed(tensors, largest_file);
  if (files.size() == 1)
    return write_safetensors(folder / "model.safetensors", tensors, format_of_transformers);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (const std::optional<Error> error = write_safetensors(
            folder / name_of_shard(i, files.size()), files[i], format_of_transformers))
      return error;
  return write_index(folder, files);
}

}  // namespace quintet
