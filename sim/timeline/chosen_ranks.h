// A timeline of some ranks only, by the numbers that a user knows them by. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// "0,8-15": in the order given, each once. At most 1,024.
Result<std::vector<int>> parse_ranks(std::string_view text);
// For command lines: what is wrong with it, empty when nothing is.
std::string complaint_of_ranks(const std::string& text);

// A track for each of `ranks`, in their order, with what its rank does: its own track, or that of
// the rank that stands for it. `track_of_rank`: per rank, an index into the timeline's tracks. For
// a rank that another stands for the messages' other sides are not known (flow -1), nor its host.
// Every rank must be there.
Timeline with_ranks(const Timeline& timeline, const std::vector<int>& ranks,
                    const std::vector<std::int32_t>& track_of_rank);

}  // namespace quintet
