// What `quintet` and its sibling programs do alike: a verb adds its options to a command line and
// says how it ends.
//   0 done; 1 it ran and the answer is no (a plan does not fit, a rank failed); 2 wrong usage or
//   input
#pragma once

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

}  // namespace quintet
