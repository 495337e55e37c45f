#include "engine/parameters/flat_units.h"

#include <fmt/format.h>

#include <string>

namespace quintet::engine {

Index elements_of(const FlatUnit& unit) {
  Index sum = 0;
  for (const FlatRange& range : unit) sum += range.count();
  return sum;
}

Result<std::set<Index>> cuts_of(const Role& role, const ParameterLayout& layout) {
  std::set<Index> cuts;
  for (const Call& call : role.script.calls)
    for (int iteration = 0; iteration < call.layers && !call.elements.empty(); ++iteration)
      for (const FlatRange& range : quintet::elements_of(call, iteration)) {
        if (range.end > layout.count())
          return Error{"program: " + role.name,
                       fmt::format("works on {} parameters, but this rank's part has {}", range.end,
                                   layout.count())};
        cuts.insert({range.begin, range.end});
      }
  return cuts;
}

bool leave_repeatedly(const Program& program, const Script& script) {
  std::set<Index> left;
  for (const Call& call : script.calls)
    if (program.bodies[call.body.index()].kind == BodyKind::sum_gradients)
      if (!left.insert(call.elements.front().begin).second) return true;
  return false;
}

}  // namespace quintet::engine
