// The model that the ranks hold together as Hugging Face's safetensors, which PyTorch and
// transformers read.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/checkpoint/checkpoint.h"
#include "engine/executor/rank_executor.h"
#include "engine/state/state_messages.h"
#include "engine/weights/save_weights.h"
#include "sim/result.h"

namespace quintet::engine {

// Every rank calls it. Each writes its share of the fp32 weights below `folder`, which all must
// see; rank 0 then puts tensor by tensor together, so that nobody holds more than its share and one
// tensor. All ranks get the same answer. config.json and tokenizer are the caller's to copy.
std::optional<Error> save_weights(RankExecutor& executor, const std::filesystem::path& folder,
                                  StateMessages& messages, const SavedWeights& saved = {});

// The same from a checkpoint, by one process.
std::optional<Error> save_weights(Checkpoint& checkpoint, const Model& model,
                                  const std::filesystem::path& folder,
                                  const SavedWeights& saved = {});

}  // namespace quintet::engine
