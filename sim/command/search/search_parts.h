// Several processes that share a search, and the folder in which they leave what they found.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "sim/base/result.h"
#include "sim/search/search_file.h"
#include "sim/search/search_share.h"

namespace quintet {

// A part's file in the folder: "part-2-of-4.json".
std::filesystem::path part_file(const std::filesystem::path& folder, const SearchShare& share);

// The states of all parts; fails with the file that is missing, of another search, or not done.
Result<std::vector<SearchState>> finished_parts(const std::filesystem::path& folder,
                                                const SearchIdentity& identity);

// How many parts the folder's files are of; the error says what is not there.
Result<int> parts_in(const std::filesystem::path& folder);

enum class PartRole { prints, is_silent };
// When a part is done: the first of those that run together waits until all are, and prints; of
// those that run at any times the last one does, once. `limited`: parts stop after a time, so that
// the others are done in a few seconds or not at all.
PartRole role_when_done(const std::filesystem::path& folder, const SearchIdentity& identity,
                        const StartedShare& started, bool limited, bool quiet);

}  // namespace quintet
