#include "sim/answer/answer_json.h"

#include "sim/answer/money_answer.h"
#include "sim/base/quantity_text.h"

namespace quintet {

namespace {

using Json = JsonValue;

Json known(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

Json layout_json(const Answer& answer) {
  const Parallelism& parallelism = answer.parallelism;
  return {{"text", layout_text(parallelism)},
          {"tensor", parallelism.tensor},
          {"context", parallelism.context},
          {"expert", parallelism.expert},
          {"pipeline", parallelism.pipeline},
          {"data", parallelism.data},
          {"virtual_stages", parallelism.virtual_stages},
          {"schedule", name_of(parallelism.schedule)},
          {"sharding", name_of(parallelism.sharding)},
          {"sequence_parallel", parallelism.sequence_parallel},
          {"recompute", name_of(parallelism.recompute)},
          {"attention", name_of(parallelism.attention)},
          {"compute_type", name_of(parallelism.compute_type)},
          {"ranks", answer.ranks},
          {"hosts", answer.hosts},
          {"device", answer.device}};
}

Json evidence_json(const std::array<double, evidence_count>& shares) {
  Json json = Json::object();
  for (int number = 0; number < evidence_count; ++number)
    json[name_of(static_cast<Evidence>(number))] = shares[static_cast<std::size_t>(number)];
  return json;
}

Json basis_json(const Provenance& basis) {
  Json json = evidence_json(basis.by_evidence);
  json["follows"] = basis.follows;
  json["parts"] = Json::array();
  for (const SourceShare& source : basis.sources) {
    Json part{{"part", name_of(source.source)}, {"share", source.share}};
    part.update(evidence_json(source.by_evidence));
    json["parts"].push_back(part);
  }
  return json;
}

Json interval_json(const std::optional<StepInterval>& interval) {
  if (!interval) return nullptr;
  return {{"nominal", nominal_coverage},
          {"low_s", interval->low.value},
          {"high_s", interval->high.value},
          {"rests_on", interval->rests_on}};
}

Json assumptions_json(const std::vector<AssumptionEffect>& effects) {
  Json json = Json::array();
  for (const AssumptionEffect& effect : effects)
    json.push_back({{"assumption", effect.assumption}, {"step_change_share", effect.change}});
  return json;
}

}  // namespace

JsonValue run_json(const std::optional<TrainingRun>& run) {
  if (!run) return nullptr;
  return {{"tokens", run->tokens},
          {"samples", run->samples},
          {"steps", run->steps},
          {"start_up_s", run->start_up.value},
          {"evaluations", run->evaluations},
          {"evaluations_s", run->evaluating.value},
          {"checkpoints", run->checkpoints},
          {"checkpoints_s", run->checkpointing.value},
          {"time_s", run->time.value},
          {"time_low_s", run->interval ? Json(run->interval->low.value) : Json(nullptr)},
          {"time_high_s", run->interval ? Json(run->interval->high.value) : Json(nullptr)},
          {"energy_j", known(run->energy.value)},
          {"cost_usd", known(run->cost.value)}};
}

// Where all steps are alike there is none of this.
void add_periodic(const Answer& answer, JsonValue& to) {
  if (!answer.periodic) return;
  to["steps"] = {{"every", answer.periodic->every},
                 {"between_s", answer.periodic->between.value},
                 {"mean_s", answer.periodic->mean.value}};
}

// Whose samples have one length has none of this.
void add_samples(const Answer& answer, JsonValue& to) {
  if (!answer.load_balance) return;
  const LoadBalanceFigures& figures = *answer.load_balance;
  to["samples"] = {{"draw", name_of(answer.parallelism.samples.draw)},
                   {"load_balance", name_of(answer.parallelism.load_balance)},
                   {"mean_tokens_per_rank", figures.mean_tokens},
                   {"slowest_over_mean_tokens", figures.slowest_tokens / figures.mean_tokens},
                   {"slowest_over_mean_cost", figures.slowest_cost / figures.mean_cost},
                   {"slowest_over_padded_cost", figures.slowest_cost / figures.padded_cost}};
}

JsonValue answer_fields(const Answer& answer, std::optional<int> place) {
  const Parallelism& parallelism = answer.parallelism;
  JsonValue made{{"file", answer.file},
                 {"place", place ? Json(*place) : Json(nullptr)},
                 {"layout", layout_json(answer)},
                 {"global_batch_sequences", global_batch(parallelism)},
                 {"sequence_length_tokens", parallelism.sequence_length},
                 {"micro_batch_sequences", parallelism.micro_batch},
                 {"micro_batches", parallelism.micro_batches},
                 {"tokens_per_step", answer.tokens_per_step},
                 {"mfu", known(answer.summary.mfu)},
                 {"hfu", known(answer.summary.hfu)},
                 {"interval", interval_json(answer.interval)},
                 {"memory_verdict", name_of(answer.fit)},
                 {"memory_needed_bytes", known(answer.memory_needed.value)},
                 {"memory_capacity_bytes", known(answer.memory_capacity.value)},
                 {"rests_on", basis_json(answer.basis)},
                 {"run", run_json(answer.run)},
                 {"machine_faults", answer.faults},
                 {"money", money_json(answer.money, answer.run)},
                 {"assumptions", assumptions_json(answer.assumptions)},
                 {"remarks", answer.remarks}};
  add_samples(answer, made);
  add_periodic(answer, made);
  return made;
}

JsonValue error_entry(const std::string& file, const Error& error) {
  return {{"plan", file.empty() ? Json(nullptr) : Json(file)},
          {"where", error.where},
          {"what", error.what}};
}

std::string errors_json(const std::vector<JsonValue>& entries) {
  const Json all{{"schema_version", simulate_schema_version}, {"errors", entries}};
  return all.dump(2) + "\n";
}

}  // namespace quintet
