// Whether a file can be written: better known before the work than after it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

// Nothing wrong as far as can be seen beforehand; a file that is made for the trial is gone
// afterwards. The error names the option with the file, why, and what would do.
std::optional<Error> no_place(const std::string& option, const std::filesystem::path& file);

// `file` is one of those that are read: writing would destroy it. Empty names are skipped, as are
// shipped ones, which are no files here.
std::optional<Error> onto_input(const std::string& option, const std::filesystem::path& file,
                                const std::vector<std::string>& read);

struct NamedOutput {
  const char* option;
  std::string file;  // empty: none
};

// Two outputs that are one file.
std::optional<Error> one_place(std::initializer_list<NamedOutput> outputs);

}  // namespace quintet
