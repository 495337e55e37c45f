// "Did you mean": the word of a closed set that a misspelt one looks like.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace quintet {

// The candidate with the smallest edit distance, if it is near enough to be a typo.
std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates);

// The most alike, nearest first, at most so many; none that has hardly a letter in common.
std::vector<std::string_view> nearest_few(std::string_view word,
                                          const std::vector<std::string_view>& candidates,
                                          std::size_t most);

}  // namespace quintet
