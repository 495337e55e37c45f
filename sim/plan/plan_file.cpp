#include "sim/plan/plan_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/json_fields.h"
#include "sim/base/shown_text.h"

namespace quintet {

namespace {

// Well above any machine there is, and far enough from overflow for products of a few.
constexpr int most_ranks = 1 << 20;
constexpr int most_micro_batches = 1 << 20;

// The enumerators themselves are the list of accepted words, so no word is spelled twice. Without a
// fallback the key is required.
template <auto... values, class Enum>
Enum word(JsonObject& json, std::string_view key, std::optional<Enum> fallback) {
  return json.one_of_or<Enum>(key, fallback,
                              {std::pair<std::string_view, Enum>{name_of(values), values}...});
}

template <auto... values, class Enum>
Enum word(JsonObject& json, std::string_view key, Enum fallback) {
  return word<values...>(json, key, std::optional<Enum>(fallback));
}

template <auto... values, class Enum>
void read_if_there(JsonObject& json, std::string_view key, std::optional<Enum>& value) {
  if (json.raw(key) != nullptr) value = word<values...>(json, key, std::optional<Enum>{});
}

template <class Reader, class Value>
Value section(JsonObject& parent, std::string_view key, Value value, Reader read) {
  JsonObject json = parent.object_or_empty(key);
  read(json, value);
  json.refuse_unknown_keys();
  parent.adopt(json);
  return value;
}

std::vector<Axis> read_order(JsonObject& json, std::vector<Axis> fallback) {
  const nlohmann::json* const order = json.raw("order");
  if (order == nullptr) return fallback;
  if (!order->is_array()) return json.fail("order", "expected an array of axes"), fallback;
  std::vector<Axis> axes;
  for (const nlohmann::json& name : *order) {
    const auto axis = std::find_if(fallback.begin(), fallback.end(), [&](Axis each) {
      return name.is_string() && name.get_ref<const std::string&>() == name_of(each);
    });
    if (axis == fallback.end())
      return json.fail("order[" + std::to_string(axes.size()) + "]",
                       "expected one of tensor, context, expert, data, pipeline"),
             fallback;
    axes.push_back(*axis);
  }
  return axes;
}

void read_replicator(JsonObject& json, Replicator& replicator) {
  replicator.kind =
      word<ReplicatorKind::full, ReplicatorKind::demo, ReplicatorKind::random,
           ReplicatorKind::striding, ReplicatorKind::none>(json, "kind", replicator.kind);
  replicator.every = json.integer_or("every", replicator.every, 1, 1'000'000);
  replicator.chunk = json.integer_or("chunk", replicator.chunk, 1, 1 << 16);
  replicator.top_k = json.integer_or("top_k", replicator.top_k, 1, 1 << 16);
  replicator.rate = json.number_or("rate", replicator.rate);
  if (replicator.rate <= 0.0 || replicator.rate > 1.0)
    json.fail("rate", "expected a share above 0 and up to 1");
}

void read_degrees(JsonObject& json, Parallelism& parallelism) {
  parallelism.tensor = json.integer_or("tensor", 1, 1, most_ranks);
  parallelism.context = json.integer_or("context", 1, 1, most_ranks);
  parallelism.expert = json.integer_or("expert", 1, 1, most_ranks);
  parallelism.data = json.integer_or("data", 1, 1, most_ranks);
  parallelism.pipeline = json.integer_or("pipeline", 1, 1, most_ranks);
  std::int64_t ranks = 1;
  for (const Axis axis : Parallelism{}.order) {
    ranks *= degree(parallelism, axis);
    if (ranks > most_ranks)
      return json.fail(name_of(axis), "the degrees multiply to more than " +
                                          std::to_string(most_ranks) + " ranks");
  }
  parallelism.order = read_order(json, parallelism.order);
  parallelism.sequence_parallel =
      json.boolean_or("sequence_parallel", parallelism.sequence_parallel);
}

void read_sharding(JsonObject& json, Parallelism& parallelism) {
  parallelism.sharding =
      word<Sharding::none, Sharding::optimizer, Sharding::gradients, Sharding::parameters>(
          json, "sharding", parallelism.sharding);
  parallelism.sharding_group =
      json.integer_or("sharding_group", parallelism.sharding_group, 0, most_ranks);
  parallelism.replicator = section(json, "replicator", parallelism.replicator, read_replicator);
}

void read_schedule(JsonObject& json, Parallelism& parallelism) {
  parallelism.schedule =
      word<PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved,
           PipelineSchedule::zb_h1, PipelineSchedule::warm_up>(json, "schedule",
                                                               parallelism.schedule);
  parallelism.virtual_stages =
      json.integer_or("virtual_stages", parallelism.virtual_stages, 1, 1024);
  parallelism.warm_ups = json.integers_or("warm_ups", parallelism.warm_ups, 0, most_micro_batches);
  parallelism.split_backward = json.boolean_or("split_backward", parallelism.split_backward);
  parallelism.stage_layers = json.integers_or("stage_layers", parallelism.stage_layers, 0, 100'000);
}

void read_batch(JsonObject& json, Parallelism& parallelism) {
  parallelism.sequence_length = json.integer("sequence_length", 1, 100'000'000);
  parallelism.micro_batch =
      json.integer_or("micro_batch", parallelism.micro_batch, 1, most_micro_batches);
  parallelism.micro_batches =
      json.integer_or("micro_batches", parallelism.micro_batches, 1, most_micro_batches);
  const double batch = 1.0 * parallelism.micro_batch * parallelism.micro_batches * parallelism.data;
  if (batch > 1e9)
    json.fail("micro_batches", "a step of more than 1000000000 sequences is not accepted");
}

void read_numerics(JsonObject& json, Parallelism& parallelism) {
  parallelism.recompute = word<Recompute::none, Recompute::selective, Recompute::full>(
      json, "recompute", parallelism.recompute);
  parallelism.recompute_layers =
      json.integer_or("recompute_layers", parallelism.recompute_layers, 0, 100'000);
  parallelism.attention = word<AttentionChoice::unfused, AttentionChoice::flash>(
      json, "attention", parallelism.attention);
  parallelism.compute_type = json.data_type_or("compute_type", parallelism.compute_type);
  parallelism.gradient_type = json.data_type_or("gradient_type", parallelism.gradient_type);
  parallelism.master_weights = json.boolean_or("master_weights", parallelism.master_weights);
  parallelism.optimizer = word<Optimizer::adamw, Optimizer::lamb, Optimizer::sgd>(
      json, "optimizer", parallelism.optimizer);
  parallelism.clipping = word<Clipping::none, Clipping::after_reduction, Clipping::before_reduction,
                              Clipping::per_bucket>(json, "clipping", parallelism.clipping);
  parallelism.load_balance = word<LoadBalance::none, LoadBalance::presort_in_host>(
      json, "load_balance", parallelism.load_balance);
}

void read_parallelism(JsonObject& json, Parallelism& parallelism) {
  read_degrees(json, parallelism);
  read_sharding(json, parallelism);
  read_schedule(json, parallelism);
  read_batch(json, parallelism);
  read_numerics(json, parallelism);
}

template <class AxisOrNone>
void read_axis(JsonObject& json, AxisOrNone& axis) {
  using enum Axis;
  if constexpr (std::is_same_v<AxisOrNone, Axis>)
    axis = word<tensor, context, expert, data, pipeline>(json, "axis", std::optional<Axis>{});
  else
    read_if_there<tensor, context, expert, data, pipeline>(json, "axis", axis);
}

void read_rule(JsonObject& json, CollectiveRule& rule) {
  using enum CollectiveKind;
  using enum Algorithm;
  using enum Protocol;
  read_if_there<all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all>(json, "kind",
                                                                                       rule.kind);
  read_axis(json, rule.axis);
  read_if_there<tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat, halving_doubling,
                direct, hierarchical>(json, "algorithm", rule.algorithm);
  read_if_there<ll, ll128, simple>(json, "protocol", rule.protocol);
  if (json.raw("channels") != nullptr) rule.channels = json.integer("channels", 1, 1024);
}

void read_ccl(JsonObject& json, Ccl& ccl) {
  ccl.tuner = word<TunerVersion::nccl_2_28, TunerVersion::nccl_2_30>(json, "tuner", ccl.tuner);
  for (JsonObject& each : json.objects_or_empty("rules")) {
    read_rule(each, ccl.rules.emplace_back());
    each.refuse_unknown_keys();
    json.adopt(each);
  }
  ccl.overlap_gradients = json.boolean_or("overlap_gradients", ccl.overlap_gradients);
  ccl.overlap_parameters = json.boolean_or("overlap_parameters", ccl.overlap_parameters);
  ccl.overlap_tensor = json.boolean_or("overlap_tensor", ccl.overlap_tensor);
  ccl.bucket = json.bytes_or("bucket", ccl.bucket);
}

void read_intra_inter(JsonObject& json, IntraInter& intra_inter) {
  for (JsonObject& each : json.objects_or_empty("decompositions")) {
    AxisDecomposition& row = intra_inter.decompositions.emplace_back();
    read_axis(each, row.axis);
    row.decomposition = word<Decomposition::flat, Decomposition::hierarchical>(
        each, "decomposition", row.decomposition);
    each.refuse_unknown_keys();
    json.adopt(each);
  }
  intra_inter.forwarding =
      word<Forwarding::none, Forwarding::same_rail>(json, "forwarding", intra_inter.forwarding);
  intra_inter.placement = json.integers_or("placement", intra_inter.placement, 0, most_ranks - 1);
}

void read_host_net(JsonObject& json, HostNet& host_net) {
  host_net.delivery = word<Delivery::direct, Delivery::staged, Delivery::delegated>(
      json, "delivery", host_net.delivery);
  read_if_there<Delivery::direct, Delivery::staged, Delivery::delegated>(
      json, "pipeline_delivery", host_net.pipeline_delivery);
  host_net.delegates = json.integer_or("delegates", host_net.delegates, 1, 1024);
  host_net.queue_pairs = json.integer_or("queue_pairs", host_net.queue_pairs, 1, 1024);
  host_net.launch = word<Launch::eager, Launch::graphs>(json, "launch", host_net.launch);
}

std::uint64_t read_seed(JsonObject& json, std::uint64_t fallback) {
  const nlohmann::json* const seed = json.raw("hash_seed");
  if (seed == nullptr) return fallback;
  if (seed->is_number_unsigned()) return seed->get<std::uint64_t>();
  json.fail("hash_seed", "expected a whole number, 0 or more and below 2^64");
  return fallback;
}

int read_mtu(JsonObject& json, int fallback) {
  const Bytes mtu = json.bytes_or("mtu", Bytes{static_cast<double>(fallback)});
  if (mtu.value >= 1.0 && mtu.value <= 1e9 && std::floor(mtu.value) == mtu.value)
    return static_cast<int>(mtu.value);
  json.fail("mtu", "expected a whole number of bytes from \"1 B\" to \"1 GB\", found " +
                       in_quotes(text(mtu)));
  return fallback;
}

void read_network(JsonObject& json, Network& network) {
  network.routing =
      word<Routing::ecmp, Routing::rail_pinned, Routing::spray>(json, "routing", network.routing);
  network.hash_seed = read_seed(json, network.hash_seed);
  network.spray_efficiency = json.number_or("spray_efficiency", network.spray_efficiency);
  if (network.spray_efficiency <= 0.0 || network.spray_efficiency > 1.0)
    json.fail("spray_efficiency", "expected a share above 0 and up to 1");
  network.mtu = read_mtu(json, network.mtu);
}

}  // namespace

Result<Plan> parse_plan(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> tree = parse_json(text, where);
  if (!tree) return tree.error();
  JsonObject json(*tree, where);
  Plan plan;
  plan.name = json.text_or("name", plan.name);
  plan.ccl = section(json, "ccl", plan.ccl, read_ccl);
  plan.intra_inter = section(json, "intra_inter", plan.intra_inter, read_intra_inter);
  plan.host_net = section(json, "host_net", plan.host_net, read_host_net);
  plan.network = section(json, "network", plan.network, read_network);
  // Last: it has a field without a default, which a misspelt section would only seem to lack.
  json.raw("parallelism");
  json.refuse_unknown_keys();
  plan.parallelism = section(json, "parallelism", plan.parallelism, read_parallelism);
  if (json.failed()) return *json.error();
  return plan;
}

Result<Plan> read_plan(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_plan(*text, file.string());
}

}  // namespace quintet
