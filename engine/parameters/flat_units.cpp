#include "engine/parameters/flat_units.h"

#include <fmt/format.h>

#include <optional>
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

std::vector<FlatRange> replicated_ranges(const ParameterLayout& layout, bool sequence_split) {
  std::vector<FlatRange> ranges;
  for (const Section& section : layout.sections())
    for (const LocalTensor& tensor : section.tensors) {
      const bool unused = tensor.weight >= Weight::pooler;
      const bool of_heads =
          tensor.weight == Weight::query_norm || tensor.weight == Weight::key_norm;
      if (tensor.held != Held::replicated || unused || !(sequence_split || of_heads)) continue;
      const Index begin = section.begin + tensor.offset;
      ranges.push_back({begin, begin + tensor.count()});
    }
  return ranges;
}

std::vector<FlatRange> tied_ranges(const ParameterLayout& layout) {
  const std::optional<Index> begin = layout.tied_begin();
  if (!begin) return {};
  return {{*begin, *begin + layout.tied_count()}};
}

}  // namespace quintet::engine
