#include "sim/command/siblings.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sim/base/own_program.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace fs = std::filesystem;

namespace {

struct Sibling {
  const char* verb;
  const char* does;
  const char* needs;
  const char* program;  // that has the verb; it is told which, where it has several
};

constexpr const char* needs_transport =
    "it is built where UCX and OpenSSL are (Debian: apt-get install libucx-dev libssl-dev, then "
    "build again)";

constexpr std::array siblings{
    Sibling{"calibrate", "Measure what plans cost on this machine's cores", needs_transport,
            "quintet-calibrate"},
    Sibling{"fit", "Make a cost table from what nccl-tests and other tools measured",
            "it is built with quintet (target quintet-fit)", "quintet-fit"},
    Sibling{"gui", "Open the window: change machine and plan, and see what it does to the step",
            "it is built where Qt 6 is (Debian: apt-get install qt6-base-dev qt6-svg-dev, then "
            "build again)",
            "quintet-gui"},
    Sibling{"loop", "Calibrate, predict plans, run them, and say how far to trust predictions",
            needs_transport, "quintet-calibrate"},
    Sibling{"replay", "Replay a recorded step, ours or another program's: as it was, or otherwise",
            "it is built where simdjson, protobuf and SQLite are (Debian: apt-get install "
            "libsimdjson-dev libprotobuf-dev protobuf-compiler libsqlite3-dev, then build again)",
            "quintet-replay"},
    Sibling{"run", "Train for real: execute a plan on CPU cores or GPUs, by the same program",
            needs_transport, "quintet-run"},
};

std::string beside_this_program(const std::string& name) {
  const fs::path self = own_program();
  return self.empty() ? "" : (self.parent_path() / name).string();
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::vector<VerbText> sibling_verbs() {
  std::vector<VerbText> verbs;
  for (const Sibling& sibling : siblings) verbs.push_back({sibling.verb, sibling.does});
  return verbs;
}

bool is_sibling(const std::string& verb) {
  for (const Sibling& sibling : siblings)
    if (verb == sibling.verb) return true;
  return false;
}

std::string sibling_program(const std::string& verb) {
  std::error_code unreadable;
  for (const Sibling& sibling : siblings) {
    if (verb != sibling.verb) continue;
    const std::string near = beside_this_program(sibling.program);
    return !near.empty() && fs::exists(near, unreadable) ? near : sibling.program;
  }
  return "";
}

std::optional<ExitCode> become_sibling(const std::vector<std::string>& given) {
  for (const Sibling& sibling : siblings) {
    if (given.empty() || given.front() != sibling.verb) continue;
    const std::string name = sibling.program;
    std::vector<std::string> words = given;
    // The program's name stands before what it is told; a program named after its verb knows it.
    if (name.ends_with(sibling.verb))
      words.front() = name;
    else
      words.insert(words.begin(), name);
    const std::string near = beside_this_program(name);
    if (!near.empty()) execv(near.c_str(), pointers(words).data());
    if (errno == ENOENT) execvp(name.c_str(), pointers(words).data());
    if (errno == ENOENT)
      return complain(
          {name, "is neither beside quintet nor in PATH; " + std::string(sibling.needs)});
    return complain({name, std::string("cannot be started: ") + std::strerror(errno)});
  }
  return std::nullopt;
}

}  // namespace quintet
