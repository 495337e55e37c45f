// What a file is that somebody opens in the window, by what it holds.
#pragma once

#include <filesystem>

#include "sim/base/result.h"

namespace quintet::gui {

enum class OpenedKind { session, trace, plan, topology, costs, model };

// The error names the file and the kinds that are known.
Result<OpenedKind> kind_of_file(const std::filesystem::path& file);

}  // namespace quintet::gui
