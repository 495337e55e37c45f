// A search beside looking at everything, on random small problems of up to 5,000 candidates. By
// hand, in Release; minutes:
//   cmake --build BUILD --target search_exactness && BUILD/tests/benchmark/search_exactness 200
#include <fmt/format.h>

#include <cstdlib>

#include "tests/support/search_problems.h"

int main(int count, char** words) {
  using namespace quintet;
  using namespace quintet::test;
  const int problems = count > 1 ? std::atoi(words[1]) : 200;
  constexpr std::size_t list = 10;
  int wrong = 0;
  std::uint64_t candidates = 0, simulated_all = 0;
  for (int seed = 0; seed < problems; ++seed) {
    const auto problem = search_problem(1000 + static_cast<std::uint64_t>(seed), 5000);
    const SearchPlanned cheap{2, 0, list, false};
    bool same =
        best_of(searched(*problem, cheap), cheap) == enumerated(*problem, list, JudgedBy::estimate);
    // Simulating everything is dear: where there is little of it.
    if (problem->candidates->count() <= 150) {
      const SearchPlanned proven{2, 5, list, true};
      same = same && best_of(searched(*problem, proven), proven) ==
                         enumerated(*problem, list, JudgedBy::simulation);
      ++simulated_all;
    }
    candidates += problem->candidates->count();
    if (same) continue;
    ++wrong;
    fmt::print("seed {}: differs: {}\n", seed, problem->name);
  }
  fmt::print("{} of {} problems as by enumeration ({} candidates; {} proven at fluid, too)\n",
             problems - wrong, problems, candidates, simulated_all);
  return wrong == 0 ? 0 : 1;
}
