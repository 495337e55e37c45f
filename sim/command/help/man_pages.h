// Manual pages (man(7)) of the same option lists as --help. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/usage/description.h"

namespace quintet {

struct PageFacts {
  std::string version;  // "0.1.0"
  std::string date;     // "2026-11-23"
};

// quintet(1): its verbs, and what all of them have.
std::string man_page(const CommandLine& program, const std::vector<VerbDescription>& verbs,
                     const PageFacts& facts);
// quintet-VERB(1).
std::string man_page(const VerbDescription& verb, const PageFacts& facts);

}  // namespace quintet
