// What `quintet simulate` can be asked.
#pragma once

#include <optional>
#include <string>

#include "sim/asked/plan_flags.h"
#include "sim/asked/run_wish.h"
#include "sim/command/faulted_runs.h"
#include "sim/command/inputs.h"
#include "sim/command/money_wish.h"
#include "sim/command/plan_traces.h"
#include "sim/picture/picture_files.h"
#include "sim/usage/verb.h"

namespace quintet {

struct SimulateArguments {
  InputNames inputs;
  PlanFlags flags;
  std::string output;
  std::string fidelity = "fluid";
  int threads = 0;
  TraceWish trace;
  RunWish run;
  MoneyWish money;
  FaultWish faults;
  PictureFiles pictures;
  bool csv = false, assumptions = false;
  bool json = false, print_program = false, unfolded = false;
  bool full_attention = false, whole_memory = false;
};

// Reads into `into`; what is asked together is judged elsewhere (simulate_command.cpp).
Options simulate_options(SimulateArguments& into);

// What a run of many steps has no place for, and why; `several`: plans of lists, or machines.
std::optional<Error> wrong_with_faults(const SimulateArguments& arguments, bool several);

}  // namespace quintet
