// A number for all that a search's answer follows from: its file is of no other search.
#pragma once

#include <cstdint>
#include <string>

#include "sim/search/search.h"

namespace quintet {

// Of the space, model, machines, costs, prices and what is wanted; `bounds`: of the candidates
// (Search::bounds_digest), which tell models and costs apart where their files do not. 16
// hexadecimal digits.
std::string question_digest(const SearchQuestion& question, const SearchPlanned& planned,
                            std::uint64_t bounds);

}  // namespace quintet
