// What two steps are made of, side by side, whether or not they are of one program: where they are,
// span by span (difference.h), with causes; where they are not, each by itself, parts of one name
// beside each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/explain/difference/difference.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// "predicted" is the base, "measured" the other. Each list but `operators` makes up the step on
// both sides; operators make up what is computed.
struct StepParts {
  Compared step;
  std::vector<DifferencePart> stack, layers, axes, operators;
  std::optional<Difference> difference;  // none: they are not of one program
  std::string other_program;             // and in what they are not
};

// Fails where one of them alone is nothing to compare.
Result<StepParts> step_parts(const Timeline& base, const Timeline& other);

}  // namespace quintet
