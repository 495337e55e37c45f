// The verbs of `quintet`: each adds its options to the program's command line and says how it ends.
//   0 done; 1 it ran and the answer is no (a plan does not fit in memory); 2 wrong usage or input
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace quintet {

enum class ExitCode { done = 0, answer_is_no = 1, wrong_input = 2 };

// Its options write into it while the command line is parsed, so it stays where it was made.
class Verb {
 public:
  Verb() = default;
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;
  virtual ~Verb() = default;

  virtual ExitCode run() const = 0;

  const CLI::App* app = nullptr;
};

std::unique_ptr<Verb> add_simulate(CLI::App& program);
std::unique_ptr<Verb> add_topology(CLI::App& program);
std::unique_ptr<Verb> add_validate(CLI::App& program);
// Prints a bash completion made from the program's own options.
std::unique_ptr<Verb> add_completion(CLI::App& program);

}  // namespace quintet
