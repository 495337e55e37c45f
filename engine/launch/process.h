// A program to be started somewhere else than here.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace quintet::engine {

struct ProcessStart {
  std::vector<std::string> arguments;    // the first is the path of the program
  std::vector<std::string> environment;  // "NAME=value": all of it, nothing is inherited
  // Descriptors of the caller that become 0, 1 and 2; -1: /dev/null. All others are closed.
  int input = -1, output = 1, error = 2;
};

}  // namespace quintet::engine
