// Which of a rank's flat elements each call of its script sends, gathers or prepares, read from the
// sizes that the program gives: buckets follow each other in the order of parameter_layout.h.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/parameters/parameter_layout.h"
#include "sim/base/result.h"
#include "sim/program/program.h"

namespace quintet::engine {

struct FlatRange {
  Index begin = 0, end = 0;
  bool operator==(const FlatRange&) const = default;
};
using FlatUnit = std::vector<FlatRange>;  // ascending

Index elements_of(const FlatUnit& unit);

enum class UnitUse {
  other,     // not about flat elements
  prepare,   // gradients scaled or clipped before they leave
  exchange,  // gradients summed
  gather,    // weights put together
};
UnitUse use_of(const Program& program, const Call& call);

// One iteration of one call.
using CallIteration = std::pair<int, int>;

struct FlatUnits {
  std::map<CallIteration, FlatUnit> of_call;
  // Buckets leave more than once a step: their sums are kept apart from what backward adds to.
  bool repeated = false;
};

// An error where the program's sizes are not the layout's.
Result<FlatUnits> flat_units(const Program& program, const Role& role,
                             const ParameterLayout& layout);

// Where ranges that go together begin and end.
std::set<Index> cuts_of(const FlatUnits& units);

}  // namespace quintet::engine
