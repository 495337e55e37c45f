// What a user may get wrong, a row each: refused with exit code 2 and a message that names the
// file, the place in it, what was found and what would do.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/sim/command/world.h"

namespace quintet::test {

using Arguments = std::vector<std::string>;

Arguments on_machine();                          // GPT-2 on one DGX A100
Arguments on_machine(const Arguments& further);  // the same with more options
Arguments on_chain();                            // the toy pipeline on four hosts

struct BadInput {
  std::string name;  // the test's
  std::function<void(const World&)> spoil;
  std::vector<std::string> words;  // that the message must hold
  Arguments arguments = on_machine();
};

void PrintTo(const BadInput& input, std::ostream* out);

// For INSTANTIATE_TEST_SUITE_P.
template <class Info>
std::string name_of_input(const Info& info) {
  return info.param.name;
}

void expect_refused(const BadInput& input);

// Spoils by putting `by` in the place of `old`.
std::function<void(const World&)> replaced(std::string file, std::string old, std::string by);
// Spoils by writing the whole file anew.
std::function<void(const World&)> written(std::string file, std::string content);

}  // namespace quintet::test
