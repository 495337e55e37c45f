#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "sim/search/search_fields.h"

namespace quintet {
namespace {

template <auto member>
void take(Draft& to, const Plan& from) {
  to.plan.parallelism.*member = from.parallelism.*member;
}

void take_data(Draft& to, const Plan& from) {
  to.plan.parallelism.data = from.parallelism.data;
  to.data_given = true;
}

// The sample has one replica and micro-batches of one sequence: as many of them as sequences.
void take_global_batch(Draft& to, const Plan& from) {
  to.global_batch = from.parallelism.micro_batches;
}

template <auto member>
void take_offload(Draft& to, const Plan& from) {
  to.plan.parallelism.offload.*member = from.parallelism.offload.*member;
}

template <auto member>
void take_replicator(Draft& to, const Plan& from) {
  to.plan.parallelism.replicator.*member = from.parallelism.replicator.*member;
}

using Words = std::vector<std::string>;

Words texts(const std::vector<int>& numbers) {
  Words words;
  for (const int number : numbers) words.push_back(std::to_string(number));
  return words;
}

// Numbers up to `most` that divide it.
std::vector<int> divisors_of(int number, int most) {
  std::vector<int> found;
  for (int candidate = 1; candidate <= std::min(number, most); ++candidate)
    if (number % candidate == 0) found.push_back(candidate);
  return found;
}

// Beyond a host, tensor ranks talk through NICs many times in every layer: only when asked for.
Words tensor_degrees(const FreeContext& context) {
  int host = 1;
  for (const MachineSize& machine : context.machines) host = std::max(host, machine.ranks_per_host);
  const Model& model = context.model;
  return texts(
      divisors_of(std::gcd(std::gcd(model.heads, model.kv_heads), model.feed_forward), host));
}

Words pipeline_degrees(const FreeContext& context) {
  std::vector<int> degrees;
  for (const MachineSize& machine : context.machines)
    for (const int degree : divisors_of(machine.ranks, context.model.layers))
      degrees.push_back(degree);
  std::sort(degrees.begin(), degrees.end());
  degrees.erase(std::unique(degrees.begin(), degrees.end()), degrees.end());
  return texts(degrees);
}

Words micro_batch_sizes(const FreeContext& context) {
  constexpr int most = 8;
  if (context.global_batch == 0) return {"1"};
  return texts(divisors_of(context.global_batch, most));
}

// Divisors of the layers: other numbers of pieces leave some with fewer layers.
Words virtual_stage_counts(const FreeContext& context) {
  constexpr int most = 8;
  Words words;
  for (const int count : divisors_of(context.model.layers, most))
    if (count > 1) words.push_back(std::to_string(count));
  return words.empty() ? Words{"2"} : words;
}

Words orders(const FreeContext&) {
  return {"[tensor,context,expert,data,pipeline]", "[tensor,context,expert,pipeline,data]",
          "[data,tensor,context,expert,pipeline]", "[pipeline,tensor,context,expert,data]",
          "[data,pipeline,tensor,context,expert]", "[pipeline,data,tensor,context,expert]"};
}
Words schedules_without_counts(const FreeContext&) {
  return {"1f1b", "interleaved"};
}
Words on_first(const FreeContext&) {
  return {"true", "false"};
}
Words shardings(const FreeContext&) {
  return {"none", "optimizer", "gradients", "parameters"};
}
Words recomputations(const FreeContext&) {
  return {"none", "selective", "full"};
}
Words attentions(const FreeContext&) {
  return {"flash", "unfused"};
}

// The whole axis, and the GPUs of a host.
Words sharding_groups(const FreeContext& context) {
  std::vector<int> groups{0};
  for (const MachineSize& machine : context.machines)
    if (std::find(groups.begin(), groups.end(), machine.ranks_per_host) == groups.end())
      groups.push_back(machine.ranks_per_host);
  return texts(groups);
}

// All of a stage's, or so many.
Words recomputed_layers(const FreeContext&) {
  return {"0", "1", "2", "4", "8"};
}

bool has_stages(const Draft& draft) {
  return draft.plan.parallelism.pipeline > 1;
}
bool has_chunks(const Draft& draft) {
  return row_of(draft.plan.parallelism.schedule).chunks == schedules::Chunks::several;
}
bool has_replicas(const Draft& draft) {
  return draft.plan.parallelism.data > 1;
}
bool is_sharded(const Draft& draft) {
  return draft.plan.parallelism.sharding != Sharding::none;
}
bool splits_tensors(const Draft& draft) {
  return draft.plan.parallelism.tensor > 1;
}
bool recomputes_fully(const Draft& draft) {
  return draft.plan.parallelism.recompute == Recompute::full;
}

template <auto member>
void as_usual(Draft& draft) {
  draft.plan.parallelism.*member = Parallelism{}.*member;
}

constexpr SearchPart of_layer1 = SearchPart::parallelism;
using P = Parallelism;

// Degrees first: whatever does not divide the machine is passed over before the rest is looked at.
constexpr std::array layer1_fields{
    SearchField{"parallelism.tensor", of_layer1, true, tensor_degrees, nullptr, take<&P::tensor>},
    SearchField{"parallelism.pipeline", of_layer1, true, pipeline_degrees, nullptr,
                take<&P::pipeline>},
    SearchField{"parallelism.context", of_layer1, false, nullptr, nullptr, take<&P::context>},
    SearchField{"parallelism.expert", of_layer1, false, nullptr, nullptr, take<&P::expert>},
    SearchField{"parallelism.data", of_layer1, false, nullptr, nullptr, take_data},
    SearchField{"parallelism.global_batch", of_layer1, false, nullptr, nullptr, take_global_batch},
    SearchField{"parallelism.sequence_length", of_layer1, false, nullptr, nullptr,
                take<&P::sequence_length>},
    SearchField{"parallelism.micro_batch", of_layer1, true, micro_batch_sizes, nullptr,
                take<&P::micro_batch>},
    SearchField{"parallelism.micro_batches", of_layer1, false, nullptr, nullptr,
                take<&P::micro_batches>},
    SearchField{"parallelism.order", of_layer1, false, orders, nullptr, take<&P::order>},
    SearchField{"parallelism.schedule", of_layer1, true, schedules_without_counts, nullptr,
                take<&P::schedule>, has_stages, as_usual<&P::schedule>},
    SearchField{"parallelism.virtual_stages", of_layer1, true, virtual_stage_counts, nullptr,
                take<&P::virtual_stages>, has_chunks, as_usual<&P::virtual_stages>},
    SearchField{"parallelism.split_backward", of_layer1, false, nullptr, nullptr,
                take<&P::split_backward>},
    SearchField{"parallelism.sequence_parallel", of_layer1, true, on_first, nullptr,
                take<&P::sequence_parallel>, splits_tensors, as_usual<&P::sequence_parallel>},
    SearchField{"parallelism.sharding", of_layer1, true, shardings, nullptr, take<&P::sharding>,
                has_replicas, as_usual<&P::sharding>},
    SearchField{"parallelism.sharding_group", of_layer1, false, sharding_groups, nullptr,
                take<&P::sharding_group>, is_sharded, as_usual<&P::sharding_group>},
    SearchField{"parallelism.recompute", of_layer1, true, recomputations, nullptr,
                take<&P::recompute>},
    SearchField{"parallelism.recompute_layers", of_layer1, false, recomputed_layers, nullptr,
                take<&P::recompute_layers>, recomputes_fully, as_usual<&P::recompute_layers>},
    SearchField{"parallelism.attention", of_layer1, false, attentions, nullptr,
                take<&P::attention>},
    SearchField{"parallelism.compute_type", of_layer1, false, nullptr, nullptr,
                take<&P::compute_type>},
    SearchField{"parallelism.gradient_type", of_layer1, false, nullptr, nullptr,
                take<&P::gradient_type>},
    SearchField{"parallelism.moment_type", of_layer1, false, nullptr, nullptr,
                take<&P::moment_type>},
    SearchField{"parallelism.master_weights", of_layer1, false, nullptr, nullptr,
                take<&P::master_weights>},
    SearchField{"parallelism.optimizer", of_layer1, false, nullptr, nullptr, take<&P::optimizer>},
    SearchField{"parallelism.clipping", of_layer1, false, nullptr, nullptr, take<&P::clipping>},
    SearchField{"parallelism.offload.optimizer", of_layer1, false, nullptr, nullptr,
                take_offload<&Offload::optimizer>},
    SearchField{"parallelism.offload.activations", of_layer1, false, nullptr, nullptr,
                take_offload<&Offload::activations>},
    SearchField{"parallelism.replicator.kind", of_layer1, false, nullptr, nullptr,
                take_replicator<&Replicator::kind>},
    SearchField{"parallelism.replicator.every", of_layer1, false, nullptr, nullptr,
                take_replicator<&Replicator::every>},
    SearchField{"parallelism.replicator.chunk", of_layer1, false, nullptr, nullptr,
                take_replicator<&Replicator::chunk>},
    SearchField{"parallelism.replicator.top_k", of_layer1, false, nullptr, nullptr,
                take_replicator<&Replicator::top_k>},
    SearchField{"parallelism.replicator.rate", of_layer1, false, nullptr, nullptr,
                take_replicator<&Replicator::rate>},
};

}  // namespace

std::span<const SearchField> fields_of_parallelism() {
  return layer1_fields;
}

}  // namespace quintet
