// What `quintet search` prints.
#pragma once

#include <string>
#include <vector>

#include "sim/advice/advice.h"
#include "sim/answer/answer.h"
#include "sim/command/search/search_machines.h"
#include "sim/search/search.h"

namespace quintet {

struct FoundPlan {
  Found found;
  Plan plan;  // named by its place and layout: "01-tp8-pp2-dp8"
  std::size_t machine = 0;
  std::vector<std::string> choices;  // one per dimension; empty: without effect
  Worth worth;
  Answer answer;
};

struct SearchReport {
  const Candidates& candidates;
  const SearchMachines& machines;
  const Wanted& wanted;
  const SearchPlanned& planned;
  SearchState state;
  SearchProgress progress;
  std::vector<FoundPlan> plans;  // the best first
  std::optional<Advice> advice;  // on the first of them
};

// On the first of them, with those on its machine as runners-up.
Result<Advice> advice_on_found(const SearchArguments& arguments, const SearchMachines& machines,
                               const std::vector<FoundPlan>& plans);

// Each found plan predicted once more, with all that a report says of it. Fails where one cannot
// be, which its search would have met.
Result<std::vector<FoundPlan>> found_plans(const SearchQuestion& question,
                                           const SearchMachines& machines,
                                           const std::vector<Found>& found, int threads);

// "12,345 candidates on 3 machines", and below it a line per field with its values.
std::string space_text(const Candidates& candidates);
// What is known of the winner: how it was proven, or what is left to be looked at.
std::string proof_text(const SearchReport& report);
std::string search_report_text(const SearchReport& report);
// docs/schema/search.json
std::string search_report_json(const SearchReport& report);
// Why there is nothing: what became of all candidates.
std::string nothing_text(const SearchReport& report);

}  // namespace quintet
