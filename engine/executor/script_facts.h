// What a rank must know of its script beforehand: what each body is about, and what may be thrown
// away after a layer's forward because its backward computes it again.
#pragma once

#include <map>
#include <vector>

#include "engine/operators/pairs.h"
#include "sim/program/program.h"

namespace quintet::engine {

enum class Stretch { none, embedding, layer, head };
// What a body does to the part of the model it is about.
struct BodyFacts {
  Stretch stretch = Stretch::none;
  bool forward = false;
  bool again = false;  // all of a layer's forward, before its backward
  bool backward = false;
  bool weights = false;  // its weight gradients: what was kept for them may go
  Pairs pairs;
};

enum class Kept { all, all_but_core, input };

struct ScriptFacts {
  std::vector<BodyFacts> bodies;
  std::map<int, Kept> kept;  // by layer, where it is not all
  // Per call: whether gradients leave later in the step.
  std::vector<bool> before_exchange;
};

ScriptFacts script_facts(const Program& program, const Script& script);

int layer_of(const Call& call, int iteration);

std::size_t first_compute_lane(const Program& program);

}  // namespace quintet::engine
