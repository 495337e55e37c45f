// What `quintet search` can be asked.
#pragma once

#include <string>
#include <vector>

#include "sim/asked/plan_flags.h"
#include "sim/asked/run_wish.h"
#include "sim/command/inputs.h"
#include "sim/command/money_wish.h"
#include "sim/picture/picture_files.h"
#include "sim/usage/verb.h"

namespace quintet {

struct SearchArguments {
  InputNames inputs;  // but for its hosts
  std::string hosts;  // a list; empty: the machine's own
  PlanFlags flags;
  std::vector<std::string> free, fix;
  std::string objective = "step", pay = "rented", exact;
  std::vector<std::string> budgets;
  std::string deadline, time;
  double headroom = 0;
  RunWish run;
  MoneyWish money;
  int threads = 0, fluid = 100, top = 10;
  std::string state, output;
  PictureFiles pictures;  // of advice
  bool brief = false;
  bool merge = false, json = false, quiet = false, count = false, fields = false;
};

Options search_options(SearchArguments& into);

}  // namespace quintet
