#include "engine/files/weights/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensors are read as they lie");

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // tensor.rs, MAX_HEADER_SIZE
constexpr std::size_t most_dimensions = 16;

std::optional<std::int64_t> size_in(const Json& json) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::uint64_t{1} << 62)
    return std::nullopt;
  return static_cast<std::int64_t>(json.get<std::uint64_t>());
}

std::optional<Shape> sizes_in(const Json* json) {
  if (json == nullptr || !json->is_array() || json->size() > most_dimensions) return std::nullopt;
  Shape sizes;
  for (const Json& entry : *json) {
    const std::optional<std::int64_t> size = size_in(entry);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<Error> read_type(JsonObject& fields, TensorEntry& tensor) {
  const std::string name = fields.text("dtype");
  if (fields.failed()) return fields.error();
  const std::optional<StoredType> type = stored_type_of(name);
  if (!type)
    return Error{fields.place("dtype"), "found " + in_quotes(name) + ", expected such as \"F32\""};
  tensor.type = *type;
  return std::nullopt;
}

// Offsets in the file count from the end of the header.
std::optional<Error> read_bounds(JsonObject& fields, TensorEntry& tensor) {
  const std::optional<Shape> shape = sizes_in(fields.raw("shape"));
  const std::optional<std::int64_t> count = shape ? checked_elements(*shape) : std::nullopt;
  if (!count || *count > std::int64_t{1} << 58)
    return Error{fields.place("shape"), "expected an array of sizes whose product fits 58 bits"};
  const std::optional<Shape> offsets = sizes_in(fields.raw("data_offsets"));
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return Error{fields.place("data_offsets"), "expected [begin, end]"};
  tensor.shape = *shape;
  tensor.begin = static_cast<std::size_t>((*offsets)[0]);
  tensor.end = static_cast<std::size_t>((*offsets)[1]);
  const std::size_t needed = static_cast<std::size_t>(*count) * size_of(tensor.type);
  if (tensor.end - tensor.begin != needed)
    return Error{fields.place("data_offsets"),
                 fmt::format("span {} bytes, but {} of {} takes {}", tensor.end - tensor.begin,
                             shape_text(tensor.shape), name_of(tensor.type), needed)};
  return std::nullopt;
}

Result<TensorEntry> read_tensor(const std::string& name, const Json& json,
                                const std::string& where) {
  JsonObject fields(json, where + ": " + in_quotes(name));
  TensorEntry tensor{.name = name};
  if (fields.failed()) return *fields.error();
  if (const std::optional<Error> error = read_type(fields, tensor)) return *error;
  if (const std::optional<Error> error = read_bounds(fields, tensor)) return *error;
  fields.refuse_unknown_keys();
  if (fields.failed()) return *fields.error();
  return tensor;
}

std::optional<Error> read_metadata(const Json& json, const std::string& where,
                                   SafetensorsHeader& header) {
  if (!json.is_object()) return Error{where + ": __metadata__", "expected an object of texts"};
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return Error{where + ": __metadata__." + shown(key), "expected a text"};
    header.metadata.emplace(key, value.get<std::string>());
  }
  return std::nullopt;
}

std::optional<Error> read_entries(const Json& json, const std::string& where,
                                  SafetensorsHeader& header) {
  if (!json.is_object()) return Error{where, "expected a header of named tensors"};
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") {
      if (const auto error = read_metadata(value, where, header)) return error;
      continue;
    }
    Result<TensorEntry> tensor = read_tensor(name, value, where);
    if (!tensor) return tensor.error();
    header.tensors.push_back(std::move(*tensor));
  }
  return std::nullopt;
}

// One after the other up to the end: a hole could hide data, an overlap alias it.
std::optional<Error> problem_with_order(const SafetensorsHeader& header, std::uint64_t data_bytes,
                                        const std::string& where) {
  std::size_t end = 0;
  for (const TensorEntry& tensor : header.tensors) {
    if (tensor.begin != end)
      return Error{where + ": " + in_quotes(tensor.name),
                   fmt::format("begins at byte {} of the data, but the tensor before ends at {}; "
                               "holes and overlaps are not accepted",
                               tensor.begin, end)};
    end = tensor.end;
  }
  if (end != data_bytes)
    return Error{where, fmt::format("the header describes {} bytes of data, the file holds {}", end,
                                    data_bytes)};
  return std::nullopt;
}

Result<std::uint64_t> header_length(std::span<const std::byte> start, std::uint64_t file_size,
                                    const std::string& where) {
  if (file_size < length_bytes)
    return Error{
        where, fmt::format("is {} bytes long; the length of the header alone takes 8", file_size)};
  std::uint64_t length = 0;
  std::memcpy(&length, start.data(), length_bytes);
  if (length > longest_header || length > file_size - length_bytes)
    return Error{where + ": byte 0", fmt::format("announces a header of {} bytes; the file has {} "
                                                 "left, and at most 100,000,000 are accepted",
                                                 length, file_size - length_bytes)};
  return length;
}

// What parse_safetensors has to see of the file.
Result<std::vector<std::byte>> start_of(const ReadFile& file, const std::string& where) {
  std::vector<std::byte> start(std::min<std::uint64_t>(file.size(), length_bytes));
  if (auto wrong = file.read(0, start)) return *wrong;
  const Result<std::uint64_t> length = header_length(start, file.size(), where);
  if (!length) return length.error();
  start.resize(length_bytes + static_cast<std::size_t>(*length));
  if (auto wrong = file.read(0, start)) return *wrong;
  return start;
}

}  // namespace

Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file,
                                            const std::string& where) {
  return parse_safetensors(file, file.size(), where);
}

Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> begun,
                                            std::uint64_t file_size, const std::string& where) {
  const Result<std::uint64_t> length = header_length(begun, file_size, where);
  if (!length) return length.error();
  const std::string text(reinterpret_cast<const char*>(begun.data()) + length_bytes,
                         static_cast<std::size_t>(*length));
  const Result<Json> json = parse_json(text, where);
  if (!json) return json.error();
  SafetensorsHeader header;
  if (const std::optional<Error> error = read_entries(*json, where, header)) return *error;
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry& left, const TensorEntry& right) {
              return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
            });
  const std::size_t start = length_bytes + static_cast<std::size_t>(*length);
  if (const auto problem = problem_with_order(header, file_size - start, where)) return *problem;
  for (TensorEntry& tensor : header.tensors) {
    tensor.begin += start;
    tensor.end += start;
  }
  return header;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& file) {
  Result<ReadFile> opened = ReadFile::open(file);
  if (!opened) return opened.error();
  const std::string name = shown(file.string(), 1000);
  const Result<std::vector<std::byte>> start = start_of(*opened, name);
  if (!start) return start.error();
  Result<SafetensorsHeader> header = parse_safetensors(*start, opened->size(), name);
  if (!header) return header.error();
  return SafetensorsFile(std::move(*opened), std::move(*header), name);
}

}  // namespace quintet
