// A search finds what looking at everything finds. tests/benchmark/search_exactness does the same
// with more and larger problems.
#include <gtest/gtest.h>

#include "sim/search/search_file.h"
#include "tests/support/search_problems.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

constexpr std::size_t wanted = 7;

SearchPlanned planned(std::size_t simulate, bool prove, SearchShare share = {}) {
  return {2, simulate, wanted, prove, share};
}

// Written and read between all rounds, by a search that is made anew each time.
SearchState searched_in_pieces(const SearchProblem& problem, const SearchPlanned& how) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "state.json";
  const SearchIdentity identity{"0123456789abcdef", problem.name, how.share};
  const std::atomic<bool> never = false;
  const SearchQuestion question = problem.question();
  SearchState state;
  for (bool more = true, first = true; more; first = false) {
    Search search(question, how);
    if (!first) search.resume(*read_search(file, identity));
    more = search.advance(never);
    EXPECT_EQ(replace_file(file, search_text(identity, search.state())), std::nullopt);
    state = search.state();
  }
  return state;
}

TEST(SearchExactness, TheListIsThatOfLookingAtEverythingByTheCheapFidelity) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = search_problem(seed, 400);
    const SearchState state = searched(*problem, planned(0, false));
    EXPECT_EQ(best_of(state, planned(0, false)), enumerated(*problem, wanted, JudgedBy::estimate))
        << "seed " << seed << ": " << problem->name;
  }
}

TEST(SearchExactness, TheListIsThatOfSimulatingEverythingWhereThatIsToBeProven) {
  for (std::uint64_t seed = 100; seed < 108; ++seed) {
    const auto problem = search_problem(seed, 40);
    const SearchState state = searched(*problem, planned(3, true));
    EXPECT_EQ(best_of(state, planned(3, true)), enumerated(*problem, wanted, JudgedBy::simulation))
        << "seed " << seed << ": " << problem->name;
  }
}

TEST(SearchExactness, TheListIsTheSameForAnyNumberOfThreadsPartsAndStops) {
  for (std::uint64_t seed = 200; seed < 206; ++seed) {
    const auto problem = search_problem(seed, 300);
    const SearchPlanned how = planned(8, false);
    const std::vector<Found> best = best_of(searched(*problem, how), how);
    for (const int threads : {1, 4}) {
      SearchPlanned other = how;
      other.threads = threads;
      EXPECT_EQ(best_of(searched(*problem, other), other), best) << "seed " << seed;
    }
    std::vector<SearchState> parts;
    for (int part = 0; part < 3; ++part)
      parts.push_back(searched(*problem, planned(8, false, {part, 3})));
    EXPECT_EQ(best_of(merged(parts, how), how), best) << "seed " << seed;
    EXPECT_EQ(best_of(searched_in_pieces(*problem, how), how), best) << "seed " << seed;
  }
}

}  // namespace
}  // namespace quintet::test
