#include "sim/usage/complain.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace quintet {

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : ", ") + word;
  return line;
}

ExitCode complain(const Error& error) {
  std::fprintf(stderr, "quintet: %s\n", error.text().c_str());
  return ExitCode::wrong_input;
}

ExitCode after_writing_out(ExitCode code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return complain({"standard output", std::string("cannot be written to: ") +
                                          (errno != 0 ? std::strerror(errno) : "it failed")});
}

}  // namespace quintet
