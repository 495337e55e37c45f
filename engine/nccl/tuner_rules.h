// What the plan forces NCCL to choose on one communicator: a small text between the engine and the
// tuner plugin. One rule a line, * for what is not forced; the first that matches decides.
//
//   communicator data
//   # kind bytes algorithm protocol channels
//   all-reduce 0-65536 ring ll 4
//   all-reduce * ring simple *
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/plan/ccl.h"

namespace quintet::engine {

struct TunerRule {
  CollectiveKind kind = CollectiveKind::all_reduce;
  // The whole buffer, as in the program; both ends belong to it.
  std::uint64_t from_bytes = 0, to_bytes = std::numeric_limits<std::uint64_t>::max();
  std::optional<Algorithm> algorithm;  // NCCL's
  std::optional<Protocol> protocol;
  std::optional<int> channels;
  bool operator==(const TunerRule&) const = default;
};

struct TunerRules {
  std::string communicator;
  std::vector<TunerRule> rules;
  bool operator==(const TunerRules&) const = default;
};

// Row and column of NCCL's table of times; none: not NCCL's.
std::optional<int> nccl_algorithm(Algorithm algorithm);
int nccl_protocol(Protocol protocol);

std::string rules_text(const TunerRules& rules);
// `file` is for the error, which names the line and what is accepted.
Result<TunerRules> parse_rules(const std::string& text, const std::string& file);

// The rule for a collective; null: NCCL chooses.
const TunerRule* rule_for(const TunerRules& rules, CollectiveKind kind, std::uint64_t bytes);

}  // namespace quintet::engine
