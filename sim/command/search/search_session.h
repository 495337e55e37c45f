// One process's search, from its candidates to what is printed.
#pragma once

#include "sim/base/result.h"
#include "sim/command/search/search_report.h"
#include "sim/search/search_share.h"

namespace quintet {

// All must outlive it.
struct SearchSession {
  const SearchArguments& arguments;
  const Wanted& wanted;
  const SearchMachines& machines;
  const Candidates& candidates;
  const StartedShare& started;
};

// Searches, or goes on; prints where this process is the one to do so, and writes what is to be
// written. Exit 1: nothing will do.
Result<ExitCode> search_in(const SearchSession& session);

}  // namespace quintet
