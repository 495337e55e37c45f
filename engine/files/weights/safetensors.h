// Hugging Face's file of tensors: 8 bytes of header length, a JSON header, then the data.
// https://github.com/huggingface/safetensors, README "Format"; the checks are those of its
// safetensors/src/tensor.rs: tensors in the data without holes or overlaps, up to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/files/storage/box.h"
#include "engine/files/storage/read_file.h"
#include "engine/files/storage/stored_type.h"
#include "sim/base/result.h"

namespace quintet {

struct TensorEntry {
  std::string name;
  StoredType type = StoredType::fp32;
  Shape shape;
  std::size_t begin = 0, end = 0;  // bytes of the file
  bool operator==(const TensorEntry&) const = default;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;             // in the order of their data
  std::map<std::string, std::string> metadata;  // "__metadata__"
  bool operator==(const SafetensorsHeader&) const = default;
};

// `file` is a whole file. This never throws, whatever the bytes.
Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file,
                                            const std::string& where);
// The same of a file's first bytes, with the whole header among them.
Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> start,
                                            std::uint64_t file_size, const std::string& where);

// Its header is in memory, its data stays in the file.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& file);

  const SafetensorsHeader& header() const { return header_; }
  const std::string& name() const { return name_; }
  // The tensor's bytes from its byte `first` on. Several threads may read at once.
  std::optional<Error> read(const TensorEntry& tensor, std::size_t first,
                            std::span<std::byte> bytes) const {
    return file_.read(tensor.begin + first, bytes);
  }
  // They are asked for soon.
  void announce(const TensorEntry& tensor, std::size_t first, std::size_t bytes) const {
    file_.announce(tensor.begin + first, bytes);
  }

 private:
  SafetensorsFile(ReadFile file, SafetensorsHeader header, std::string name)
      : file_(std::move(file)), header_(std::move(header)), name_(std::move(name)) {}

  ReadFile file_;
  SafetensorsHeader header_;
  std::string name_;
};

}  // namespace quintet
