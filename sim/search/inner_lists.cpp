#include "sim/search/inner_lists.h"

#include <algorithm>

#include "sim/search/drafting.h"
#include "sim/search/search_fields.h"

namespace quintet {
namespace {

template <class CanBe>
std::vector<std::uint32_t> list_of(const PartSpace& part, const Model& model, const Draft& layer1,
                                   const CanBe& can_be) {
  std::vector<std::uint32_t> list;
  Draft draft = layer1;
  for (std::uint64_t index = 0; index < part.size; ++index) {
    draft.plan.network = layer1.plan.network;
    draft.plan.host_net = layer1.plan.host_net;
    draft.plan.intra_inter = layer1.plan.intra_inter;
    draft.plan.ccl = layer1.plan.ccl;
    if (draft_part(part, digits_of(part, index), model, draft) && can_be(draft))
      list.push_back(static_cast<std::uint32_t>(index));
  }
  return list;
}

bool may_delegate(const Space& space) {
  if (space.base.plan.host_net.delegates > 1) return true;
  for (const Dimension& dimension : space.dimensions)
    if (dimension.field->path == "host_net.delegates") return true;
  return false;
}

}  // namespace

InnerKind InnerKind::of(const Space& space, const Draft& layer1) {
  const Parallelism& parallelism = layer1.plan.parallelism;
  return {parallelism.tensor > 1,
          parallelism.data > 1,
          parallelism.pipeline > 1,
          parallelism.tensor * parallelism.pipeline,
          may_delegate(space) ? parallelism.micro_batches : std::min(parallelism.micro_batches, 2),
          parallelism.sharding,
          parallelism.clipping,
          parallelism.compute_type,
          parallelism.gradient_type};
}

InnerLists inner_lists(const Space& space, const Model& model, const Topology& topology,
                       const Draft& layer1) {
  InnerLists lists;
  lists.fabric = list_of(part_of(space, SearchPart::fabric), model, layer1,
                         [&](const Draft& draft) { return fabric_can_be(draft, topology); });
  lists.intra_inter = list_of(part_of(space, SearchPart::intra_inter), model, layer1,
                              [](const Draft& draft) { return intra_inter_can_be(draft); });
  lists.ccl = list_of(part_of(space, SearchPart::ccl), model, layer1,
                      [&](const Draft& draft) { return ccl_can_be(draft, model, topology); });
  return lists;
}

}  // namespace quintet
