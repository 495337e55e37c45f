// Hugging Face's file of tensors: 8 bytes of header length, a JSON header, then the data.
// https://github.com/huggingface/safetensors, README "Format"; the checks are those of its
// safetensors/src/tensor.rs: tensors in the data without holes or overlaps, up to its end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/files/storage/box.h"
#include "engine/files/storage/mapped_file.h"
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

class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& file);

  const SafetensorsHeader& header() const { return header_; }
  const std::string& name() const { return name_; }
  std::span<const std::byte> data(const TensorEntry& tensor) const {
    return file_.bytes().subspan(tensor.begin, tensor.end - tensor.begin);
  }

 private:
  SafetensorsFile(MappedFile file, SafetensorsHeader header, std::string name)
      : file_(std::move(file)), header_(std::move(header)), name_(std::move(name)) {}

  MappedFile file_;
  SafetensorsHeader header_;
  std::string name_;
};

}  // namespace quintet
