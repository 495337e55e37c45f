// Which ranks compute slower than others that do the same, and what of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/report/retimed.h"

namespace quintet {

// From this many times what is expected on, a rank is slow: about what "Understanding Stragglers in
// Large Model Training" (arXiv 2505.05713) calls a straggling job, and more than two GPUs of a kind
// differ by.
inline constexpr double slow_rank_from = 1.1;

// All of a rank's tasks of one name.
struct NamedComputing {
  std::string name;
  std::int64_t count = 0;
  Duration time, expected;
  bool operator==(const NamedComputing&) const = default;
};

struct RankComputing {
  Duration time, expected;
  // time / expected, over that of the rank in the middle where that one is above 1; 1 of nothing.
  double slowness = 1;
  std::vector<NamedComputing> names;  // those that exceed what is expected most first
  // Share of its computing for which a core ran its thread; below 0: not known.
  double ran = -1;
  bool operator==(const RankComputing&) const = default;
};

// Per rank. Expected of tasks of one name: what the ranks of its stage that have as many of them
// take, the lower median; where there are no others, as many times the median task of the rank in
// the middle of all that have any; where there are none of these either, what they took.
std::vector<RankComputing> rank_computing(const Timeline& timeline);

// As if these ranks (by number) took what is expected of them.
Change as_expected(const Timeline& timeline, const std::vector<RankComputing>& computing,
                   const std::vector<std::int32_t>& ranks);

// As if all stages computed as long as their mean; nothing of one stage.
Change as_even_stages(const Timeline& timeline);

}  // namespace quintet
