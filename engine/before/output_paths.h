// Whether what a run is to write can be written, tried before its first step. What is made for the
// trial is gone afterwards.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet::engine {

enum class OutputKind { file, folder };  // a folder may be made, with those around it

struct Output {
  const char* option;  // "--log"
  std::filesystem::path path;
  OutputKind kind = OutputKind::file;
  Bytes size{};          // at most, in all
  Bytes largest_file{};  // at most; 0: small
};

// The first that cannot be: the option, the path, why, and what would do. Also where outputs on one
// file system want more than is free there together, or a file more than RLIMIT_FSIZE allows.
std::optional<Error> unwritable(const std::vector<Output>& outputs);

}  // namespace quintet::engine
