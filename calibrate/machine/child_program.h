// Runs a program to its end and keeps what it prints.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet::calibrate {

struct Ended {
  int code = 0;        // 128 + the signal's number where a signal ended it
  std::string output;  // of its standard output; its standard error is ours
};

// `words`: the program's path or name, and its arguments. Fails where it cannot be started.
Result<Ended> run_program(const std::vector<std::string>& words);

// "quintet", beside this program; else as PATH finds it.
std::string beside_this_program(const std::string& name);

}  // namespace quintet::calibrate
