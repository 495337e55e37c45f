// What this build is.
#pragma once

#include <string>
#include <vector>

namespace quintet {

struct OptionalPart {
  std::string name;  // "CUDA 13.0"
  bool is_in = false;
};

struct BuildFacts {
  std::string version;     // "0.1.0"
  std::string commit;      // "3f1c843", with "+" where files differed from it; empty: not known
  std::string date;        // of the commit, else of the build: "2026-11-23"
  std::string build_type;  // "Release"
  std::vector<OptionalPart> parts;
};

BuildFacts build_facts();

// "quintet 0.1.0", then commit, build type and parts, a line each, no line end behind the last.
std::string version_text(const BuildFacts& facts);

}  // namespace quintet
