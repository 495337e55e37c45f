// Small random searches, and the same by looking at every number there is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/search/search.h"
#include "tests/support/random_plans.h"

namespace quintet::test {

// What a search is asked. Its parts refer to one another: it stays where it is.
struct SearchProblem {
  std::string name;
  PlanWorld world;
  std::vector<Topology> machines;
  Wanted wanted;
  std::vector<std::optional<Bill>> bills;
  std::unique_ptr<EvaluatorFactory> factory;
  std::optional<Candidates> candidates;
  SearchQuestion question() const { return {*candidates, *factory, wanted, bills}; }
};

// At most so many candidates, one or more.
std::unique_ptr<SearchProblem> search_problem(std::uint64_t seed, std::uint64_t most);

// Of one dimension per path: values as --set writes them. For tests that want a space of their own.
struct AskedDimension {
  std::string path;
  std::vector<std::string> values;
};
Space space_of(const std::vector<AskedDimension>& asked, int global_batch, int sequence_length);

// The whole search, from its beginning.
SearchState searched(const SearchProblem& problem, const SearchPlanned& planned);

// The best so many of all numbers of the space, each asked for whether it is a candidate, whether
// it fits and what it takes: no bound, no order, no group.
std::vector<Found> enumerated(const SearchProblem& problem, std::size_t most, JudgedBy by);

}  // namespace quintet::test
