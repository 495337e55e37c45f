#include "sim/usage/complain.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "sim/json/json_value.h"

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

std::string error_json(const Error& error) {
  JsonValue entry{{"plan", nullptr}, {"where", error.where}, {"what", error.what}};
  JsonValue all{{"schema_version", 2}, {"errors", JsonValue::array()}};
  all["errors"].push_back(std::move(entry));
  return all.dump(2) + "\n";
}

ExitCode after_writing_out(ExitCode code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return complain({"standard output", std::string("cannot be written to: ") +
                                          (errno != 0 ? std::strerror(errno) : "it failed")});
}

}  // namespace quintet
