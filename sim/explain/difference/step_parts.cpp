#include "sim/explain/difference/step_parts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace quintet {

namespace {

using Parts = std::vector<DifferencePart>;

// In the order of the base, what only the other has behind it.
Parts beside(const Parts& base, const Parts& other) {
  Parts parts;
  for (const DifferencePart& part : base) parts.push_back({part.name, {part.time.predicted, {}}});
  for (const DifferencePart& part : other) {
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const DifferencePart& each) {
      return each.name == part.name;
    });
    if (found == parts.end())
      parts.push_back({part.name, {{}, part.time.measured}});
    else
      found->time.measured = part.time.measured;
  }
  return parts;
}

std::string name_of(const OperatorTime& time) {
  return std::string(name_of(time.work)) + " " + std::string(name_of(time.phase));
}

Parts operators_of(const RankBreakdown& base, const RankBreakdown& other) {
  std::map<std::pair<OperatorKind, Phase>, DifferencePart> parts;
  for (const OperatorTime& each : base.operators)
    parts[{each.work, each.phase}] = {name_of(each), {each.time, {}}};
  for (const OperatorTime& each : other.operators) {
    DifferencePart& part = parts[{each.work, each.phase}];
    part.name = name_of(each);
    part.time.measured = each.time;
  }
  Parts all;
  for (auto& [which, part] : parts) all.push_back(std::move(part));
  return all;
}

}  // namespace

Result<StepParts> step_parts(const Timeline& base, const Timeline& other) {
  Result<Difference> both = difference(base, other);
  if (both) {
    StepParts parts{both->step,
                    both->stack,
                    both->layers,
                    both->axes,
                    operators_of(both->predicted, both->measured),
                    {},
                    {}};
    parts.difference = std::move(*both);
    return parts;
  }
  // Of a step and itself, both sides are its own parts.
  const Result<Difference> one = difference(base, base), two = difference(other, other);
  if (!one) return one.error();
  if (!two) return two.error();
  return StepParts{{one->step.predicted, two->step.measured},
                   beside(one->stack, two->stack),
                   beside(one->layers, two->layers),
                   beside(one->axes, two->axes),
                   operators_of(one->predicted, two->measured),
                   {},
                   both.error().what};
}

}  // namespace quintet
