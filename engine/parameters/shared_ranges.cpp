#include "engine/parameters/shared_ranges.h"

#include <optional>

namespace quintet::engine {

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
