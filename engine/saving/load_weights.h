// Hugging Face's safetensors into a rank of any layout.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/executor/rank_executor.h"
#include "sim/base/result.h"

namespace quintet::engine {

// `place`: a .safetensors file, an index, or a folder with either
// (engine/files/weights/weight_files.h). Only what the rank holds is read; the optimizer's moments
// stay. Every rank calls it for itself. Names in the files that the model has no place for: worth
// telling.
Result<std::vector<std::string>> load_weights(RankExecutor& executor,
                                              const std::filesystem::path& place);

}  // namespace quintet::engine
