#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/base/quantity_text.h"
#include "sim/plan/plan_file.h"

namespace quintet {

namespace {

// Keeps the keys in the order in which they are written here.
using Json = nlohmann::ordered_json;

template <class Enum>
void put_word(Json& json, const char* key, const std::optional<Enum>& value) {
  if (value) json[key] = name_of(*value);
}

Json replicator_json(const Replicator& replicator) {
  return {{"kind", name_of(replicator.kind)},
          {"every", replicator.every},
          {"chunk", replicator.chunk},
          {"top_k", replicator.top_k},
          {"rate", replicator.rate}};
}

Json order_json(const std::vector<Axis>& order) {
  Json axes = Json::array();
  for (const Axis axis : order) axes.push_back(name_of(axis));
  return axes;
}

Json parallelism_json(const Parallelism& parallelism) {
  return {{"tensor", parallelism.tensor},
          {"context", parallelism.context},
          {"expert", parallelism.expert},
          {"data", parallelism.data},
          {"pipeline", parallelism.pipeline},
          {"order", order_json(parallelism.order)},
          {"sequence_parallel", parallelism.sequence_parallel},
          {"sharding", name_of(parallelism.sharding)},
          {"sharding_group", parallelism.sharding_group},
          {"replicator", replicator_json(parallelism.replicator)},
          {"schedule", name_of(parallelism.schedule)},
          {"virtual_stages", parallelism.virtual_stages},
          {"warm_ups", parallelism.warm_ups},
          {"split_backward", parallelism.split_backward},
          {"stage_layers", parallelism.stage_layers},
          {"sequence_length", parallelism.sequence_length},
          {"micro_batch", parallelism.micro_batch},
          {"micro_batches", parallelism.micro_batches},
          {"recompute", name_of(parallelism.recompute)},
          {"recompute_layers", parallelism.recompute_layers},
          {"attention", name_of(parallelism.attention)},
          {"compute_type", name_of(parallelism.compute_type)},
          {"gradient_type", name_of(parallelism.gradient_type)},
          {"master_weights", parallelism.master_weights},
          {"optimizer", name_of(parallelism.optimizer)},
          {"clipping", name_of(parallelism.clipping)},
          {"load_balance", name_of(parallelism.load_balance)}};
}

Json rule_json(const CollectiveRule& rule) {
  Json json = Json::object();
  put_word(json, "kind", rule.kind);
  put_word(json, "axis", rule.axis);
  put_word(json, "algorithm", rule.algorithm);
  put_word(json, "protocol", rule.protocol);
  if (rule.channels) json["channels"] = *rule.channels;
  return json;
}

Json ccl_json(const Ccl& ccl) {
  Json rules = Json::array();
  for (const CollectiveRule& rule : ccl.rules) rules.push_back(rule_json(rule));
  return {{"tuner", name_of(ccl.tuner)},
          {"rules", rules},
          {"overlap_gradients", ccl.overlap_gradients},
          {"overlap_parameters", ccl.overlap_parameters},
          {"overlap_tensor", ccl.overlap_tensor},
          {"bucket", text(ccl.bucket)}};
}

Json intra_inter_json(const IntraInter& intra_inter) {
  Json rows = Json::array();
  for (const AxisDecomposition& row : intra_inter.decompositions)
    rows.push_back(
        Json{{"axis", name_of(row.axis)}, {"decomposition", name_of(row.decomposition)}});
  return {{"decompositions", rows},
          {"forwarding", name_of(intra_inter.forwarding)},
          {"placement", intra_inter.placement}};
}

Json host_net_json(const HostNet& host_net) {
  Json json{{"delivery", name_of(host_net.delivery)}};
  put_word(json, "pipeline_delivery", host_net.pipeline_delivery);
  json["delegates"] = host_net.delegates;
  json["queue_pairs"] = host_net.queue_pairs;
  json["launch"] = name_of(host_net.launch);
  return json;
}

Json network_json(const Network& network) {
  return {{"routing", name_of(network.routing)},
          {"hash_seed", network.hash_seed},
          {"spray_efficiency", network.spray_efficiency},
          {"mtu", text(Bytes{static_cast<double>(network.mtu)})}};
}

}  // namespace

std::string plan_text(const Plan& plan) {
  const Json json{{"name", plan.name},
                  {"parallelism", parallelism_json(plan.parallelism)},
                  {"ccl", ccl_json(plan.ccl)},
                  {"intra_inter", intra_inter_json(plan.intra_inter)},
                  {"host_net", host_net_json(plan.host_net)},
                  {"network", network_json(plan.network)}};
  // A name that is not UTF-8 can only come from code; it must not throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quintet
