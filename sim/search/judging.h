// A piece of a search: some candidates of one group, judged one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/search/best_list.h"
#include "sim/search/candidates.h"
#include "sim/search/evaluator.h"
#include "sim/search/objective.h"

namespace quintet {

// What is searched and what for. All must outlive it.
struct SearchQuestion {
  const Candidates& candidates;
  const EvaluatorFactory& factory;
  const Wanted& wanted;
  const std::vector<std::optional<Bill>>& bills;  // one per machine; none where none is asked for
};

// What became of candidates that were looked at.
struct SearchCounts {
  std::uint64_t bounded = 0;    // passed over by their bound
  std::uint64_t too_large = 0;  // for the memory
  std::uint64_t beyond = 0;     // a limit
  std::uint64_t estimated = 0, uncovered = 0, simulated = 0;
  std::uint64_t failed = 0;  // costs do not cover them
  SearchCounts& operator+=(const SearchCounts& other);
  bool operator==(const SearchCounts&) const = default;
};

enum class JudgedBy { estimate, simulation };

struct Piece {
  std::uint32_t group = 0;
  std::uint64_t begin = 0, end = 0;  // leaves
  double limit = 0;                  // what is worse is not wanted
  std::size_t keep = 1;              // best of those found
  JudgedBy by = JudgedBy::estimate;
};

struct PieceOutcome {
  std::vector<Found> found;
  SearchCounts counts;
  std::string failure;  // the first
  bool whole = true;    // it was not stopped
};

PieceOutcome judged(const SearchQuestion& question, const Piece& piece,
                    ThreadEvaluators& evaluators, const std::atomic<bool>& stop);

// One candidate, by the walk; nothing where it exceeds a limit. Fails where costs do not cover it.
Result<std::optional<Found>> simulated(const SearchQuestion& question, std::uint64_t number,
                                       ThreadEvaluators& evaluators);

// What is known of a whole group before its candidates are looked at.
struct GroupBound {
  double least = 0;  // no candidate of it has a better objective; infinite: all exceed a limit
  bool fits = true;  // some of it may fit in memory
};
GroupBound bound_of(const SearchQuestion& question, const CandidateGroup& group,
                    ThreadEvaluators& evaluators);

WorthBase worth_base(const SearchQuestion& question, const Draft& draft, std::size_t machine);

}  // namespace quintet
