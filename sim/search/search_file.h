// A search that was stopped, as a file: one per part.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/search/search.h"

namespace quintet {

// Which search a file is of: one that differs in anything that could change its answer has another
// digest.
struct SearchIdentity {
  std::string question;   // digest, 16 hexadecimal digits
  std::string described;  // for people: model, machines, number of candidates
  SearchShare share;
  bool operator==(const SearchIdentity&) const = default;
};

std::string search_text(const SearchIdentity& identity, const SearchState& state);
// The error says what is wrong with the file, or in what its search differs from `identity`.
Result<SearchState> read_search(const std::filesystem::path& file, const SearchIdentity& identity);

// What a reader finds is the old text or the new one, whole, whenever the machine stops.
std::optional<Error> replace_file(const std::filesystem::path& file, const std::string& text);

// What all parts found, as one process would have: the K best of all estimates, and of the
// simulated ones those among them; where everything is proven, the best of all.
SearchState merged(const std::vector<SearchState>& parts, const SearchPlanned& planned);

}  // namespace quintet
