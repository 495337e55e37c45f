// The verbs of `quintet`: each adds its options to the program's command line and says how it ends.
//   0 done; 1 it ran and the answer is no (a plan does not fit in memory); 2 wrong usage or input
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace quintet {

enum class ExitCode { done = 0, answer_is_no = 1, wrong_input = 2 };

struct Verb {
  CLI::App* app = nullptr;
  std::function<ExitCode()> run;
};

Verb add_simulate(CLI::App& program);
Verb add_topology(CLI::App& program);
Verb add_completion(
    CLI::App& program);  // prints a bash completion made from the program's own options

}  // namespace quintet
