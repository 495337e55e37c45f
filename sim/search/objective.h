// What is wanted of a plan, and what it must not exceed. Pure.
//
//   step    seconds of a step
//   speed   seconds of a token: what to take where candidates' steps train unequally much
//   money   dollars of a token, at what an hour of the machine costs (sim/money/bill.h, usual ends)
//   energy  joules of a token, by the power model of sim/explain/summary.h
// A bound of the step bounds each of them: with the same formulas and as if nothing computed.
#pragma once

#include <optional>
#include <string_view>

#include "sim/base/units.h"
#include "sim/explain/summary.h"
#include "sim/money/bill.h"
#include "sim/plan/whole_run.h"
#include "sim/training_run/run_length.h"

namespace quintet {

enum class Objective { step, speed, money, energy };
std::string_view name_of(Objective objective);

// Whose hour is paid for: that of a machine bought, or of rented GPUs.
enum class Pay { owned, rented };
std::string_view name_of(Pay pay);

struct Limits {
  std::optional<Dollars> machine;  // bought
  std::optional<Dollars> hour;
  std::optional<Dollars> run;       // all of it
  std::optional<Seconds> deadline;  // of the run
  bool any() const { return machine || hour || run || deadline; }
  bool operator==(const Limits&) const = default;
};

struct Wanted {
  Objective objective = Objective::step;
  Pay pay = Pay::rented;
  Limits limits;
  std::optional<RunLength> run;  // what limits of a run are about
  double headroom = 0;           // share of the memory that is to stay free
  bool operator==(const Wanted&) const = default;
};

// What a step of a plan is worth on its machine.
struct Worth {
  double objective = 0;  // the smaller the better
  bool within = true;    // its limits
  Joules energy;         // of a step; 0: power not known
  Dollars step_money, hour_money;
  Seconds run;        // 0: no run was asked about
  Dollars run_money;  // likewise
  bool operator==(const Worth&) const = default;
};

// What of a plan its worth depends on beside its times; the same for all of layers 2 to 5.
struct WorthBase {
  const Wanted& wanted;
  const std::optional<Bill>& bill;  // of its machine, needed where money is asked for
  StepNumbers numbers;              // step_numbers.h
  WholeRun run;
  double samples = 1;  // of a step
  Bytes state;         // that a checkpoint keeps
};

Worth worth_of(const WorthBase& base, Seconds step, Seconds compute);
// The objective alone, nothing where a limit is exceeded.
std::optional<double> objective_of(const WorthBase& base, Seconds step, Seconds compute);

// Whether money is asked for.
bool needs_bill(const Wanted& wanted);

}  // namespace quintet
