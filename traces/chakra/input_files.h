// The files that are meant by paths: files, a directory of them, or the prefix they begin with.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sim/base/result.h"

namespace quintet::chakra {

// Fails where a path is none of these.
Result<std::vector<std::filesystem::path>> input_files(
    std::span<const std::filesystem::path> paths);

// As the name says, "<prefix>.<rank>.et" and the like; -1: it does not.
int rank_of(const std::filesystem::path& file);

}  // namespace quintet::chakra
