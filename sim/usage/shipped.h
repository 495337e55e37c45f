// Files by path or, for those that come with Quintet, by name: "llama-3-70b", "dgx-h100-1024".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

enum class FileKind { model, topology, plan, costs, text, stack, faults, lengths, losses, jobs };

// Where the shipped files lie: $QUINTET_DATA, else share/quintet of the prefix that this program,
// library or module was installed below, else the tree it was built from, else, where that is not
// here, the folder above the program's (tests/gpu/pack).
std::filesystem::path data_directory();

// Names of the shipped files of one kind, sorted.
std::vector<std::string> shipped_names(FileKind kind);

// A path that exists, a directory with a config.json (models), or a shipped name. The error lists
// what there is.
Result<std::filesystem::path> find_file(FileKind kind, const std::string& given);
// The shipped one, whatever lies in the folder of work.
Result<std::filesystem::path> find_shipped(FileKind kind, const std::string& name);

}  // namespace quintet
