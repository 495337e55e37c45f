#include "engine/parameters/flat_units.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "sim/program/groups.h"

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

namespace {

struct Clips {
  std::set<Index> buckets;  // by where they begin
  int times = 0;            // that one of them is clipped
};

Clips clips_of(const Program& program, const Script& script) {
  Clips clips;
  for (const Call& call : script.calls) {
    const BodyKind kind = program.bodies[call.body.index()].kind;
    if (kind != BodyKind::prepare_gradients && kind != BodyKind::keep_gradients) continue;
    for (int iteration = 0; iteration < call.layers; ++iteration)
      clips.buckets.insert(quintet::elements_of(call, iteration).front().begin);
    clips.times += call.layers;
  }
  return clips;
}

}  // namespace

double clipped_share(const Program& program, const Script& script) {
  const Clips here = clips_of(program, script);
  if (here.buckets.empty()) return 1;
  std::size_t buckets = 0;
  for (const Role& role : program.roles) buckets += clips_of(program, role.script).buckets.size();
  buckets *= static_cast<std::size_t>(size_of(program.grid, Axis::tensor));
  const double times = static_cast<double>(here.times) / static_cast<double>(here.buckets.size());
  return 1 / (times * std::sqrt(static_cast<double>(buckets)));
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
