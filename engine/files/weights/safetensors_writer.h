// Writes safetensors files, one or a set of shards with its index, tensor by tensor: no more than
// one tensor is in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/files/storage/box.h"
#include "engine/files/storage/stored_type.h"
#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

// Asked for when its turn has come; as many bytes as shape and type say.
struct TensorToWrite {
  std::string name;
  StoredType type = StoredType::fp32;
  Shape shape;
  std::function<Result<std::vector<std::byte>>()> content;
};

using Metadata = std::map<std::string, std::string>;

// In the order given. The header is padded so that the data starts on a multiple of 8.
std::optional<Error> write_safetensors(const std::filesystem::path& file,
                                       const std::vector<TensorToWrite>& tensors,
                                       const Metadata& metadata);

// As transformers' save_pretrained: model.safetensors; above `largest_file` instead
// model-00001-of-0000n.safetensors ... and model.safetensors.index.json.
std::optional<Error> write_weight_files(const std::filesystem::path& folder,
                                        const std::vector<TensorToWrite>& tensors,
                                        Bytes largest_file);

}  // namespace quintet
