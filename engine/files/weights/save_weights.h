// A model's tensors as Hugging Face's files, under the names and in the shapes that transformers
// reads. config.json and tokenizer are the caller's to copy.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "engine/files/storage/stored_type.h"
#include "engine/files/weights/parameter_list.h"
#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/model/model.h"

namespace quintet {

// A whole tensor, merged from the ranks that hold it.
using TensorSource = std::function<Result<std::vector<float>>(const ParameterTensor&)>;

struct SavedWeights {
  StoredType type = StoredType::fp32;  // fp32, bf16 or fp16
  Bytes largest_file{5e9};             // transformers' default max_shard_size was 5 GB
};

std::optional<Error> save_weights(const std::filesystem::path& folder, const Model& model,
                                  const TensorSource& tensors, const SavedWeights& saved = {});

}  // namespace quintet
