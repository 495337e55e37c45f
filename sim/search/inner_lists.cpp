#include "sim/search/inner_lists.h"

#include "sim/search/drafting.h"

namespace quintet {
namespace {

template <class CanBe>
std::vector<std::uint32_t> list_of(const PartSpace& part, const Model& model, const Draft& layer1,
                                   const CanBe& can_be) {
  std::vector<std::uint32_t> list;
  for (std::uint64_t index = 0; index < part.size; ++index) {
    Draft draft = layer1;
    if (draft_part(part, digits_of(part, index), model, draft) && can_be(draft))
      list.push_back(static_cast<std::uint32_t>(index));
  }
  return list;
}

}  // namespace

InnerKind InnerKind::of(const Draft& layer1) {
  const Parallelism& parallelism = layer1.plan.parallelism;
  return {parallelism.tensor,        parallelism.pipeline,     parallelism.data,
          parallelism.micro_batches, parallelism.sharding,     parallelism.clipping,
          parallelism.compute_type,  parallelism.gradient_type};
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
