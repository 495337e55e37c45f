// `quintet simulate PLAN... --faults FILE --steps N`: runs of many steps on a machine of which
// parts slow down, fail and come back.
#pragma once

#include <string>

#include "sim/command/inputs.h"
#include "sim/simulate/run/faulted_run.h"
#include "sim/training_run/run_length.h"
#include "sim/usage/verb.h"

namespace quintet {

struct FaultWish {
  static constexpr int most_steps = 1'000'000;
  std::string file;                // or a shipped name; empty: none was asked for
  std::optional<RunLength> run{};  // as run_options() took it; none: 20 steps
  double deadline = 60;            // seconds, as `quintet run`
  bool adapt = false;              // the plan follows what links do
  bool asked() const { return !file.empty(); }
};

// --faults, --deadline and --adapt.
Options faulted_run_options(FaultWish& into);

enum class FaultedAs { text, json };

// The file that was asked for; the error names it and its place.
Result<FaultPlan> faults_wished(const FaultWish& wish);

// Every plan's run, printed; on stderr what of the faults its steps do not reach. Exit 1: a run
// ends before its last step.
ExitCode simulate_faulted(const FaultWish& wish, const FaultPlan& faults, const Inputs& inputs,
                          const PredictOptions& options, FaultedAs as);

// Steps that follow each other and are alike are one row: number, time, how much longer than
// without faults, what happened.
std::string faulted_run_text(const std::string& plan, const FaultPlan& faults,
                             const FaultedRun& run);
// {"plan", "faults", "source", "remarks": [...], "usual_step_s", "usual_step_between_s", "walks",
//  "run_s", "steps": [{"first", "last", "begins_s", "step_s", "usual_s", "events":
//  [{"into_step_s", "what"}], "wrong": [...], "plan"}], "end": null or {"step", "at_s", "why",
//  "events", "standing"}}
std::string faulted_run_json(const std::string& plan, const FaultPlan& faults,
                             const FaultedRun& run);

}  // namespace quintet
