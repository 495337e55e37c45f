// How much of a predicted step rests on measurements, and whose. Pure.
//
// Every part of the mean rank's step (breakdown.h) is priced by a part of the cost table, which
// says what it rests on (sim/cost/evidence.h); of several tables the weakest. Exposed communication
// of an axis is shared out among what priced its patterns, inside hosts and between them, by the
// time that one of each takes alone. Bubbles, waiting and idle time rest on nothing of their own:
// they follow from the rest.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/cost/evidence.h"
#include "sim/explain/breakdown.h"
#include "sim/price/communications.h"
#include "sim/program/program.h"

namespace quintet {

enum class StepSource {
  products,       // GEMM
  attention,      // fused
  memory_bound,   // norms, activations, optimizer, ...
  profiled,       // whole stages
  inside_hosts,   // exposed communication
  between_hosts,  // likewise
  copies,
  launches,  // the host was late
  follows,   // bubbles, waiting for peers, idle
};
std::string_view name_of(StepSource source);  // "products (GEMM)"; empty beyond the last

inline constexpr int evidence_count = 4;

// Shares of the step.
struct SourceShare {
  StepSource source = StepSource::products;
  double share = 0;
  std::array<double, evidence_count> by_evidence{};  // sums to `share`, but for `follows`: zeros
  bool operator==(const SourceShare&) const = default;
};

struct Provenance {
  std::vector<SourceShare> sources;                  // those that take time, in order
  std::array<double, evidence_count> by_evidence{};  // over all sources
  double follows = 0;                                // with these sums to 1
  bool operator==(const Provenance&) const = default;
};

Provenance provenance(const Program& program, const RankBreakdown& mean, const CostTable& costs,
                      const std::vector<MoveBasis>& moves);

}  // namespace quintet
