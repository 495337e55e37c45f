// The model that the ranks hold together as Hugging Face's safetensors, which PyTorch and
// transformers read: into ranks of any layout, and out of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/executor/rank_executor.h"
#include "engine/files/checkpoint/checkpoint.h"
#include "engine/files/weights/save_weights.h"
#include "engine/peers/peers.h"
#include "sim/base/result.h"

namespace quintet::engine {

// `place`: a .safetensors file, an index, or a folder with either
// (engine/files/weights/weight_files.h). Only what the rank holds is read; the optimizer's moments
// stay. Every rank calls it for itself. Names in the files that the model has no place for: worth
// telling.
Result<std::vector<std::string>> load_weights(RankExecutor& executor,
                                              const std::filesystem::path& place);

// Every rank calls it. Each writes its share of the fp32 weights below `folder`, which all must
// see; rank 0 then puts tensor by tensor together, so that nobody holds more than its share and one
// tensor. All ranks get the same answer. config.json and tokenizer are the caller's to copy.
std::optional<Error> save_weights(RankExecutor& executor, const std::filesystem::path& folder,
                                  Peers& peers, const SavedWeights& saved = {});

// The same from a checkpoint, by one process.
std::optional<Error> save_weights(Checkpoint& checkpoint, const Model& model,
                                  const std::filesystem::path& folder,
                                  const SavedWeights& saved = {});

}  // namespace quintet::engine
