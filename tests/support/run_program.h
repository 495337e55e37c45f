// Runs a program as a user would: arguments in; output, remarks and exit code out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace quintet::test {

struct ProgramRun {
  int exit_code = -1;  // as a shell shows it: 128 + number when a signal ended it
  bool timed_out = false;
  double cpu_seconds = 0.0;
  std::string out, err;
};

// Such a program takes up to ten times as long, and terabytes of addresses for itself: a limit of
// addresses (ulimit -v) ends it before it begins.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

std::filesystem::path quintet_program();

// `quintet ARGUMENTS` in `folder`. Ended by force after a minute.
ProgramRun run_quintet(const std::vector<std::string>& arguments,
                       const std::filesystem::path& folder);

// A line for bash, in which `quintet` is the program under test.
ProgramRun run_shell(const std::string& line, const std::filesystem::path& folder);

}  // namespace quintet::test
