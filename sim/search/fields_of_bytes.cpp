// Layers 2 to 5: what a byte meets.
#include <algorithm>
#include <array>
#include <string>

#include "sim/plan/delivery.h"
#include "sim/search/placement.h"
#include "sim/search/search_fields.h"

namespace quintet {
namespace {

using Words = std::vector<std::string>;
constexpr const char* tuner = "tuner";  // NCCL's choice

template <auto layer, auto member>
void take_of(Draft& to, const Plan& from) {
  to.plan.*layer.*member = from.*layer.*member;
}

// Rules of a search stand before those of the plan: the first that matches decides.
template <Axis axis, auto member>
void take_rule(Draft& to, const Plan& from) {
  if (from.ccl.rules.empty()) return;
  std::vector<CollectiveRule>& rules = to.plan.ccl.rules;
  const auto found = std::find_if(rules.begin(), rules.end(), [](const CollectiveRule& rule) {
    return rule.axis == axis && !rule.kind;
  });
  CollectiveRule& rule =
      found != rules.end() ? *found : *rules.insert(rules.begin(), CollectiveRule{});
  rule.axis = axis;
  rule.*member = from.ccl.rules.front().*member;
}

template <Axis axis>
FieldChanges rule_changes(const char* field, const std::string& value) {
  if (value == tuner) return {};
  return {{"ccl.rules[0].axis", std::string(name_of(axis)), ""},
          {std::string("ccl.rules[0].") + field, value, ""}};
}
template <Axis axis>
FieldChanges algorithm(const std::string& value) {
  return rule_changes<axis>("algorithm", value);
}
template <Axis axis>
FieldChanges protocol(const std::string& value) {
  return rule_changes<axis>("protocol", value);
}
template <Axis axis>
FieldChanges channels(const std::string& value) {
  return rule_changes<axis>("channels", value);
}

template <Axis axis>
FieldChanges decomposition(const std::string& value) {
  return {{"intra_inter.decompositions[0].axis", std::string(name_of(axis)), ""},
          {"intra_inter.decompositions[0].decomposition", value, ""}};
}
template <Axis axis>
void take_decomposition(Draft& to, const Plan& from) {
  std::vector<AxisDecomposition>& rows = to.plan.intra_inter.decompositions;
  std::erase_if(rows, [](const AxisDecomposition& row) { return row.axis == axis; });
  rows.push_back(from.intra_inter.decompositions.front());
}

// By name: the numbers follow from the machine. In a sample, [0] stands for the first of them.
FieldChanges placement(const std::string& value) {
  if (value == name_of(Placement::block)) return {{"intra_inter.placement", "[]", ""}};
  if (value == name_of(Placement::cyclic)) return {{"intra_inter.placement", "[0]", ""}};
  return {{"intra_inter.placement", value, ""}};
}
void take_placement(Draft& to, const Plan& from) {
  const std::vector<int>& given = from.intra_inter.placement;
  to.plan.intra_inter.placement =
      given == std::vector<int>{0} ? slots_of(Placement::cyclic, to.machine) : given;
}

Words algorithms(const FreeContext& context) {
  if (!context.on_gpus) return {tuner, "ring", "tree", "halving-doubling", "direct"};
  return {tuner, "ring", "tree", "nvls", "nvls-tree"};
}
Words protocols(const FreeContext&) {
  return {tuner, "ll", "ll128", "simple"};
}
Words channel_counts(const FreeContext&) {
  return {tuner, "4", "8", "16", "32"};
}
Words buckets(const FreeContext&) {
  return {"0 B", "25 MB", "100 MB", "400 MB"};
}
Words true_first(const FreeContext&) {
  return {"true", "false"};
}
Words decompositions(const FreeContext&) {
  return {"flat", "hierarchical"};
}
Words forwardings(const FreeContext&) {
  return {"same-rail", "none"};
}
Words placements(const FreeContext&) {
  return {std::string(name_of(Placement::block)), std::string(name_of(Placement::cyclic))};
}
Words deliveries(const FreeContext&) {
  return {"direct", "staged", "delegated"};
}
Words counts_to_eight(const FreeContext&) {
  return {"1", "2", "4", "8"};
}
Words launches(const FreeContext&) {
  return {"eager", "graphs"};
}
Words routings(const FreeContext&) {
  return {"rail-pinned", "ecmp", "spray"};
}

template <Axis axis>
bool spans(const Draft& draft) {
  return degree(draft.plan.parallelism, axis) > 1;
}
bool has_hosts(const Draft& draft) {
  return draft.machine.hosts > 1;
}
bool hashes(const Draft& draft) {
  return has_hosts(draft) && draft.plan.network.routing == Routing::ecmp;
}
bool sprays(const Draft& draft) {
  return has_hosts(draft) && draft.plan.network.routing == Routing::spray;
}
bool sends_between_stages(const Draft& draft) {
  return draft.plan.parallelism.pipeline > 1;
}
bool has_delegates(const Draft& draft) {
  const HostNet& host_net = draft.plan.host_net;
  const Delivery pipeline = host_net.pipeline_delivery.value_or(host_net.delivery);
  return row_of(host_net.delivery).driver == Driver::delegates ||
         row_of(pipeline).driver == Driver::delegates;
}
bool shares_parameters(const Draft& draft) {
  return draft.plan.parallelism.data > 1 && draft.plan.parallelism.sharding != Sharding::none;
}

template <auto layer, auto member>
void as_usually(Draft& draft) {
  draft.plan.*layer.*member = Plan{}.*layer.*member;
}

constexpr SearchPart fabric = SearchPart::fabric, inside = SearchPart::intra_inter,
                     ccl = SearchPart::ccl;
using C = CollectiveRule;
using N = Network;
using H = HostNet;
constexpr auto of_network = &Plan::network;
constexpr auto of_host_net = &Plan::host_net;
constexpr Axis data = Axis::data, tensor = Axis::tensor;

constexpr std::array byte_fields{
    SearchField{"network.routing", fabric, false, routings, nullptr,
                take_of<of_network, &N::routing>, has_hosts, as_usually<of_network, &N::routing>},
    SearchField{"network.hash_seed", fabric, false, nullptr, nullptr,
                take_of<of_network, &N::hash_seed>, hashes, nullptr},
    SearchField{"network.spray_efficiency", fabric, false, nullptr, nullptr,
                take_of<of_network, &N::spray_efficiency>, sprays, nullptr},
    SearchField{"network.mtu", fabric, false, nullptr, nullptr, take_of<of_network, &N::mtu>},
    SearchField{"host_net.delivery", fabric, false, deliveries, nullptr,
                take_of<of_host_net, &H::delivery>},
    SearchField{"host_net.pipeline_delivery", fabric, false, deliveries, nullptr,
                take_of<of_host_net, &H::pipeline_delivery>, sends_between_stages,
                as_usually<of_host_net, &H::pipeline_delivery>},
    SearchField{"host_net.delegates", fabric, false, counts_to_eight, nullptr,
                take_of<of_host_net, &H::delegates>, has_delegates,
                as_usually<of_host_net, &H::delegates>},
    SearchField{"host_net.queue_pairs", fabric, false, counts_to_eight, nullptr,
                take_of<of_host_net, &H::queue_pairs>, hashes,
                as_usually<of_host_net, &H::queue_pairs>},
    SearchField{"host_net.launch", fabric, false, launches, nullptr,
                take_of<of_host_net, &H::launch>},
    SearchField{"host_net.head_of_line", fabric, false, nullptr, nullptr,
                take_of<of_host_net, &H::head_of_line>},
    SearchField{"intra_inter.forwarding", inside, false, forwardings, nullptr,
                take_of<&Plan::intra_inter, &IntraInter::forwarding>, has_hosts, nullptr},
    SearchField{"intra_inter.placement", inside, false, placements, placement, take_placement,
                has_hosts, nullptr},
    SearchField{"intra_inter.data", inside, true, decompositions, decomposition<data>,
                take_decomposition<data>, has_hosts, nullptr},
    SearchField{"intra_inter.tensor", inside, false, decompositions, decomposition<tensor>,
                take_decomposition<tensor>, has_hosts, nullptr},
    SearchField{"ccl.tuner", ccl, false, nullptr, nullptr, take_of<&Plan::ccl, &Ccl::tuner>},
    SearchField{"ccl.overlap_gradients", ccl, false, true_first, nullptr,
                take_of<&Plan::ccl, &Ccl::overlap_gradients>, spans<data>, nullptr},
    SearchField{"ccl.overlap_parameters", ccl, false, true_first, nullptr,
                take_of<&Plan::ccl, &Ccl::overlap_parameters>, shares_parameters, nullptr},
    SearchField{"ccl.bucket", ccl, true, buckets, nullptr, take_of<&Plan::ccl, &Ccl::bucket>,
                spans<data>, nullptr},
    SearchField{"ccl.data.algorithm", ccl, false, algorithms, algorithm<data>,
                take_rule<data, &C::algorithm>},
    SearchField{"ccl.data.protocol", ccl, false, protocols, protocol<data>,
                take_rule<data, &C::protocol>},
    SearchField{"ccl.data.channels", ccl, false, channel_counts, channels<data>,
                take_rule<data, &C::channels>},
    SearchField{"ccl.tensor.algorithm", ccl, false, algorithms, algorithm<tensor>,
                take_rule<tensor, &C::algorithm>},
    SearchField{"ccl.tensor.protocol", ccl, false, protocols, protocol<tensor>,
                take_rule<tensor, &C::protocol>},
    SearchField{"ccl.tensor.channels", ccl, false, channel_counts, channels<tensor>,
                take_rule<tensor, &C::channels>},
};

}  // namespace

std::span<const SearchField> fields_of_bytes() {
  return byte_fields;
}

}  // namespace quintet
