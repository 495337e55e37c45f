#include "sim/plan/plan_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/field_list.h"

namespace quintet {

namespace {

// Well above any machine there is, and far enough from overflow for products of a few.
constexpr int most_ranks = 1 << 20;
constexpr int most_micro_batches = 1 << 20;
constexpr int most_layers = 100'000;
constexpr int most_history = 1 << 16;  // a rank keeps so many numbers of each operand
constexpr int most_margin = 16;        // e5m2 has 32 powers of two

template <class File>
void share(File& file, const char* key, double& value) {
  file.field(key, value);
  if (value <= 0.0 || value > 1.0) file.refuse(key, "expected a share above 0 and up to 1");
}

// The first axis whose degree makes the ranks too many.
std::optional<Axis> axis_too_large(const Parallelism& parallelism) {
  std::int64_t ranks = 1;
  for (const Axis axis : Parallelism{}.order) {
    ranks *= degree(parallelism, axis);
    if (ranks > most_ranks) return axis;
  }
  return std::nullopt;
}

}  // namespace

template <class File>
void fields(File& file, Replicator& replicator) {
  file.field("kind", replicator.kind);
  file.field("every", replicator.every, Between{1, 1'000'000});
  file.field("chunk", replicator.chunk, Between{1, 1 << 16});
  file.field("top_k", replicator.top_k, Between{1, 1 << 16});
  share(file, "rate", replicator.rate);
}

template <class File>
void fields(File& file, Float8Recipe& recipe) {
  file.field("scaling", recipe.scaling);
  file.field("history", recipe.history, Between{1, most_history});
  file.field("margin", recipe.margin, Between{0, most_margin});
}

template <class File>
void fields(File& file, Parallelism& parallelism) {
  file.field("tensor", parallelism.tensor, Between{1, most_ranks});
  file.field("context", parallelism.context, Between{1, most_ranks});
  file.field("expert", parallelism.expert, Between{1, most_ranks});
  file.field("data", parallelism.data, Between{1, most_ranks});
  file.field("pipeline", parallelism.pipeline, Between{1, most_ranks});
  if (const auto axis = axis_too_large(parallelism))
    file.refuse(name_of(*axis),
                fmt::format("the degrees multiply to more than {} ranks", most_ranks));
  file.field("order", parallelism.order, "axes");
  file.field("sequence_parallel", parallelism.sequence_parallel);
  file.field("sharding", parallelism.sharding);
  file.field("sharding_group", parallelism.sharding_group, Between{0, most_ranks});
  file.field("replicator", parallelism.replicator);
  file.field("schedule", parallelism.schedule);
  file.field("virtual_stages", parallelism.virtual_stages, Between{1, 1024});
  file.field("warm_ups", parallelism.warm_ups, Between{0, most_micro_batches});
  file.field("split_backward", parallelism.split_backward);
  file.field("stage_layers", parallelism.stage_layers, Between{0, most_layers});
  file.required("sequence_length", parallelism.sequence_length, Between{1, 100'000'000});
  file.field("micro_batch", parallelism.micro_batch, Between{1, most_micro_batches});
  file.field("micro_batches", parallelism.micro_batches, Between{1, most_micro_batches});
  if (1.0 * parallelism.micro_batch * parallelism.micro_batches * parallelism.data > 1e9)
    file.refuse("micro_batches", "a step of more than 1000000000 sequences is not accepted");
  file.field("recompute", parallelism.recompute);
  file.field("recompute_layers", parallelism.recompute_layers, Between{0, most_layers});
  file.field("attention", parallelism.attention);
  file.field("compute_type", parallelism.compute_type);
  file.unusual("fp8", parallelism.float8, {});
  file.field("gradient_type", parallelism.gradient_type);
  file.field("master_weights", parallelism.master_weights);
  file.field("optimizer", parallelism.optimizer);
  file.field("clipping", parallelism.clipping);
  file.field("load_balance", parallelism.load_balance);
}

template <class File>
void fields(File& file, CollectiveRule& rule) {
  file.field("kind", rule.kind);
  file.field("axis", rule.axis);
  file.field("algorithm", rule.algorithm);
  file.field("protocol", rule.protocol);
  file.field("channels", rule.channels, Between{1, 1024});
}

template <class File>
void fields(File& file, Ccl& ccl) {
  file.field("tuner", ccl.tuner);
  file.field("rules", ccl.rules);
  file.field("overlap_gradients", ccl.overlap_gradients);
  file.field("overlap_parameters", ccl.overlap_parameters);
  file.field("overlap_tensor", ccl.overlap_tensor);
  file.field("bucket", ccl.bucket);
}

template <class File>
void fields(File& file, AxisDecomposition& row) {
  file.required("axis", row.axis);
  file.field("decomposition", row.decomposition);
}

template <class File>
void fields(File& file, IntraInter& intra_inter) {
  file.field("decompositions", intra_inter.decompositions);
  file.field("forwarding", intra_inter.forwarding);
  file.field("placement", intra_inter.placement, Between{0, most_ranks - 1});
}

template <class File>
void fields(File& file, HostNet& host_net) {
  file.field("delivery", host_net.delivery);
  file.field("pipeline_delivery", host_net.pipeline_delivery);
  file.field("delegates", host_net.delegates, Between{1, 1024});
  file.field("queue_pairs", host_net.queue_pairs, Between{1, 1024});
  file.field("launch", host_net.launch);
}

template <class File>
void fields(File& file, Network& network) {
  file.field("routing", network.routing);
  file.field("hash_seed", network.hash_seed);
  share(file, "spray_efficiency", network.spray_efficiency);
  Bytes mtu{static_cast<double>(network.mtu)};
  file.field("mtu", mtu);
  if (mtu.value >= 1.0 && mtu.value <= 1e9 && std::floor(mtu.value) == mtu.value)
    network.mtu = static_cast<int>(mtu.value);
  else
    file.refuse("mtu", "expected a whole number of bytes from \"1 B\" to \"1 GB\", found " +
                           in_quotes(text(mtu)));
}

template <class File>
void fields(File& file, Plan& plan) {
  file.field("name", plan.name);
  file.field("parallelism", plan.parallelism);
  file.field("ccl", plan.ccl);
  file.field("intra_inter", plan.intra_inter);
  file.field("host_net", plan.host_net);
  file.field("network", plan.network);
}

Result<Plan> parse_plan(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> tree = parse_json(text, where);
  if (!tree) return tree.error();
  JsonObject json(*tree, where);
  Plan plan;
  // First, as a misspelt "parallelism" would only seem to lack its field without a default.
  FieldNames names(json);
  fields(names, plan);
  json.refuse_unknown_keys();
  FieldReader reader(json);
  fields(reader, plan);
  if (json.failed()) return *json.error();
  return plan;
}

Result<Plan> read_plan(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_plan(*text, file.string());
}

std::string plan_text(const Plan& plan) {
  Plan written = plan;
  // A name that is not UTF-8 can only come from code; it must not throw.
  return FieldWriter(Digits::for_people).written(written).dump(2) + "\n";
}

}  // namespace quintet
