// What a run tells people, as it happens.
#pragma once

#include <cstdio>
#include <string>

namespace quintet::engine {

inline void say_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace quintet::engine
